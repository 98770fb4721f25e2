use core::fmt::{self, Display};
use std::path::Path;

/// Why the state cannot be read, or cannot be kept on disk, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) String);

impl Error {
    /// What happened to that file or directory.
    pub(crate) fn at<E: Display>(path: &Path) -> impl Fn(E) -> Self {
        move |what| Self(format!("{}: {what}", path.display()))
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Error {}
