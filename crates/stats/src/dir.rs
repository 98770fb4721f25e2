use core::mem::MaybeUninit;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, RawDir, openat};
use rustix::io::Errno;

use crate::error::Cause;
use crate::file::{Buffer, open_from};
use crate::{Class, Error, Result, is_gone};

/// An open cgroup directory.
///
/// What is reached through it belongs to this very cgroup: one that is removed
/// and made anew under the same name is another. The path is kept for messages
/// alone.
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    path: PathBuf,
}

impl Dir {
    /// A directory that is open already; the path is for messages alone.
    #[must_use]
    pub const fn new(fd: OwnedFd, path: PathBuf) -> Self {
        Self { fd, path }
    }

    /// Opens a directory by its path.
    ///
    /// # Errors
    /// As openat(2); [`crate::Class::Gone`] when it is not there.
    pub fn open(path: &Path) -> Result<Self> {
        Self::at(CWD, path, path)
    }

    /// Opens a directory below this one by its name; never follows a link.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn open_child(&self, name: &OsStr) -> Result<Self> {
        Self::at(self.fd.as_fd(), Path::new(name), &self.path.join(name))
    }

    fn at(from: BorrowedFd<'_>, name: &Path, path: &Path) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match openat(from, name, flags, Mode::empty()) {
            Ok(fd) => Ok(Self {
                fd,
                path: path.to_owned(),
            }),
            Err(errno) => Err(Cause::from(errno).at(path)),
        }
    }

    /// The path it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the cgroup has been removed since it was opened: a live one has
    /// a `cgroup.procs`, on v1 and on v2.
    #[must_use]
    pub fn is_removed(&self) -> bool {
        open_from(&self.fd, c"cgroup.procs").is_err_and(is_gone)
    }

    /// Reads one of its files into the buffer and returns the text.
    ///
    /// # Errors
    /// As openat(2) and pread(2); [`crate::Class::Gone`] when the file is not
    /// there, be it that the cgroup is gone or that it has no such controller.
    pub fn read<'a>(&self, name: &str, buffer: &'a mut Buffer) -> Result<&'a [u8]> {
        match self.fill(name, buffer) {
            Ok(()) => Ok(buffer.text()),
            Err(errno) => Err(Cause::from(errno).at(self.path.join(name))),
        }
    }

    fn fill(&self, name: &str, buffer: &mut Buffer) -> core::result::Result<(), Errno> {
        buffer.fill(open_from(&self.fd, name)?)
    }

    /// Reads one of its files, one that the kernel shows in one piece, and
    /// parses what is in it.
    pub(crate) fn parse<T>(
        &self,
        name: &'static str,
        buffer: &mut Buffer,
        parse: impl FnOnce(&Buffer) -> core::result::Result<T, Cause>,
    ) -> core::result::Result<T, FailedIn<'_>> {
        let filled = open_from(&self.fd, name).and_then(|file| buffer.fill_shown(file));
        let parsed = filled.map_err(Cause::from).and_then(|()| parse(buffer));
        parsed.map_err(|cause| FailedIn {
            cause,
            dir: &self.path,
            name,
        })
    }

    /// The names of the directories right below: the child cgroups, in no
    /// particular order.
    ///
    /// # Errors
    /// As openat(2) and getdents(2).
    pub fn children(&self) -> Result<Vec<OsString>> {
        self.child_names()
            .map_err(|errno| Cause::from(errno).at(&self.path))
    }

    /// Through a descriptor of its own: the offset of this one would have to
    /// be wound back each time.
    fn child_names(&self) -> core::result::Result<Vec<OsString>, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let listing = openat(&self.fd, c".", flags, Mode::empty())?;
        let mut space = [MaybeUninit::uninit(); 4096];
        let mut entries = RawDir::new(listing, &mut space);
        let mut names = Vec::new();
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if entry.file_type() == FileType::Directory && name != b"." && name != b".." {
                names.push(OsString::from_vec(name.to_vec()));
            }
        }
        Ok(names)
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// A failed reading of one of a directory's files, before anybody wants the
/// path.
#[derive(Debug)]
pub(crate) struct FailedIn<'a> {
    cause: Cause,
    dir: &'a Path,
    name: &'static str,
}

impl FailedIn<'_> {
    /// The error, unless it only says that the file is not there.
    pub(crate) fn unless_gone(self) -> Option<Error> {
        (self.cause.class() != Class::Gone).then(|| self.cause.at(self.dir.join(self.name)))
    }
}

/// How deep [`count_processes`] goes: container runtimes nest three or four
/// levels below a pod, and a tree that is deeper is counted in part.
const DEEPEST: u32 = 16;

/// Processes in a cgroup and all below it, by their `cgroup.procs`. Children
/// that vanish or cannot be read meanwhile are left out.
pub(crate) fn count_processes(dir: &Dir, buffer: &mut Buffer) -> core::result::Result<u64, Errno> {
    count_down(dir, buffer, DEEPEST)
}

fn count_down(dir: &Dir, buffer: &mut Buffer, levels: u32) -> core::result::Result<u64, Errno> {
    dir.fill("cgroup.procs", buffer)?;
    let lines = buffer.text().iter().filter(|byte| **byte == b'\n').count();
    let mut sum = u64::try_from(lines).unwrap_or(u64::MAX);
    let Some(below) = levels.checked_sub(1) else {
        return Ok(sum);
    };
    for name in dir.child_names()? {
        let child = dir.open_child(&name);
        let count = child.map(|child| count_down(&child, buffer, below).unwrap_or(0));
        sum = sum.saturating_add(count.unwrap_or(0));
    }
    Ok(sum)
}
