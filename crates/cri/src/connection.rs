use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

use ringline_h2::HeaderField;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use crate::h2::{Event, Http2, Ringline};
use crate::{AnswerReader, Bytes, Failure, MOST_ANSWER_BYTES};

/// What HTTP/2 may add to an answer: heads, frames, settings. More is a runtime
/// that never comes to an end.
const MOST_AROUND_BYTES: usize = 1 << 20;
/// Read at once.
const PIECE_BYTES: usize = 16 << 10;
/// Characters of a runtime's own words.
const MOST_WORDS: usize = 512;

/// When a call must be over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    begun: Instant,
    pub(crate) within: Duration,
}

impl Deadline {
    pub(crate) fn after(within: Duration) -> Self {
        Self {
            begun: Instant::now(),
            within,
        }
    }

    /// What is left of it, never nothing: a socket takes that for "for ever".
    fn left(&self) -> Result<Duration, Failure> {
        let left = self.within.saturating_sub(self.begun.elapsed());
        if left.is_zero() {
            return Err(Failure::TimedOut(self.within));
        }
        Ok(left.max(Duration::from_micros(1)))
    }
}

/// Why a call got no answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The connection was closed: another one may do better.
    Closed(Box<str>),
    /// That is how it is.
    Final(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Final(failure)
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Closed(why) => Self::NotReachable(why),
            Trouble::Final(failure) => failure,
        }
    }
}

/// A connection with at most one call in flight.
pub(crate) struct Connection {
    stream: UnixStream,
    h2: Box<dyn Http2>,
}

impl core::fmt::Debug for Connection {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.stream.fmt(f)
    }
}

impl Connection {
    pub(crate) fn open(socket: &Path, deadline: Deadline) -> Result<Self, Failure> {
        let left = deadline.left()?;
        let opened = open_stream(socket, left).map_err(|errno| match errno {
            // Nobody accepts connections, and no more may wait for it.
            Errno::AGAIN => Failure::TimedOut(deadline.within),
            errno => Failure::NotReachable(io::Error::from(errno).to_string().into()),
        });
        Ok(Self {
            stream: opened?,
            h2: Box::new(Ringline::new()),
        })
    }

    /// Sends a request.
    pub(crate) fn send(
        &mut self,
        method: &str,
        message: &[u8],
        deadline: Deadline,
    ) -> Result<(), Trouble> {
        let mut body = alloc::vec![0];
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        body.extend_from_slice(&length.to_be_bytes());
        body.extend_from_slice(message);
        let timeout = format!("{}m", deadline.within.as_millis().min(99_999_999));
        let head = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", method),
            (":authority", "localhost"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
            ("user-agent", "evictd"),
            ("grpc-timeout", &timeout),
        ];
        self.h2.request(&head, &body).map_err(Trouble::Closed)?;
        self.flush(deadline)
    }

    /// Waits for the answer to what was sent last.
    pub(crate) fn receive(&mut self, deadline: Deadline) -> Result<Vec<u8>, Trouble> {
        let mut answer = Answer::new();
        let mut left = MOST_ANSWER_BYTES.saturating_add(MOST_AROUND_BYTES);
        let mut piece = [0; PIECE_BYTES];
        loop {
            while let Some(event) = self.h2.next_event() {
                if answer.take(event)? {
                    return Ok(answer.finish()?);
                }
            }
            self.flush(deadline)?;
            let count = self.read(&mut piece, deadline)?;
            let Some(rest) = left.checked_sub(count) else {
                return Err(malformed("an answer without end").into());
            };
            left = rest;
            self.h2.receive(piece.get(..count).unwrap_or_default());
        }
    }

    fn read(&mut self, piece: &mut [u8], deadline: Deadline) -> Result<usize, Trouble> {
        loop {
            let ready = self.stream.set_read_timeout(Some(deadline.left()?));
            match ready.and_then(|()| self.stream.read(piece)) {
                Ok(0) => return Err(Trouble::Closed("the runtime closed the connection".into())),
                Ok(count) => return Ok(count),
                Err(error) => again(&error)?,
            }
        }
    }

    fn flush(&mut self, deadline: Deadline) -> Result<(), Trouble> {
        let bytes = self.h2.to_send();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let ready = self.stream.set_write_timeout(Some(deadline.left()?));
            match ready.and_then(|()| self.stream.write(rest)) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) => again(&error)?,
            }
        }
        Ok(())
    }
}

/// The time that connecting may take is that for sending: `connect` waits for room
/// in the queue of a runtime that accepts nobody.
fn open_stream(path: &Path, left: Duration) -> Result<UnixStream, Errno> {
    let kind = SocketType::STREAM;
    let socket = socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&socket, Timeout::Send, Some(left))?;
    let address = SocketAddrUnix::new(path)?;
    rustix::io::retry_on_intr(|| connect(&socket, &address))?;
    Ok(UnixStream::from(socket))
}

/// Whether it is worth another try: the deadline says when no more.
fn again(error: &io::Error) -> Result<(), Trouble> {
    use ErrorKind::{Interrupted, TimedOut, WouldBlock};
    if matches!(error.kind(), Interrupted | WouldBlock | TimedOut) {
        return Ok(());
    }
    Err(Trouble::Closed(error.to_string().into()))
}

fn malformed(what: impl Into<Box<str>>) -> Failure {
    Failure::Malformed(what.into())
}

/// What has come of an answer.
struct Answer {
    reader: AnswerReader,
    has_head: bool,
    code: Option<u32>,
    message: String,
}

impl Answer {
    const fn new() -> Self {
        Self {
            reader: AnswerReader::new(MOST_ANSWER_BYTES),
            has_head: false,
            code: None,
            message: String::new(),
        }
    }

    /// Answers whether that was the last of it.
    fn take(&mut self, event: Event) -> Result<bool, Trouble> {
        match event {
            Event::Fields(fields) => self.fields(&fields)?,
            Event::Data(piece) => self.reader.push(&piece).map_err(Failure::Malformed)?,
            Event::End => return Ok(true),
            Event::Closing(why) => return Err(Trouble::Closed(why)),
            Event::Broken(why) => return Err(Failure::Malformed(why).into()),
        }
        Ok(false)
    }

    fn fields(&mut self, fields: &[HeaderField]) -> Result<(), Failure> {
        let value = |name: &[u8]| {
            let field = fields.iter().find(|field| field.name == name);
            field.map(|field| field.value.as_slice())
        };
        if !core::mem::replace(&mut self.has_head, true) {
            check_head(value(b":status"), value(b"content-type"))?;
        }
        if let Some(text) = value(b"grpc-status") {
            let number = core::str::from_utf8(text)
                .ok()
                .and_then(|text| text.parse().ok());
            let what = || malformed(format!("a gRPC status of {}", Bytes::new(text).text()));
            self.code = Some(number.ok_or_else(what)?);
        }
        if let Some(text) = value(b"grpc-message") {
            self.message = words(text);
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<u8>, Failure> {
        match self.code {
            Some(0) => self.reader.finish().map_err(Failure::Malformed),
            Some(code) => Err(Failure::Refused {
                code,
                message: self.message.into(),
            }),
            None => Err(malformed("it ends without a gRPC status")),
        }
    }
}

fn check_head(status: Option<&[u8]>, content: Option<&[u8]>) -> Result<(), Failure> {
    let status = status.unwrap_or_default();
    if status != b"200" {
        return Err(malformed(format!("HTTP status {}", words(status))));
    }
    let content = content.unwrap_or_default();
    if !content.starts_with(b"application/grpc") {
        return Err(malformed(format!("content of type {}", words(content))));
    }
    Ok(())
}

/// A runtime's words for a log line: percent-decoded as gRPC has them encoded, on
/// one line, cut.
fn words(text: &[u8]) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let code = match after {
            [high, low, ..] if *first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match code {
            Some((high, low)) => {
                bytes.push(high << 4 | low);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    let text = Bytes::new(&bytes).text();
    let plain = |char: char| if char.is_control() { ' ' } else { char };
    text.chars().take(MOST_WORDS).map(plain).collect()
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}
