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

/// What a system call that answers 0 when all went well has answered.
pub(crate) fn done(answer: libc::c_long) -> Result<(), Errno> {
    if answer == 0 {
        Ok(())
    } else {
        Err(last_errno())
    }
}

/// The calling thread's `errno`, for a call that has just failed.
pub(crate) fn last_errno() -> Errno {
    // The standard library reads errno without unsafe; it cannot be absent
    // after a failed libc call.
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
