use core::fmt;
use std::path::{Path, PathBuf};

use evictd_kerntext::ParseError;
use rustix::io::Errno;

/// Whether an errno says that a file, process or cgroup does not exist (any
/// more).
///
/// `ENOENT` from opening, `ESRCH` from a process, `ENODEV` from a file of a
/// removed cgroup that was still open.
#[must_use]
pub const fn is_gone(errno: Errno) -> bool {
    matches!(errno, Errno::NOENT | Errno::SRCH | Errno::NODEV)
}

/// Why a reading failed, without the path: what the inner functions return, so
/// that a file which is expected to be missing costs no allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Errno(Errno),
    Text(ParseError),
    /// A key that the kernel always writes is not there.
    Key(&'static str),
    /// A field that is there and is no number.
    Field(&'static str),
    /// A number that cannot be.
    Impossible(&'static str),
    /// The kernel gave no thread to ask with.
    NoThread(Errno),
}

impl Cause {
    /// What should be read is not there, or no longer: a removed cgroup, an ended process.
    pub(crate) const fn is_gone(self) -> bool {
        matches!(self, Self::Errno(errno) if is_gone(errno))
    }

    /// The kernel does not have it, or was told not to count it: with `psi=0` Linux 4.20 to 5.1
    /// shows the files of pressure, and refuses to read them.
    pub(crate) const fn is_not_told(self) -> bool {
        self.is_gone() || matches!(self, Self::Errno(Errno::OPNOTSUPP))
    }

    pub(crate) fn at(self, path: impl Into<PathBuf>) -> Error {
        Error {
            path: path.into(),
            cause: self,
        }
    }
}

impl From<Errno> for Cause {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

impl From<ParseError> for Cause {
    fn from(error: ParseError) -> Self {
        Self::Text(error)
    }
}

/// A failed reading, before anybody wants the path: that of a kept file, or the name of
/// a file in a directory that the caller knows.
#[derive(Debug)]
pub(crate) struct Failed<'a> {
    pub(crate) cause: Cause,
    pub(crate) path: &'a Path,
}

impl Failed<'_> {
    pub(crate) fn error(self) -> Error {
        self.cause.at(self.path)
    }

    /// The error, unless it only says that the file is not there.
    pub(crate) fn unless_gone(self) -> Option<Error> {
        (!self.cause.is_gone()).then(|| self.error())
    }
}

/// A failed reading: of which file, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub(crate) path: PathBuf,
    pub(crate) cause: Cause,
}

/// What reading returns.
pub type Result<T> = core::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match self.cause {
            Cause::Errno(errno) => errno.fmt(f),
            Cause::Text(error) => error.fmt(f),
            Cause::Key(key) => write!(f, "{key} is missing"),
            Cause::Field(key) => write!(f, "{key} has no valid value"),
            Cause::Impossible(what) => write!(f, "{what} cannot be that much"),
            Cause::NoThread(errno) => write!(f, "no thread to ask it with: {errno}"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.cause {
            Cause::Errno(errno) | Cause::NoThread(errno) => Some(errno),
            Cause::Text(error) => Some(error),
            Cause::Key(_) | Cause::Field(_) | Cause::Impossible(_) => None,
        }
    }
}
