//! The responses that the daemon's socket and its listener for HTTP write, and that a command reads.

/// The media type of what is for people.
const TEXT: &str = "text/plain";

/// What is answered to one request: a status, and a text of some media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// What stands behind `HTTP/1.1`.
    status: &'static str,
    /// The methods that the path takes, where it does not take this one.
    allow: Option<&'static str>,
    media: &'static str,
    text: String,
}

impl Response {
    /// 200: what was asked for.
    #[must_use]
    pub const fn found(media: &'static str, text: String) -> Self {
        Self {
            status: "200 OK",
            allow: None,
            media,
            text,
        }
    }

    /// An answer for people.
    #[must_use]
    pub const fn of_text(text: String) -> Self {
        Self::found(TEXT, text)
    }

    /// 404: there is no such path; the text says which there are.
    #[must_use]
    pub fn not_found(text: &str) -> Self {
        Self::refusal("404 Not Found", text)
    }

    /// 405: the path takes only these methods.
    #[must_use]
    pub fn takes_only(methods: &'static str, text: &str) -> Self {
        Self {
            allow: Some(methods),
            ..Self::refusal("405 Method Not Allowed", text)
        }
    }

    /// 400: it is no request; the text says what would be right.
    #[must_use]
    pub fn malformed(right: &str) -> Self {
        Self::refusal("400 Bad Request", right)
    }

    /// 503: what is asked for cannot be had now; the text says why.
    #[must_use]
    pub fn unavailable(why: &str) -> Self {
        Self::refusal("503 Service Unavailable", why)
    }

    fn refusal(status: &'static str, text: &str) -> Self {
        Self {
            status,
            ..Self::of_text(text.to_owned())
        }
    }

    /// All of it, as it is sent.
    #[must_use]
    pub fn in_text(&self) -> String {
        let Self {
            status,
            allow,
            media,
            text,
        } = self;
        let allow = allow.map(|methods| format!("\r\nAllow: {methods}"));
        let (allow, length) = (allow.unwrap_or_default(), text.len());
        format!(
            "HTTP/1.1 {status}{allow}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{text}"
        )
    }
}

/// The body of an answer with status 200; `None` too where it is not as long as the head
/// says: what does not fit the daemon's buffer, or is too long for the client, is cut.
#[doc(hidden)]
#[must_use]
pub fn find_body(answer: &[u8]) -> Option<&str> {
    let (head, body) = core::str::from_utf8(answer).ok()?.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let is_fine = lines.next()?.starts_with("HTTP/1.1 200 ");
    let length = lines.find_map(|line| line.strip_prefix("Content-Length: "))?;
    (is_fine && length == body.len().to_string()).then_some(body)
}
