//! HTTP/1.1 answers, read from a stream: no socket, no clock.
//!
//! RFC 9112 as far as a client of one server needs it: answers of a stated
//! length, in chunks, until the connection ends, or without a body; interim
//! answers (100 to 199) are passed over. What is ambiguous is refused. The stream
//! bounds how much is read in all.

use std::io::{BufRead, ErrorKind, Read};

use httparse::{Header, Status};

use crate::Failure;
use crate::socket::MOST_ANSWER_BYTES;

/// How long the head of an answer may be, and what stands around its chunks.
const MOST_HEAD_BYTES: usize = 64 << 10;
/// More header fields than any server of this API sends.
const MOST_FIELDS: usize = 64;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The status code, at least 200.
    pub status: u16,
    /// The body, out of its chunks.
    pub body: Vec<u8>,
}

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// No answer yet: the real one follows.
    Interim,
    Sized(u64),
    Chunked,
    ToTheEnd,
}

/// Reads one answer and not a byte beyond it.
///
/// # Errors
/// When that is no answer, or not all of one; and what the stream returns.
///
/// ```
/// use evictd_containers::docker::read_response;
///
/// let mut stream: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK and more";
/// let response = read_response(&mut stream)?;
/// assert_eq!((response.body.as_slice(), stream), (&b"OK"[..], &b" and more"[..]));
/// # Ok::<(), evictd_containers::Failure>(())
/// ```
pub fn read_response(stream: &mut impl BufRead) -> Result<Response, Failure> {
    let (status, framing) = read_head(stream)?;
    read_body(stream, status, framing)
}

/// Reads the head of an answer whose body goes on until the connection ends. `None` where it
/// is one of these; any other answer is read whole.
pub(super) fn begin_stream(stream: &mut impl BufRead) -> Result<Option<Response>, Failure> {
    match read_head(stream)? {
        (200, Framing::ToTheEnd) => Ok(None),
        (status, framing) => read_body(stream, status, framing).map(Some),
    }
}

fn read_head(stream: &mut impl BufRead) -> Result<(u16, Framing), Failure> {
    loop {
        let mut head = Vec::new();
        read_lines(stream, &mut head)?;
        match parse_head(&head)? {
            (_, Framing::Interim) => {}
            head => return Ok(head),
        }
    }
}

fn read_body(
    stream: &mut impl BufRead,
    status: u16,
    framing: Framing,
) -> Result<Response, Failure> {
    let mut body = Vec::new();
    match framing {
        Framing::Interim => {}
        Framing::Sized(length) => read_part(stream, length, &mut body)?,
        Framing::Chunked => read_chunks(stream, &mut body)?,
        Framing::ToTheEnd => drop(stream.read_to_end(&mut body)?),
    }
    Ok(Response { status, body })
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

fn read_part(stream: &mut impl BufRead, length: u64, body: &mut Vec<u8>) -> Result<(), Failure> {
    match usize::try_from(length) {
        // No more than that is ever held: what grows by itself takes twice as much.
        Ok(more) if more <= MOST_ANSWER_BYTES => body.reserve_exact(more),
        _ => {
            let most = MOST_ANSWER_BYTES;
            let odd = format!("an answer of {length} bytes; at most {most} are read");
            return Err(Failure::malformed(odd));
        }
    }
    let read = stream.by_ref().take(length).read_to_end(body)?;
    if u64::try_from(read) == Ok(length) {
        Ok(())
    } else {
        Err(cut_off())
    }
}

/// RFC 9112, section 7.1.
fn read_chunks(stream: &mut impl BufRead, body: &mut Vec<u8>) -> Result<(), Failure> {
    let broken = || Failure::malformed("a broken chunk");
    let mut line = Vec::new();
    loop {
        line.clear();
        read_line(stream, &mut line)?;
        // The parser takes a line without any digit for the last chunk.
        let has_digit = line.first().is_some_and(u8::is_ascii_hexdigit);
        let size = match httparse::parse_chunk_size(&line) {
            Ok(Status::Complete((length, size))) if has_digit && length == line.len() => size,
            Ok(_) | Err(_) => return Err(broken()),
        };
        if size == 0 {
            // A trailer may follow, which is not read.
            return read_lines(stream, &mut line);
        }
        read_part(stream, size, body)?;
        let mut end = [0; 2];
        match stream.read_exact(&mut end) {
            Ok(()) if end == *b"\r\n" => {}
            Ok(()) => return Err(broken()),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(cut_off()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Reads a head, its blank line included: the status, and how the body ends.
fn parse_head(text: &[u8]) -> Result<(u16, Framing), Failure> {
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
    let framing = find_framing(status, parsed.headers).map_err(Failure::malformed)?;
    Ok((status, framing))
}

/// RFC 9112, section 6.3. What is ambiguous there is refused.
fn find_framing(status: u16, fields: &[Header<'_>]) -> Result<Framing, &'static str> {
    match status {
        // No other protocol was asked for.
        ..100 | 101 | 600.. => return Err("a status that makes no sense"),
        102..200 | 100 => return Ok(Framing::Interim),
        204 | 304 => return Ok(Framing::Sized(0)),
        200..600 => {}
    }
    let length = find_length(fields)?;
    let codings: Vec<&[u8]> = values(fields, "transfer-encoding").collect();
    match (codings.as_slice(), length) {
        ([], Some(length)) => Ok(Framing::Sized(length)),
        ([], None) => Ok(Framing::ToTheEnd),
        ([_, ..], Some(_)) => Err("both a length and chunks"),
        ([coding], None) if coding.eq_ignore_ascii_case(b"chunked") => Ok(Framing::Chunked),
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
