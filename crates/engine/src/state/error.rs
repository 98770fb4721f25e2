use core::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why the state cannot be read, or cannot be kept on disk.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// It is longer than [`MAX_BYTES`](crate::state::MAX_BYTES).
    TooLarge,
    /// It is no JSON: where it stops being.
    Text {
        /// From 1.
        line: usize,
        /// From 1; 0 at the very beginning of a line.
        column: usize,
    },
    /// It is JSON, but no state of evictd, or one of a version that this one
    /// does not know: what is missing or wrong.
    Foreign(&'static str),
    /// The state file cannot be read as one.
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong in it.
        error: Box<Self>,
    },
    /// The kernel said no.
    Io {
        /// To what.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// Others than the daemon's user may write in the directory, and could make
    /// it write elsewhere.
    Unsafe(PathBuf),
    /// Another daemon uses the directory.
    Locked(PathBuf),
}

impl Error {
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io {
            path: path.to_owned(),
            error,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "longer than {} bytes", crate::state::MAX_BYTES),
            Self::Text { line, column } => write!(f, "no JSON at line {line} column {column}"),
            Self::Foreign(what) => write!(f, "no state of evictd: {what}"),
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Unsafe(path) => write!(
                f,
                "{}: others may write in it; it must belong to evictd's user and have mode 0755 \
                 or less",
                path.display()
            ),
            Self::Locked(path) => write!(f, "{}: another evictd uses it", path.display()),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::File { error, .. } => Some(error.as_ref()),
            Self::TooLarge
            | Self::Text { .. }
            | Self::Foreign(_)
            | Self::Unsafe(_)
            | Self::Locked(_) => None,
        }
    }
}
