use httparse::{Header, Status};

use super::HttpErrorKind;

/// More header fields than any server of this API sends.
const MAX_FIELDS: usize = 64;

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// No answer yet: the real one follows.
    Interim,
    /// After so many bytes.
    Sized(usize),
    /// In chunks.
    Chunked,
    /// At the end of the stream.
    ToTheEnd,
}

pub(super) struct Head {
    pub(super) status: u16,
    pub(super) keeps_open: bool,
    pub(super) framing: Framing,
}

/// Reads a head, its blank line included.
pub(super) fn parse_head(text: &[u8]) -> Result<Head, HttpErrorKind> {
    const NO_HEAD: HttpErrorKind = HttpErrorKind::Head("not the head of an HTTP answer");
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut parsed = httparse::Response::new(&mut fields);
    match parsed.parse(text) {
        Ok(Status::Complete(length)) if length == text.len() => {}
        Err(httparse::Error::TooManyHeaders) => {
            return Err(HttpErrorKind::Head("more than 64 header fields"));
        }
        Ok(_) | Err(_) => return Err(NO_HEAD),
    }
    let status = parsed.code.ok_or(NO_HEAD)?;
    let framing = find_framing(status, parsed.headers)?;
    // HTTP/1.0 closes unless it says otherwise, 1.1 keeps open unless it does.
    let asked = if parsed.version == Some(0) {
        has_token(parsed.headers, "connection", "keep-alive")
    } else {
        !has_token(parsed.headers, "connection", "close")
    };
    Ok(Head {
        status,
        keeps_open: asked && framing != Framing::ToTheEnd,
        framing,
    })
}

/// RFC 9112, section 6.3. What is ambiguous there is refused.
fn find_framing(status: u16, fields: &[Header<'_>]) -> Result<Framing, HttpErrorKind> {
    match status {
        // Nobody asked for another protocol.
        ..100 | 101 | 600.. => return Err(HttpErrorKind::Head("a status that makes no sense")),
        102..200 | 100 => return Ok(Framing::Interim),
        204 | 304 => return Ok(Framing::Sized(0)),
        200..600 => {}
    }
    let length = find_length(fields)?;
    let mut codings = values(fields, "transfer-encoding");
    match (codings.next(), length) {
        (None, Some(length)) => Ok(Framing::Sized(length)),
        (None, None) => Ok(Framing::ToTheEnd),
        (Some(coding), None) if coding.eq_ignore_ascii_case(b"chunked") => match codings.next() {
            None => Ok(Framing::Chunked),
            Some(_) => Err(HttpErrorKind::Framing("two transfer encodings")),
        },
        (Some(_), None) => Err(HttpErrorKind::Framing("an unknown transfer encoding")),
        (Some(_), Some(_)) => Err(HttpErrorKind::Framing("both a length and chunks")),
    }
}

fn find_length(fields: &[Header<'_>]) -> Result<Option<usize>, HttpErrorKind> {
    let mut found = None;
    for value in values(fields, "content-length") {
        let length = parse_length(value).ok_or(HttpErrorKind::Framing("a length that is none"))?;
        if found.is_some_and(|found| found != length) {
            return Err(HttpErrorKind::Framing("two different lengths"));
        }
        found = Some(length);
    }
    Ok(found)
}

fn parse_length(digits: &[u8]) -> Option<usize> {
    // The standard parser would take a sign.
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    core::str::from_utf8(digits).ok()?.parse().ok()
}

fn values<'a>(fields: &'a [Header<'_>], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    fields
        .iter()
        .filter(move |field| field.name.eq_ignore_ascii_case(name))
        .map(|field| field.value.trim_ascii())
}

fn has_token(fields: &[Header<'_>], name: &str, token: &str) -> bool {
    values(fields, name)
        .flat_map(|value| value.split(|byte| *byte == b','))
        .any(|found| found.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
}
