use core::fmt::{self, Display};
#[cfg(feature = "files")]
use std::path::Path;

/// Why the state cannot be read, or cannot be kept on disk, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    text: String,
    /// Whether it is that another daemon keeps its state there.
    pub is_in_use: bool,
}

#[cfg(feature = "files")]
impl Error {
    /// What happened to that file or directory.
    pub(crate) fn at<E: Display>(path: &Path) -> impl Fn(E) -> Self + use<E> {
        let path = path.display().to_string();
        move |what| Self::new(format!("{path}: {what}"))
    }

    pub(crate) fn in_use(path: &Path) -> Self {
        Self {
            is_in_use: true,
            ..Self::at(path)("another evictd uses it")
        }
    }
}

impl Error {
    pub(crate) const fn new(text: String) -> Self {
        Self {
            text,
            is_in_use: false,
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl core::error::Error for Error {}
