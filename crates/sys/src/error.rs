use core::fmt;

use rustix::io::Errno;

/// A syscall of the pollable set failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// What was being done, as in "add a descriptor".
    pub doing: &'static str,
    /// What the kernel answered.
    pub errno: Errno,
}

impl Error {
    /// Whether what it was done to is not there, or no longer.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        matches!(self.errno, Errno::NOENT | Errno::NODEV)
    }

    /// For `map_err`: names what was being done.
    pub(crate) fn doing(doing: &'static str) -> impl Fn(Errno) -> Self {
        move |errno| Self { doing, errno }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.doing, self.errno)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.errno)
    }
}
