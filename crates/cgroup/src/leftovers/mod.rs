//! What pods left on the disk: listed, and deleted when somebody decides so.
//!
//! Only two directories are ever looked into, those that [`Leftovers::open`] is
//! given, and what is below them is reached by directory descriptors alone: no
//! symbolic link is followed, and no directory is entered that is mounted there,
//! bind mounts included (each descriptor's mount id is compared, from
//! `/proc/self/fdinfo`, since Linux 3.15). So nothing outside can be reached,
//! whatever is renamed meanwhile.

mod list;
mod memory;
mod sweep;
#[cfg(test)]
mod tests;

use alloc::ffi::CString;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_stats::is_gone;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, fstatvfs, openat};
use rustix::io::Errno;

use crate::Error;
use crate::dir::{open_dir, read_file};
use crate::process::Proc;
use sweep::Sweep;

/// Where the volumes of a pod lie that may be emptied.
const EMPTY_DIRS: [&str; 2] = ["volumes", "kubernetes.io~empty-dir"];

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

/// A directory that was given.
#[derive(Debug)]
struct Root {
    path: PathBuf,
    dir: OwnedFd,
    mount: u64,
}

/// The directories in which pods leave something.
#[derive(Debug)]
pub struct Leftovers {
    proc: Proc,
    logs: Option<Root>,
    pods: Option<Root>,
}

impl Leftovers {
    /// Opens the directory of pod logs and the one of the pods, `pods` below
    /// `root_dir`. One that is not given or not there has nothing in it.
    ///
    /// # Errors
    ///
    /// When one that exists, or `proc`, cannot be opened.
    pub fn open(
        proc: &Path,
        pod_logs_dir: Option<&Path>,
        root_dir: Option<&Path>,
    ) -> Result<Self, Error> {
        let at = |path: &Path, errno| Error {
            path: path.to_path_buf(),
            errno,
        };
        let opened = Proc::open(proc).map_err(|errno| at(proc, errno))?;
        let root = |path: Option<&Path>, below: Option<&str>| {
            let Some(path) = path else {
                return Ok(None);
            };
            let root = Root::open(&opened, path, below);
            root.map_err(|errno| at(path, errno))
        };
        Ok(Self {
            logs: root(pod_logs_dir, None)?,
            pods: root(root_dir, Some("pods"))?,
            proc: opened,
        })
    }

    /// The whole path of something that was found.
    #[must_use]
    pub fn path(&self, found: &Leftover) -> PathBuf {
        let root = self.root(found.kind).map(|root| root.path.as_path());
        root.unwrap_or(Path::new("")).join(found.path())
    }

    const fn root(&self, kind: LeftoverKind) -> Option<&Root> {
        match kind {
            LeftoverKind::PodLogs | LeftoverKind::LogFile => self.logs.as_ref(),
            LeftoverKind::Volumes => self.pods.as_ref(),
        }
    }

    /// Deletes these, in this order, to their end and at any depth, and calls `each` with
    /// each one that is done and how much that was. What is gone already is done.
    ///
    /// `go_on` is asked before the first deletion and after each, with how many there were:
    /// it may stop it all. That takes as long as it takes: not to be called in a loop.
    pub fn delete<'a>(
        &self,
        chosen: &mut dyn Iterator<Item = &'a Leftover>,
        go_on: &mut dyn FnMut(u64) -> bool,
        each: &mut dyn FnMut(&Leftover, u64),
    ) -> Freed {
        let before = self.free();
        let mut sweep = Sweep::new(&self.proc, go_on);
        for found in chosen {
            if sweep.is_stopped() {
                break;
            }
            let Some(root) = self.root(found.kind) else {
                continue;
            };
            let deleted = sweep.deleted();
            sweep.delete(root, found);
            if !sweep.is_stopped() {
                each(found, sweep.deleted().saturating_sub(deleted));
            }
        }
        let mut freed = sweep.into_freed();
        let after = self.free();
        freed.bytes = after.0.saturating_sub(before.0);
        freed.inodes = after.1.saturating_sub(before.1);
        freed
    }

    /// Free bytes and inodes of the filesystems; of one that is both, once.
    fn free(&self) -> (u64, u64) {
        let mut sum = (0_u64, 0_u64);
        let mut last = None;
        for root in [&self.logs, &self.pods].into_iter().flatten() {
            let device = rustix::fs::fstat(&root.dir).map(|stat| stat.st_dev).ok();
            if last.replace(device) == Some(device) {
                continue;
            }
            if let Ok(free) = fstatvfs(&root.dir) {
                let bytes = free.f_bfree.saturating_mul(free.f_frsize);
                sum.0 = sum.0.saturating_add(bytes);
                sum.1 = sum.1.saturating_add(free.f_ffree);
            }
        }
        sum
    }
}

impl Root {
    /// The directory itself may be a link, as the operator named it; what is
    /// below may not.
    fn open(proc: &Proc, path: &Path, below: Option<&str>) -> Result<Option<Self>, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = openat(CWD, path, flags, Mode::empty());
        let opened = match below {
            Some(name) => opened.and_then(|dir| open_dir(dir, name)),
            None => opened,
        };
        let dir = match opened {
            Ok(dir) => dir,
            Err(errno) if is_gone(errno) => return Ok(None),
            Err(errno) => return Err(errno),
        };
        let mount = mount_id(proc, dir.as_fd())?;
        let path = below.map_or_else(|| path.to_path_buf(), |name| path.join(name));
        Ok(Some(Self { path, dir, mount }))
    }
}

/// The mount that an open file lies on.
fn mount_id(proc: &Proc, file: BorrowedFd<'_>) -> Result<u64, Errno> {
    let mut text = Vec::new();
    let name = format!("self/fdinfo/{}", file.as_raw_fd());
    read_file(proc.fd(), name.as_str(), &mut text)?;
    find_mount_id(&text).ok_or(Errno::BADMSG)
}

/// Finds it in the text of `/proc/self/fdinfo/FD`.
#[doc(hidden)]
#[must_use]
pub fn find_mount_id(text: &[u8]) -> Option<u64> {
    let mut lines = core::str::from_utf8(text).ok()?.lines();
    let id = lines.find_map(|line| line.strip_prefix("mnt_id:"))?;
    id.trim().parse().ok()
}

/// Opens a directory below another one, if it lies on the same mount; `EXDEV`
/// if something is mounted there, `ELOOP` or `ENOTDIR` for a link.
fn enter(
    proc: &Proc,
    at: BorrowedFd<'_>,
    name: impl rustix::path::Arg,
    mount: u64,
) -> Result<OwnedFd, Errno> {
    let dir = open_dir(at, name)?;
    if mount_id(proc, dir.as_fd())? == mount {
        Ok(dir)
    } else {
        Err(Errno::XDEV)
    }
}
