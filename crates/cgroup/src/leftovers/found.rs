use alloc::ffi::CString;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::Error;

/// What kind of thing a pod left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftoverKind {
    /// The directory of a pod's logs, `NAMESPACE_NAME_UID`.
    PodLogs,
    /// A log file: `NAMESPACE_NAME_UID/CONTAINER/FILE`.
    LogFile,
    /// The directory of a pod, `pods/UID` below the root directory. Of it go
    /// the emptyDir volumes and then what directories are empty.
    Volumes,
}

/// Something that a pod left on the disk, or still uses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leftover {
    /// What it is.
    pub kind: LeftoverKind,
    /// The name of the pod's directory.
    pub pod: CString,
    /// The name of the container's directory; empty where there is none.
    pub container: CString,
    /// The name of the file; empty where there is none.
    pub file: CString,
    /// What it takes on the disk; `None` for volumes, which are not walked.
    pub bytes: Option<u64>,
    /// When it was last written to, in seconds since 1970; of a directory, the
    /// newest time among what was looked at.
    pub modified_seconds: i64,
}

impl Leftover {
    /// Its path below the directory that it was found in.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let parts = [&self.pod, &self.container, &self.file];
        let parts = parts.iter().filter(|part| !part.is_empty());
        parts
            .map(|part| OsStr::from_bytes(part.to_bytes()))
            .collect()
    }
}

/// What was freed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Freed {
    /// Bytes that the filesystems have more than before, by `statvfs`: less
    /// than what was deleted where a process still holds a file open, or where
    /// others write meanwhile.
    pub bytes: u64,
    /// Inodes that they have more than before.
    pub inodes: u64,
    /// Files and directories that were deleted.
    pub deleted: u64,
    /// Whether all was deleted, except for what is in `errors` or mounted;
    /// otherwise it was stopped, and another call goes on.
    pub finished: bool,
    /// What could not be deleted: the first few.
    pub errors: Vec<Error>,
}
