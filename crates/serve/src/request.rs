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
    /// No request of HTTP/1; in one line, what would be right.
    Malformed(&'static str),
}

/// Reads the head of an HTTP/1 request (RFC 9112) as far as it is needed: the request
/// line is looked at as soon as it is there, header lines are passed over, and an
/// empty line ends it. Line feeds alone end lines too.
#[must_use]
pub fn parse_request(bytes: &[u8]) -> Parsed<'_> {
    let bytes = bytes.get(..MOST_BYTES).unwrap_or(bytes);
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
        return unfinished(bytes);
    };
    let (line, head) = bytes.split_at(end);
    let parsed = request_line(line.strip_suffix(b"\r").unwrap_or(line));
    let ends = |end: &[u8]| head.windows(end.len()).any(|part| part == end);
    if matches!(parsed, Parsed::Malformed(_)) || ends(b"\n\r\n") || ends(b"\n\n") {
        return parsed;
    }
    unfinished(bytes)
}

const fn unfinished(bytes: &[u8]) -> Parsed<'_> {
    if bytes.len() < MOST_BYTES {
        return Parsed::Incomplete;
    }
    Parsed::Malformed("a request has to end within 2048 bytes, with an empty line")
}

fn request_line(line: &[u8]) -> Parsed<'_> {
    const WRONG: Parsed<'_> =
        Parsed::Malformed("the first line has to be like: GET /metrics HTTP/1.1");
    let mut words = line.split(|byte| *byte == b' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return WRONG;
    };
    let is_version = matches!(version, [b'H', b'T', b'T', b'P', b'/', b'1', b'.', minor] if minor.is_ascii_digit());
    let is_method = !method.is_empty() && method.iter().all(u8::is_ascii_alphabetic);
    let is_path = target.first() == Some(&b'/') && target.iter().all(u8::is_ascii_graphic);
    if !(is_version && is_method && is_path) {
        return WRONG;
    }
    if method != b"GET" {
        return Parsed::OtherMethod;
    }
    let path = target.split(|byte| *byte == b'?').next();
    path.and_then(|path| core::str::from_utf8(path).ok())
        .map_or(WRONG, Parsed::Get)
}
