use core::fmt::Write as _;

/// Where the names of images stand.
pub(super) const IMAGES: &str = "/images/";

/// Appends a part of a path. Two dots would be a step up, however they are written; so
/// dots alone are written as the text `%2E`, which nothing is called.
fn escape(part: &str, path: &mut String) {
    let is_dots = matches!(part, "." | "..");
    for byte in part.bytes() {
        if is_dots {
            path.push_str("%252E");
        } else if byte.is_ascii_alphanumeric() || b"._-:@".contains(&byte) {
            path.push(char::from(byte));
        } else {
            // Writing to a text does not fail.
            let _ = write!(path, "%{byte:02X}");
        }
    }
}

/// A request, to be sent as often as need be.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: &'static str,
    /// Without the query: what an error calls it.
    pub(super) path: String,
    /// From the question mark on, or empty.
    query: String,
    version: &'static str,
}

impl Request {
    pub(super) fn new(method: &'static str, path: &str, query: &str) -> Self {
        Self {
            method,
            path: path.into(),
            query: query.into(),
            version: "1.1",
        }
    }

    /// Asks with HTTP/1.0, which no server answers in chunks.
    pub(super) fn without_chunks(self) -> Self {
        let version = "1.0";
        Self { version, ..self }
    }

    /// A request about one thing: `/containers/` `ID` `/stop`. Whatever the name
    /// holds, it stays one part of the path; names of images keep their slashes,
    /// as not all engines take `%2F`.
    pub(super) fn about(method: &'static str, before: &str, name: &str, after: &str) -> Self {
        let mut path = String::from(before);
        let slash = if before == IMAGES { "/" } else { "%2F" };
        for (index, part) in name.split('/').enumerate() {
            path.push_str(if index > 0 { slash } else { "" });
            escape(part, &mut path);
        }
        path.push_str(after);
        Self::new(method, &path, "")
    }

    pub(super) fn query(mut self, query: &str) -> Self {
        self.query = query.into();
        self
    }

    /// What is sent; no request here has a body. Paths without a version mean the engine's current one, which
    /// Docker, Podman and balenaEngine all take; a fixed old one is refused by some
    /// (Docker 29 knows none before 1.44).
    pub(super) fn text(&self) -> String {
        let Self {
            method,
            path,
            query,
            version,
        } = self;
        let mut text = format!(
            "{method} {path}{query} HTTP/{version}\r\nHost: localhost\r\nUser-Agent: evictd\r\n"
        );
        if *method == "POST" {
            text.push_str("Content-Length: 0\r\n");
        }
        text + "\r\n"
    }
}
