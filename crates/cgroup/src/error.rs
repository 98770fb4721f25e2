use core::fmt;
use std::path::PathBuf;

use rustix::io::Errno;

/// A call to the kernel failed, and on which path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The file or directory.
    pub path: PathBuf,
    /// What the kernel answered.
    pub errno: Errno,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.errno)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.errno)
    }
}

/// Why a text cannot be a `--pod-cgroup-root`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootError {
    /// It is empty or `/`: every process of the machine would belong to some
    /// pod.
    Whole,
    /// It holds `.` or `..`; where the part begins, in bytes.
    Dots(usize),
    /// It holds a byte that no path can have (NUL); where, in bytes.
    Nul(usize),
}

impl fmt::Display for RootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str(
                "the root of the hierarchy cannot be a pod cgroup root: name a cgroup whose children are pods",
            ),
            Self::Dots(at) => write!(f, "\".\" or \"..\" at byte {at}: name the cgroup itself"),
            Self::Nul(at) => write!(f, "a NUL byte at byte {at}"),
        }
    }
}

impl core::error::Error for RootError {}
