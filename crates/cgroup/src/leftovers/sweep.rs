use core::ffi::CStr;
use core::ops::ControlFlow;
use std::path::PathBuf;

use evictd_stats::{each_entry, is_gone};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{AtFlags, FileType, statat, unlinkat};
use rustix::io::Errno;

use super::{EMPTY_DIRS, Freed, Leftover, LeftoverKind, Root, enter};
use crate::Error;
use crate::process::Proc;

/// Directories nested deeper than this are left: each level costs a descriptor
/// and stack.
const DEEPEST: u32 = 256;

/// Errors that are kept.
const ERRORS: usize = 8;

/// What to do with what is no directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Files {
    Delete,
    Keep,
}

/// A deletion under way.
pub(super) struct Sweep<'a> {
    proc: &'a Proc,
    mount: u64,
    left: u64,
    spent: bool,
    path: PathBuf,
    freed: Freed,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(proc: &'a Proc, most: u64) -> Self {
        Self {
            proc,
            mount: 0,
            left: most,
            spent: false,
            path: PathBuf::new(),
            freed: Freed::default(),
        }
    }

    pub(super) const fn deleted(&self) -> u64 {
        self.freed.deleted
    }

    /// Whether something was left because the limit was reached.
    pub(super) const fn is_spent(&self) -> bool {
        self.spent
    }

    pub(super) fn into_freed(mut self) -> Freed {
        self.freed.finished = !self.spent;
        self.freed
    }

    pub(super) fn delete(&mut self, root: &Root, found: &Leftover) {
        if self.left == 0 {
            self.spent = true;
            return;
        }
        self.mount = root.mount;
        self.path = root.path.join(found.path());
        let (dir, pod) = (root.dir.as_fd(), found.pod.as_c_str());
        let done = match found.kind {
            LeftoverKind::PodLogs => {
                self.remove_dir(dir, pod, DEEPEST, Files::Delete);
                Ok(())
            }
            LeftoverKind::LogFile => self.log_file(dir, found),
            LeftoverKind::Volumes => {
                let emptied = self.empty_dirs(dir, pod);
                self.remove_dir(dir, pod, DEEPEST, Files::Keep);
                emptied
            }
        };
        if let Err(errno) = done {
            self.note(errno);
        }
    }

    fn log_file(&mut self, dir: BorrowedFd<'_>, found: &Leftover) -> Result<(), Errno> {
        let pod = enter(self.proc, dir, found.pod.as_c_str(), self.mount)?;
        let container = found.container.as_c_str();
        let container = enter(self.proc, pod.as_fd(), container, self.mount)?;
        let file = found.file.as_c_str();
        let stat = statat(&container, file, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
            self.unlink(container.as_fd(), file, AtFlags::empty())?;
        }
        Ok(())
    }

    /// Deletes the emptyDir volumes of a pod, but those that are mounted.
    fn empty_dirs(&mut self, dir: BorrowedFd<'_>, pod: &CStr) -> Result<(), Errno> {
        let mut at = enter(self.proc, dir, pod, self.mount)?;
        for name in EMPTY_DIRS {
            at = enter(self.proc, at.as_fd(), name, self.mount)?;
        }
        self.clear(at.as_fd(), DEEPEST, Files::Delete)
    }

    /// Deletes what is in a directory; with [`Files::Keep`], directories that
    /// are empty, and those that are so then.
    fn clear(&mut self, dir: BorrowedFd<'_>, depth: u32, files: Files) -> Result<(), Errno> {
        let all = each_entry(dir, &mut |name, kind| {
            if self.left == 0 {
                self.spent = true;
                return Ok(ControlFlow::Break(()));
            }
            // Not every filesystem tells the type; unlinking tells it as well.
            let is_file = match (kind, files) {
                (FileType::Directory, _) | (FileType::Unknown, Files::Keep) => false,
                (_, Files::Keep) => true,
                (_, Files::Delete) => match self.unlink(dir, name, AtFlags::empty()) {
                    Err(Errno::ISDIR) => false,
                    Err(errno) => {
                        self.note_at(name, errno);
                        true
                    }
                    Ok(()) => true,
                },
            };
            if !is_file {
                self.path.push(name.to_string_lossy().as_ref());
                self.remove_dir(dir, name, depth, files);
                self.path.pop();
            }
            Ok(ControlFlow::Continue(()))
        });
        all.map(drop)
    }

    /// Deletes a directory and what is in it.
    fn remove_dir(&mut self, at: BorrowedFd<'_>, name: &CStr, depth: u32, files: Files) {
        let emptied = match (depth.checked_sub(1), enter(self.proc, at, name, self.mount)) {
            (Some(depth), Ok(dir)) => self.clear(dir.as_fd(), depth, files),
            (None, Ok(_)) => Err(Errno::LOOP),
            (_, Err(errno)) => Err(errno),
        };
        let done = match emptied {
            Ok(()) if self.left == 0 => {
                self.spent = true;
                return;
            }
            Ok(()) => self.unlink(at, name, AtFlags::REMOVEDIR),
            // Where only empty directories go, the others are as they should be.
            Err(Errno::NOTDIR | Errno::LOOP) if files == Files::Keep => Ok(()),
            Err(errno) => Err(errno),
        };
        match done {
            // Something in it had to stay, and was told of.
            Ok(()) | Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            Err(errno) => self.note(errno),
        }
    }

    fn unlink(&mut self, at: BorrowedFd<'_>, name: &CStr, flags: AtFlags) -> Result<(), Errno> {
        unlinkat(at, name, flags)?;
        self.freed.deleted = self.freed.deleted.saturating_add(1);
        self.left = self.left.saturating_sub(1);
        Ok(())
    }

    fn note_at(&mut self, name: &CStr, errno: Errno) {
        self.path.push(name.to_string_lossy().as_ref());
        self.note(errno);
        self.path.pop();
    }

    /// Remembers an error. What is gone is done, and what is mounted is to stay.
    fn note(&mut self, errno: Errno) {
        let is_fine = is_gone(errno) || matches!(errno, Errno::XDEV | Errno::BUSY);
        if !is_fine && self.freed.errors.len() < ERRORS {
            let path = self.path.clone();
            self.freed.errors.push(Error { path, errno });
        }
    }
}
