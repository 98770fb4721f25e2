use httparse::Status;

/// The most that a request may be long, all header lines included.
pub const MOST_BYTES: usize = 2048;

/// What the bytes are that a peer has sent so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed<'a> {
    /// The beginning of a request.
    Incomplete,
    /// A whole GET request for this path, which begins with `/`; a query is left out.
    Get(&'a str),
    /// A whole POST request for this path. A body is not read.
    Post(&'a str),
    /// A request with another method.
    OtherMethod,
    /// No request of HTTP/1; what would be right, as a line of text.
    Malformed(&'static str),
}

/// Parses the head of an HTTP/1 request as far as it is needed: header lines are passed
/// over.
#[must_use]
pub fn parse_request(bytes: &[u8]) -> Parsed<'_> {
    let bytes = bytes.get(..MOST_BYTES).unwrap_or(bytes);
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(Status::Partial) if bytes.len() < MOST_BYTES => Parsed::Incomplete,
        Ok(Status::Partial) => {
            Parsed::Malformed("a request has to end within 2048 bytes, with an empty line\n")
        }
        Ok(Status::Complete(_)) => {
            let path = request.path.and_then(path);
            match request.method {
                Some("GET") => path.map_or(MALFORMED, Parsed::Get),
                Some("POST") => path.map_or(MALFORMED, Parsed::Post),
                _ => Parsed::OtherMethod,
            }
        }
        Err(_) => MALFORMED,
    }
}

const MALFORMED: Parsed<'_> =
    Parsed::Malformed("the first line has to be like: GET /metrics HTTP/1.1\n");

/// The target without its query, if it is a plain path.
fn path(target: &str) -> Option<&str> {
    let is_plain = target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic());
    is_plain.then(|| target.split('?').next().unwrap_or(target))
}

#[cfg(test)]
mod tests;
