//! HTTP/1.1 answers, read from a stream: no socket, no clock.
//!
//! RFC 9112 as far as a client of one server needs it: answers of a stated
//! length, in chunks, until the connection ends, or without a body; interim
//! answers (100 to 199) are passed over. What is ambiguous is refused. A body is a stream
//! itself, of any length: of it no more is in memory than its reader keeps.

use std::io::{self, BufRead, ErrorKind, Read};

use httparse::{Header, Status};

use crate::Failure;

/// How long the head of an answer may be, and what stands around its chunks.
const MOST_HEAD_BYTES: usize = 64 << 10;
/// More header fields than any server of this API sends.
const MOST_FIELDS: usize = 64;

/// An answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Response<S> {
    /// The status code, at least 200.
    pub status: u16,
    /// The body, out of its chunks.
    pub body: Body<S>,
}

/// The body of an answer. It ends where the answer ends; where the stream ends before, reading
/// fails with a [`Failure`].
#[derive(Debug)]
pub struct Body<S> {
    stream: S,
    rest: Rest,
}

/// What is left of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    Sized(u64),
    /// The size of a chunk comes next.
    Chunks,
    /// So much of a chunk, its end, and more chunks.
    Chunk(u64),
    ToTheEnd,
}

/// Reads the head of an answer; its body is read as need be.
///
/// # Errors
/// When that is no answer; and what the stream returns.
///
/// ```
/// use std::io::Read;
///
/// use evictd_containers::docker::read_response;
///
/// let mut stream: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK and more";
/// let mut text = String::new();
/// read_response(&mut stream)?.body.read_to_string(&mut text)?;
/// assert_eq!((text.as_str(), stream), ("OK", &b" and more"[..]));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub fn read_response<S: BufRead>(mut stream: S) -> Result<Response<S>, Failure> {
    let (status, rest) = read_head(&mut stream)?;
    let body = Body { stream, rest };
    Ok(Response { status, body })
}

fn read_head(stream: &mut impl BufRead) -> Result<(u16, Rest), Failure> {
    loop {
        let mut head = Vec::new();
        read_lines(stream, &mut head)?;
        // An interim answer is none: the real one follows.
        if let (status, Some(rest)) = parse_head(&head)? {
            return Ok((status, rest));
        }
    }
}

impl<S: BufRead> Body<S> {
    /// The stream itself, where the body goes on until the connection ends.
    pub(super) fn into_endless(self) -> Option<S> {
        (self.rest == Rest::ToTheEnd).then_some(self.stream)
    }

    /// Reads up to a byte of the body that is there, or to its end.
    fn step(&mut self) -> Result<(), Failure> {
        if self.rest == Rest::Chunk(0) {
            end_chunk(&mut self.stream)?;
            self.rest = Rest::Chunks;
        }
        if self.rest == Rest::Chunks {
            self.rest = match begin_chunk(&mut self.stream)? {
                0 => Rest::Sized(0),
                size => Rest::Chunk(size),
            };
        }
        Ok(())
    }
}

impl<S: BufRead> BufRead for Body<S> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.step()?;
        let left = match self.rest {
            Rest::Sized(0) => return Ok(&[]),
            Rest::Sized(left) | Rest::Chunk(left) => left,
            Rest::Chunks | Rest::ToTheEnd => return self.stream.fill_buf(),
        };
        let bytes = self.stream.fill_buf()?;
        if bytes.is_empty() {
            return Err(cut_off().into());
        }
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        Ok(bytes.get(..left).unwrap_or(bytes))
    }

    fn consume(&mut self, count: usize) {
        self.stream.consume(count);
        if let Rest::Sized(left) | Rest::Chunk(left) = &mut self.rest {
            *left = left.saturating_sub(u64::try_from(count).unwrap_or(u64::MAX));
        }
    }
}

impl<S: BufRead> Read for Body<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

/// Reads lines up to a blank one that is not the first.
fn read_lines(stream: &mut impl BufRead, lines: &mut Vec<u8>) -> Result<(), Failure> {
    while !lines.ends_with(b"\n\r\n") && !lines.ends_with(b"\n\n") {
        read_line(stream, lines)?;
    }
    Ok(())
}

/// Reads one line with its end; all that is in `lines` then is bounded.
fn read_line(stream: &mut impl BufRead, lines: &mut Vec<u8>) -> Result<(), Failure> {
    let left = MOST_HEAD_BYTES.saturating_sub(lines.len());
    if left == 0 {
        return Err(Failure::malformed("a head of more than 64 KiB"));
    }
    let left = u64::try_from(left).unwrap_or(u64::MAX);
    let read = stream.by_ref().take(left).read_until(b'\n', lines)?;
    // A line that fills the room is read on, and refused, by the next call.
    let is_whole = lines.ends_with(b"\n") || lines.len() == MOST_HEAD_BYTES;
    if read > 0 && is_whole {
        Ok(())
    } else {
        Err(cut_off())
    }
}

fn cut_off() -> Failure {
    Failure::malformed("the stream ended within the answer")
}

/// The size of the chunk that comes next; 0 of the last one, with all that follows it
/// (RFC 9112, section 7.1).
fn begin_chunk(stream: &mut impl BufRead) -> Result<u64, Failure> {
    let mut line = Vec::new();
    read_line(stream, &mut line)?;
    // The parser takes a line without any digit for the last chunk.
    let has_digit = line.first().is_some_and(u8::is_ascii_hexdigit);
    let size = match httparse::parse_chunk_size(&line) {
        Ok(Status::Complete((length, size))) if has_digit && length == line.len() => size,
        Ok(_) | Err(_) => return Err(broken_chunk()),
    };
    if size == 0 {
        // A trailer may follow, which is not read.
        read_lines(stream, &mut line)?;
    }
    Ok(size)
}

fn end_chunk(stream: &mut impl BufRead) -> Result<(), Failure> {
    let mut end = [0; 2];
    match stream.read_exact(&mut end) {
        Ok(()) if end == *b"\r\n" => Ok(()),
        Ok(()) => Err(broken_chunk()),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(cut_off()),
        Err(error) => Err(error.into()),
    }
}

fn broken_chunk() -> Failure {
    Failure::malformed("a broken chunk")
}

/// Reads a head, its blank line included: the status, and how the body ends; `None` of an
/// interim answer.
fn parse_head(text: &[u8]) -> Result<(u16, Option<Rest>), Failure> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut parsed = httparse::Response::new(&mut fields);
    let status = match parsed.parse(text) {
        Ok(Status::Complete(length)) if length == text.len() => parsed.code,
        Err(httparse::Error::TooManyHeaders) => {
            return Err(Failure::malformed("more than 64 header fields"));
        }
        Ok(_) | Err(_) => None,
    };
    let status = status.ok_or_else(|| Failure::malformed("not the head of an HTTP answer"))?;
    let rest = find_rest(status, parsed.headers).map_err(Failure::malformed)?;
    Ok((status, rest))
}

/// RFC 9112, section 6.3. What is ambiguous there is refused.
fn find_rest(status: u16, fields: &[Header<'_>]) -> Result<Option<Rest>, &'static str> {
    match status {
        // No other protocol was asked for.
        ..100 | 101 | 600.. => return Err("a status that makes no sense"),
        102..200 | 100 => return Ok(None),
        204 | 304 => return Ok(Some(Rest::Sized(0))),
        200..600 => {}
    }
    let length = find_length(fields)?;
    let codings: Vec<&[u8]> = values(fields, "transfer-encoding").collect();
    match (codings.as_slice(), length) {
        ([], Some(length)) => Ok(Some(Rest::Sized(length))),
        ([], None) => Ok(Some(Rest::ToTheEnd)),
        ([_, ..], Some(_)) => Err("both a length and chunks"),
        ([coding], None) if coding.eq_ignore_ascii_case(b"chunked") => Ok(Some(Rest::Chunks)),
        ([_, ..], None) => Err("an unknown transfer encoding"),
    }
}

fn find_length(fields: &[Header<'_>]) -> Result<Option<u64>, &'static str> {
    let mut found = None;
    for value in values(fields, "content-length") {
        // The standard parser would take a sign.
        let digits = value.iter().all(u8::is_ascii_digit);
        let text = core::str::from_utf8(value).ok().filter(|_| digits);
        let length = text.and_then(|text| text.parse().ok());
        let length = length.ok_or("a length that is none")?;
        if found.is_some_and(|found| found != length) {
            return Err("two different lengths");
        }
        found = Some(length);
    }
    Ok(found)
}

fn values<'a>(fields: &'a [Header<'_>], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let of_name = fields
        .iter()
        .filter(move |field| field.name.eq_ignore_ascii_case(name));
    of_name.map(|field| field.value.trim_ascii())
}
