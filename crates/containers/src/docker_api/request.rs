use alloc::string::String;
use core::fmt::Write as _;

/// A request, to be sent as often as need be.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Without the query: what an error calls it.
    pub(crate) path: String,
    /// From the question mark on, or empty.
    pub(crate) query: String,
    /// JSON, or empty.
    pub(crate) body: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Delete,
}

impl Method {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

impl Request {
    pub(crate) fn new(method: Method, path: &str, query: &str) -> Self {
        Self {
            method,
            path: path.into(),
            query: query.into(),
            body: "",
        }
    }

    /// A request about one thing: `/containers/` `ID` `/stop`. Whatever the name
    /// holds, it stays one part of the path.
    pub(crate) fn about(method: Method, before: &str, name: &str, after: &str) -> Self {
        let mut path = String::from(before);
        push_segment(&mut path, name);
        path.push_str(after);
        Self::new(method, &path, "")
    }

    pub(crate) fn query(mut self, query: &str) -> Self {
        self.query = query.into();
        self
    }

    pub(crate) const fn body(mut self, body: &'static str) -> Self {
        self.body = body;
        self
    }

    /// What errors call it.
    pub(crate) fn call(&self) -> String {
        let mut call = String::from(self.method.name());
        call.push(' ');
        call.push_str(&crate::docker_api::clean(&self.path));
        call
    }

    /// Paths without a version mean the engine's current one, which Docker,
    /// Podman and balenaEngine all take; a fixed old one is refused by some
    /// (Docker 29 knows none before 1.44).
    pub(crate) fn text(&self) -> String {
        let mut text = String::with_capacity(256);
        for part in [
            self.method.name(),
            " ",
            &self.path,
            &self.query,
            " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: evictd\r\n",
        ] {
            text.push_str(part);
        }
        if !self.body.is_empty() {
            text.push_str("Content-Type: application/json\r\n");
        }
        if self.method == Method::Post {
            // Writing to a text does not fail.
            let _ = write!(text, "Content-Length: {}\r\n", self.body.len());
        }
        text.push_str("\r\n");
        text.push_str(self.body);
        text
    }
}

/// Appends a name as one part of a path. Names of images keep their slashes:
/// the engines take these, and not all of them take `%2F`.
fn push_segment(path: &mut String, name: &str) {
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => path.push(char::from(byte)),
            b'.' | b'_' | b'-' | b':' | b'@' | b'/' => path.push(char::from(byte)),
            _ => {
                let _ = write!(path, "%{byte:02X}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Method, Request};

    #[test]
    fn a_name_cannot_leave_its_place() {
        for (name, path) in [
            ("0a1b", "/containers/0a1b/stop"),
            (
                "a b?force=true\r\n",
                "/containers/a%20b%3Fforce%3Dtrue%0D%0A/stop",
            ),
            ("é#", "/containers/%C3%A9%23/stop"),
        ] {
            let request = Request::about(Method::Post, "/containers/", name, "/stop");
            assert_eq!(request.path, path, "{name:?}");
        }
    }

    #[test]
    fn texts() {
        let get = Request::new(Method::Get, "/version", "?a=1").text();
        assert_eq!(
            get,
            "GET /version?a=1 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: evictd\r\n\r\n"
        );
        let post = Request::new(Method::Post, "/x", "").body("{}").text();
        assert!(
            post.ends_with("\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
        );
    }
}
