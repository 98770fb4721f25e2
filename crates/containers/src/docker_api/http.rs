//! HTTP/1.1 answers, from bytes as they come: no socket, no clock.
//!
//! RFC 9112 as far as a client of one server needs it: answers of a stated
//! length, in chunks, until the connection ends, or without a body; interim
//! answers (100 to 199) are passed over.

mod chunks;
mod head;

use alloc::vec::Vec;
use core::fmt;

use chunks::Chunks;
use head::Framing;

/// How long the head of an answer may be, in bytes.
pub const MAX_HEAD_BYTES: usize = 64 << 10;
/// How long the body of an answer may be, in bytes.
pub const MAX_BODY_BYTES: usize = 16 << 20;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code, at least 200.
    pub status: u16,
    /// The body, out of its chunks.
    pub body: Vec<u8>,
    /// Whether the server keeps the connection open for another request.
    pub keeps_open: bool,
}

/// Why bytes are no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpErrorKind {
    /// The head is none, or longer than [`MAX_HEAD_BYTES`].
    Head(&'static str),
    /// The head does not say how long the body is, or says it twice.
    Framing(&'static str),
    /// A chunk does not begin or end as one.
    Chunk,
    /// The body is longer than [`MAX_BODY_BYTES`].
    TooLong,
    /// The stream ended within the answer.
    CutOff,
}

/// Why bytes are no answer, and where that showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpError {
    /// What is wrong.
    pub kind: HttpErrorKind,
    /// How many bytes of the answer came before.
    pub position: usize,
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            HttpErrorKind::Head(what) | HttpErrorKind::Framing(what) => f.write_str(what)?,
            HttpErrorKind::Chunk => f.write_str("a broken chunk")?,
            HttpErrorKind::TooLong => f.write_str("a body of more than 16 MiB")?,
            HttpErrorKind::CutOff => f.write_str("the stream ended within the answer")?,
        }
        write!(f, " at byte {}", self.position)
    }
}

impl core::error::Error for HttpError {}

/// Reads one answer from bytes that come in pieces of any size; what comes out
/// does not depend on the pieces.
///
/// ```
/// use evictd_containers::docker_api::ResponseReader;
///
/// let mut reader = ResponseReader::default();
/// assert_eq!(reader.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nO"), Ok(39));
/// assert_eq!(reader.feed(b"K and more"), Ok(1));
/// let response = reader.finish().unwrap();
/// assert_eq!(response.body, b"OK");
/// ```
#[derive(Debug, Default)]
pub struct ResponseReader {
    state: State,
    head: Vec<u8>,
    position: usize,
    response: Response,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Head,
    /// So many bytes are still to come.
    Sized(usize),
    Chunked(Chunks),
    ToTheEnd,
    Done,
}

impl ResponseReader {
    /// Takes bytes; returns how many of them belong to this answer. Fewer than
    /// were given means that the answer is complete.
    ///
    /// # Errors
    /// When they are no answer. The reader is then of no more use.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<usize, HttpError> {
        let mut taken = 0;
        while let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) {
            let step = match self.state {
                State::Head => self.feed_head(rest)?,
                State::Sized(left) => self.feed_sized(rest, left)?,
                State::Chunked(chunks) => self.feed_chunks(rest, chunks)?,
                State::ToTheEnd => self.feed_sized(rest, usize::MAX)?,
                State::Done => break,
            };
            taken += step;
            self.position += step;
        }
        Ok(taken)
    }

    /// Whether the answer is complete. One that goes on to the end of the stream
    /// never is before that.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// The answer, after the last byte of it or of the stream.
    ///
    /// # Errors
    /// When a part of it is missing.
    pub fn finish(self) -> Result<Response, HttpError> {
        match self.state {
            State::Done | State::ToTheEnd => Ok(self.response),
            State::Head | State::Sized(_) | State::Chunked(_) => {
                Err(self.error(HttpErrorKind::CutOff))
            }
        }
    }

    const fn error(&self, kind: HttpErrorKind) -> HttpError {
        HttpError {
            kind,
            position: self.position,
        }
    }

    fn feed_head(&mut self, bytes: &[u8]) -> Result<usize, HttpError> {
        for (before, byte) in bytes.iter().enumerate() {
            if self.head.len() == MAX_HEAD_BYTES {
                self.position += before;
                return Err(self.error(HttpErrorKind::Head("a head of more than 64 KiB")));
            }
            self.head.push(*byte);
            if self.head.ends_with(b"\n\r\n") || self.head.ends_with(b"\n\n") {
                if let Err(kind) = self.open_body() {
                    self.position += before + 1;
                    return Err(self.error(kind));
                }
                return Ok(before + 1);
            }
        }
        Ok(bytes.len())
    }

    fn open_body(&mut self) -> Result<(), HttpErrorKind> {
        let head = head::parse_head(&self.head)?;
        self.head.clear();
        self.response.status = head.status;
        self.response.keeps_open = head.keeps_open;
        self.state = match head.framing {
            Framing::Interim => State::Head,
            Framing::Sized(0) => State::Done,
            Framing::Sized(length) if length > MAX_BODY_BYTES => {
                return Err(HttpErrorKind::TooLong);
            }
            Framing::Sized(length) => {
                self.response.body.reserve_exact(length);
                State::Sized(length)
            }
            Framing::Chunked => State::Chunked(Chunks::default()),
            Framing::ToTheEnd => State::ToTheEnd,
        };
        Ok(())
    }

    /// Takes at most `left` bytes into the body.
    fn feed_sized(&mut self, bytes: &[u8], left: usize) -> Result<usize, HttpError> {
        let room = MAX_BODY_BYTES - self.response.body.len();
        let part = bytes.get(..left.min(bytes.len())).unwrap_or_default();
        if part.len() > room {
            self.position += room;
            return Err(self.error(HttpErrorKind::TooLong));
        }
        self.response.body.extend_from_slice(part);
        if let State::Sized(_) = self.state {
            self.state = match left - part.len() {
                0 => State::Done,
                left => State::Sized(left),
            };
        }
        Ok(part.len())
    }

    fn feed_chunks(&mut self, bytes: &[u8], mut chunks: Chunks) -> Result<usize, HttpError> {
        let mut taken = 0;
        while let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) {
            match chunks.feed(rest, &mut self.response.body) {
                Ok(step) => taken += step,
                Err(kind) => {
                    self.position += taken;
                    return Err(self.error(kind));
                }
            }
            if chunks.is_done() {
                self.state = State::Done;
                return Ok(taken);
            }
        }
        self.state = State::Chunked(chunks);
        Ok(taken)
    }
}
