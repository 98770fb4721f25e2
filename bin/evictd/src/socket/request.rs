/// The most that a request may be long, all header lines included.
pub const MOST_BYTES: usize = 2048;

/// What the bytes are that a peer has sent so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed<'a> {
    /// The beginning of a request.
    Incomplete,
    /// A whole GET request for this path, which begins with `/`; a query is left out.
    Get(&'a str),
    /// A request with another method.
    OtherMethod,
    /// No request of HTTP/1; what would be right, as a line of text.
    Malformed(&'static str),
}

/// Reads the head of an HTTP/1 request (RFC 9112) as far as it is needed: the request
/// line is looked at as soon as it is there, header lines are passed over, and an
/// empty line ends it. Line feeds alone end lines too.
#[must_use]
pub fn parse_request(bytes: &[u8]) -> Parsed<'_> {
    let bytes = bytes.get(..MOST_BYTES).unwrap_or(bytes);
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    // What follows the last line feed is no line yet.
    let mut rest = lines.rev();
    if rest.next().is_none() {
        return unfinished(bytes);
    }
    let Some(parsed) = request_line(first) else {
        return Parsed::Malformed("the first line has to be like: GET /metrics HTTP/1.1\n");
    };
    if rest.any(|line| matches!(line, b"" | b"\r")) {
        return parsed;
    }
    unfinished(bytes)
}

const fn unfinished(bytes: &[u8]) -> Parsed<'_> {
    if bytes.len() < MOST_BYTES {
        return Parsed::Incomplete;
    }
    Parsed::Malformed("a request has to end within 2048 bytes, with an empty line\n")
}

/// `METHOD PATH HTTP/1.N`, or `None`.
fn request_line(line: &[u8]) -> Option<Parsed<'_>> {
    let is_blank = |byte: &u8| *byte == b' ';
    let (first, last) = (
        line.iter().position(is_blank)?,
        line.iter().rposition(is_blank)?,
    );
    let target = line.get(first.wrapping_add(1)..last)?;
    let is_path = target.first() == Some(&b'/') && target.iter().all(u8::is_ascii_graphic);
    let version = line.get(last..)?;
    let is_method = line.first()?.is_ascii_uppercase();
    if !(is_path && is_method && version.starts_with(b" HTTP/1.")) {
        return None;
    }
    if !line.starts_with(b"GET ") {
        return Some(Parsed::OtherMethod);
    }
    let query = target.iter().position(|byte| *byte == b'?');
    let path = target.get(..query.unwrap_or(target.len()))?;
    core::str::from_utf8(path).ok().map(Parsed::Get)
}
