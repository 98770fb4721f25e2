use alloc::ffi::CString;
use core::ffi::CStr;
use core::mem::MaybeUninit;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_stats::is_gone;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, RawDir, SeekFrom, renameat, seek, statat, unlinkat};
use rustix::io::Errno;

use super::found::{Freed, Leftover, LeftoverKind};
use super::root::{EMPTY_DIRS, Root, enter};
use crate::Error;
use crate::process::Proc;

/// Directories that are open at a time. One that lies deeper is moved up to the top of its
/// tree and deleted from there, so that no depth takes more descriptors or memory.
const OPEN: usize = 32;

/// Room for the part of a listing that is read at a time.
const ENTRIES: usize = 8192;

/// Errors that are kept.
const ERRORS: usize = 8;

/// What to do with what is no directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Files {
    Delete,
    Keep,
}

/// A directory that is being deleted.
struct Level {
    dir: OwnedFd,
    name: CString,
    /// Directories in it, of the part of its listing that was read last.
    below: Vec<CString>,
}

/// A deletion under way.
pub(super) struct Sweep<'a> {
    proc: &'a Proc,
    mount: u64,
    /// Asked with each deletion, with how many there were.
    go_on: &'a mut dyn FnMut(u64) -> bool,
    stopped: bool,
    /// Directories that were moved up.
    moved: u64,
    path: PathBuf,
    freed: Freed,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(proc: &'a Proc, go_on: &'a mut dyn FnMut(u64) -> bool) -> Self {
        let stopped = !go_on(0);
        Self {
            proc,
            mount: 0,
            go_on,
            stopped,
            moved: 0,
            path: PathBuf::new(),
            freed: Freed::default(),
        }
    }

    pub(super) const fn deleted(&self) -> u64 {
        self.freed.deleted
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn into_freed(mut self) -> Freed {
        self.freed.finished = !self.stopped;
        self.freed
    }

    pub(super) fn delete(&mut self, root: &Root, found: &Leftover) {
        self.mount = root.mount;
        self.path = root.path.join(found.path());
        let (dir, pod) = (root.dir.as_fd(), found.pod.as_c_str());
        let done = match found.kind {
            LeftoverKind::PodLogs => self.remove_tree(dir, pod, Files::Delete),
            LeftoverKind::LogFile => self.log_file(dir, found),
            LeftoverKind::Volumes => {
                let emptied = self.empty_dirs(dir, pod);
                emptied.and(self.remove_tree(dir, pod, Files::Keep))
            }
        };
        if let Err(errno) = done {
            self.note(&[], c"", errno);
        }
    }

    /// Deletes all that is in a directory, which lies on that mount.
    pub(super) fn empty(&mut self, dir: OwnedFd, mount: u64) {
        self.mount = mount;
        self.clear(dir, Files::Delete);
    }

    /// Remembers an error.
    pub(super) fn note_at(&mut self, path: &Path, errno: Errno) {
        let path = path.to_path_buf();
        self.freed.errors.push(Error { path, errno });
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
            at = match enter(self.proc, at.as_fd(), name, self.mount) {
                // It has none, or something else stands there.
                Err(errno) if is_gone(errno) => return Ok(()),
                Err(Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => return Ok(()),
                entered => entered?,
            };
        }
        self.clear(at, Files::Delete);
        Ok(())
    }

    /// Deletes a directory with all that is in it.
    fn remove_tree(&mut self, at: BorrowedFd<'_>, name: &CStr, files: Files) -> Result<(), Errno> {
        let dir = enter(self.proc, at, name, self.mount)?;
        self.clear(dir, files);
        self.remove_dir(at, name)
    }

    /// Deletes what is in a directory; with [`Files::Keep`], directories that are empty, and
    /// those that are so then.
    fn clear(&mut self, top: OwnedFd, files: Files) {
        let name = CString::default();
        let below = Vec::new();
        let mut open = vec![Level {
            dir: top,
            name,
            below,
        }];
        let mut moved = self.moved;
        while !self.stopped {
            let Some(level) = open.last_mut() else {
                return;
            };
            if let Some(name) = level.below.pop() {
                self.go_down(&mut open, name, files);
                continue;
            }
            if self.list(&mut open, files) {
                continue;
            }
            let Some(done) = open.pop() else {
                return;
            };
            if let Some(above) = open.last() {
                if let Err(errno) = self.remove_dir(above.dir.as_fd(), &done.name) {
                    self.note(&open, &done.name, errno);
                }
            } else if core::mem::replace(&mut moved, self.moved) != self.moved
                && seek(&done.dir, SeekFrom::Start(0)).is_ok()
            {
                // What was moved up meanwhile may not have been listed.
                open.push(done);
            }
        }
    }

    /// Into a directory; one for which there is no descriptor left is moved up instead.
    fn go_down(&mut self, open: &mut Vec<Level>, name: CString, files: Files) {
        let (Some(top), Some(level)) = (open.first(), open.last()) else {
            return;
        };
        let entered = if open.len() < OPEN {
            let dir = enter(self.proc, level.dir.as_fd(), name.as_c_str(), self.mount);
            dir.map(Some)
        } else if files == Files::Keep {
            return;
        } else {
            self.move_up(level, &name, top).map(|()| None)
        };
        match entered {
            Ok(Some(dir)) => open.push(Level {
                dir,
                name,
                below: Vec::new(),
            }),
            Ok(None) => {}
            // Where only empty directories are deleted, the others are as they should be.
            Err(Errno::NOTDIR | Errno::LOOP) if files == Files::Keep => {}
            Err(errno) => self.note(open, &name, errno),
        }
    }

    fn move_up(&mut self, from: &Level, name: &CStr, top: &Level) -> Result<(), Errno> {
        loop {
            self.moved = self.moved.saturating_add(1);
            let free = format!(".evictd-{}", self.moved);
            match renameat(&from.dir, name, &top.dir, free.as_str()) {
                // That name is taken.
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                renamed => return renamed,
            }
        }
    }

    /// Deletes the files in the next part of the deepest directory's listing, and notes the
    /// directories. Returns whether there was such a part.
    fn list(&mut self, open: &mut [Level], files: Files) -> bool {
        let mut buffer = [MaybeUninit::<u8>::uninit(); ENTRIES];
        let (mut below, mut any) = (Vec::new(), false);
        let Some(level) = open.last() else {
            return false;
        };
        let mut entries = RawDir::new(&level.dir, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(errno) => {
                    self.note(open, c"", errno);
                    return false;
                }
            };
            any = true;
            let (name, kind) = (entry.file_name(), entry.file_type());
            if name != c"." && name != c".." {
                match self.delete_file(level.dir.as_fd(), name, kind, files) {
                    Ok(true) => {}
                    Ok(false) => below.push(name.to_owned()),
                    Err(errno) => self.note(open, name, errno),
                }
            }
            if self.stopped || entries.is_buffer_empty() {
                break;
            }
        }
        if let Some(level) = open.last_mut() {
            level.below = below;
        }
        any
    }

    /// Deletes what is no directory, or keeps it. Returns `false` for what may be one: not
    /// every filesystem tells the type, and unlinking tells it as well.
    fn delete_file(
        &mut self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        kind: FileType,
        files: Files,
    ) -> Result<bool, Errno> {
        match (kind, files) {
            (FileType::Directory, _) | (FileType::Unknown, Files::Keep) => Ok(false),
            (_, Files::Keep) => Ok(true),
            (_, Files::Delete) => match self.unlink(dir, name, AtFlags::empty()) {
                Err(Errno::ISDIR) => Ok(false),
                unlinked => unlinked.map(|()| true),
            },
        }
    }

    fn remove_dir(&mut self, at: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
        if self.stopped {
            return Ok(());
        }
        match self.unlink(at, name, AtFlags::REMOVEDIR) {
            // Something in it had to stay, and was told of.
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            removed => removed,
        }
    }

    fn unlink(&mut self, dir: BorrowedFd<'_>, name: &CStr, flags: AtFlags) -> Result<(), Errno> {
        unlinkat(dir, name, flags)?;
        self.freed.deleted = self.freed.deleted.saturating_add(1);
        self.stopped = !(self.go_on)(self.freed.deleted);
        Ok(())
    }

    /// Remembers an error, of a name in the deepest directory. What is gone is done, and what
    /// is mounted is to stay.
    fn note(&mut self, open: &[Level], name: &CStr, errno: Errno) {
        let is_fine = is_gone(errno) || matches!(errno, Errno::XDEV | Errno::BUSY);
        if is_fine || self.freed.errors.len() >= ERRORS {
            return;
        }
        let names = open.iter().map(|level| level.name.as_c_str());
        let names = names.chain([name]).filter(|name| !name.is_empty());
        let mut path = self.path.clone();
        path.extend(names.map(|name| OsStr::from_bytes(name.to_bytes())));
        self.freed.errors.push(Error { path, errno });
    }
}
