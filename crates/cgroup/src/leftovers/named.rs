use core::ffi::CStr;
use core::ops::ControlFlow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_stats::{Walked, each_entry, is_gone};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{AtFlags, FileType, Stat, fstat, unlinkat};
use rustix::io::Errno;

use super::list::stat;
use super::root::{Root, enter, free};
use crate::Error;
use crate::process::Proc;

/// Directories below each other that are looked into; what lies deeper stays.
const LEVELS: usize = 32;

/// A directory that the operator named, for its files to be looked at and deleted.
///
/// What is below it is reached as in [`Leftovers`](super::Leftovers), and no part of its own
/// path may be a link either.
#[derive(Debug)]
pub struct NamedDir {
    proc: Proc,
    root: Root,
    device: u64,
}

/// A regular file in such a directory.
#[derive(Debug)]
pub struct NamedFile<'a> {
    dir: BorrowedFd<'a>,
    above: &'a Path,
    name: &'a CStr,
    stat: Stat,
}

/// How a walk over such a directory went.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct NamedWalk {
    /// Files, directories and others that were met.
    pub entries: u64,
    /// Whether there were more than were to be looked at, or directories too deep.
    pub has_left_out: bool,
    /// The first of what could not be looked into.
    pub unread: Option<Error>,
}

impl NamedDir {
    /// Opens it; `None` where it is not there.
    ///
    /// # Errors
    /// When it is no directory, is reached through a link, or it or `proc` cannot be opened.
    pub fn open(proc: &Path, path: &Path) -> Result<Option<Self>, Error> {
        let at = |path: &Path, errno| Error {
            path: path.to_path_buf(),
            errno,
        };
        let opened = Proc::open(proc).map_err(|errno| at(proc, errno))?;
        let root = Root::open_plain(&opened, path).map_err(|errno| at(path, errno))?;
        let Some(root) = root else {
            return Ok(None);
        };
        let found = fstat(&root.dir).map_err(|errno| at(path, errno))?;
        Ok(Some(Self {
            proc: opened,
            root,
            device: device(&found),
        }))
    }

    /// Its `st_dev`.
    #[must_use]
    pub const fn device(&self) -> u64 {
        self.device
    }

    /// Free bytes and inodes of its filesystem.
    #[must_use]
    pub fn free(&self) -> (u64, u64) {
        free(self.root.dir.as_fd())
    }

    /// Calls `visit` with each regular file that lies on its filesystem, in no particular
    /// order, until it breaks or `most` entries were met. What vanishes meanwhile is left
    /// out.
    pub fn each_file(
        &self,
        most: u64,
        visit: &mut dyn FnMut(&NamedFile<'_>) -> ControlFlow<()>,
    ) -> NamedWalk {
        let mut walk = Walk {
            named: self,
            most,
            visit,
            above: self.root.path.clone(),
            done: NamedWalk::default(),
        };
        if let Err(errno) = walk.below(self.root.dir.as_fd(), LEVELS) {
            walk.note(c"", errno);
        }
        walk.done
    }
}

struct Walk<'a> {
    named: &'a NamedDir,
    most: u64,
    visit: &'a mut dyn FnMut(&NamedFile<'_>) -> ControlFlow<()>,
    /// The directory that is being listed.
    above: PathBuf,
    done: NamedWalk,
}

impl Walk<'_> {
    fn below(&mut self, dir: BorrowedFd<'_>, levels: usize) -> Walked {
        each_entry(dir, &mut |name, kind| {
            if self.done.entries >= self.most {
                self.done.has_left_out = true;
                return Ok(ControlFlow::Break(()));
            }
            self.done.entries = self.done.entries.saturating_add(1);
            let looked = self.look_at(dir, name, kind, levels);
            Ok(looked.unwrap_or_else(|errno| {
                self.note(name, errno);
                ControlFlow::Continue(())
            }))
        })
    }

    fn look_at(
        &mut self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        kind: FileType,
        levels: usize,
    ) -> Walked {
        if kind == FileType::Directory {
            return self.go_down(dir, name, levels);
        }
        // Not every filesystem tells the type of an entry.
        let may_be_one = matches!(kind, FileType::RegularFile | FileType::Unknown);
        let Some(stat) = may_be_one.then(|| stat(dir, name)).transpose()?.flatten() else {
            return Ok(ControlFlow::Continue(()));
        };
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind == FileType::Directory {
            return self.go_down(dir, name, levels);
        }
        if kind != FileType::RegularFile || device(&stat) != self.named.device {
            return Ok(ControlFlow::Continue(()));
        }
        let above = &self.above;
        Ok((self.visit)(&NamedFile {
            dir,
            above,
            name,
            stat,
        }))
    }

    fn go_down(&mut self, dir: BorrowedFd<'_>, name: &CStr, levels: usize) -> Walked {
        let Some(levels) = levels.checked_sub(1) else {
            self.done.has_left_out = true;
            return Ok(ControlFlow::Continue(()));
        };
        let below = enter(&self.named.proc, dir, name, self.named.root.mount)?;
        self.above.push(OsStr::from_bytes(name.to_bytes()));
        let walked = self.below(below.as_fd(), levels);
        self.above.pop();
        walked
    }

    /// Remembers what could not be looked into; links and what is mounted are no failure.
    fn note(&mut self, name: &CStr, errno: Errno) {
        let is_fine = is_gone(errno) || matches!(errno, Errno::XDEV | Errno::NOTDIR | Errno::LOOP);
        if !is_fine && self.done.unread.is_none() {
            let path = path_of(&self.above, name);
            self.done.unread = Some(Error { path, errno });
        }
    }
}

impl NamedFile<'_> {
    /// When it was last written to, in nanoseconds since 1970.
    #[must_use]
    pub fn modified_nanos(&self) -> i64 {
        nanos(self.stat.st_mtime, self.stat.st_mtime_nsec.into())
    }

    /// When it last changed in any way, in nanoseconds since 1970.
    #[must_use]
    pub fn changed_nanos(&self) -> i64 {
        nanos(self.stat.st_ctime, self.stat.st_ctime_nsec.into())
    }

    /// What it takes on the disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        wide(self.stat.st_blocks.into()).saturating_mul(512)
    }

    /// How many names it has.
    #[must_use]
    pub fn links(&self) -> u64 {
        wide(self.stat.st_nlink.into())
    }

    /// Deletes it. What is gone already is no error.
    ///
    /// # Errors
    /// As unlink(2).
    pub fn delete(&self) -> Result<(), Error> {
        match unlinkat(self.dir, self.name, AtFlags::empty()) {
            Err(errno) if !is_gone(errno) => Err(Error {
                path: path_of(self.above, self.name),
                errno,
            }),
            _ => Ok(()),
        }
    }
}

fn path_of(above: &Path, name: &CStr) -> PathBuf {
    match name.to_bytes() {
        b"" => above.to_path_buf(),
        name => above.join(OsStr::from_bytes(name)),
    }
}

fn device(stat: &Stat) -> u64 {
    wide(stat.st_dev.into())
}

/// The numbers have other widths on each processor.
fn wide(number: i128) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn nanos(seconds: i64, below: i128) -> i64 {
    let below = i64::try_from(below).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(below)
}
