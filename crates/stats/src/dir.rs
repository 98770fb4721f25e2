use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ops::ControlFlow;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, RawDir, SeekFrom, openat, seek};
use rustix::io::Errno;

use crate::error::Cause;
use crate::file::{Buffer, open_from};
use crate::{Class, Error, Result, is_gone};

/// How directories are opened: never through a link.
const DIR: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW);

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
        match openat(from, name, DIR, Mode::empty()) {
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
        let mut names = Vec::new();
        let listed = each_child(self.fd.as_fd(), &mut |name| {
            names.push(OsStr::from_bytes(name.to_bytes()).to_owned());
            Ok(ControlFlow::Continue(()))
        });
        match listed {
            Ok(_) => Ok(names),
            Err(errno) => Err(Cause::from(errno).at(&self.path)),
        }
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
    count_down(dir.fd.as_fd(), buffer, DEEPEST)
}

fn count_down(
    dir: BorrowedFd<'_>,
    buffer: &mut Buffer,
    levels: u32,
) -> core::result::Result<u64, Errno> {
    buffer.fill(open_from(dir, c"cgroup.procs")?)?;
    let lines = buffer.text().iter().filter(|byte| **byte == b'\n').count();
    let mut sum = u64::try_from(lines).unwrap_or(u64::MAX);
    let Some(below) = levels.checked_sub(1) else {
        return Ok(sum);
    };
    let _all = each_child(dir, &mut |name| {
        let child = openat(dir, name, DIR, Mode::empty());
        let count = child.and_then(|child| count_down(child.as_fd(), buffer, below));
        sum = sum.saturating_add(count.unwrap_or(0));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(sum)
}

/// Room for directory entries, on the stack: a cgroup's own files at once.
const ENTRIES: usize = 2048;

/// Calls `visit` with the name of each directory right below an open one, in no
/// particular order, until it breaks. The position in a directory belongs to the open
/// file: nobody else may walk through this descriptor meanwhile.
///
/// # Errors
///
/// As lseek(2) and getdents(2), and what `visit` returns.
pub fn each_child(
    dir: BorrowedFd<'_>,
    visit: &mut dyn FnMut(&CStr) -> core::result::Result<ControlFlow<()>, Errno>,
) -> core::result::Result<ControlFlow<()>, Errno> {
    // A former walk has left it at the end.
    seek(dir, SeekFrom::Start(0))?;
    let mut room = [MaybeUninit::<u8>::uninit(); ENTRIES];
    let mut entries = RawDir::new(dir, &mut room);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name();
        let dots = name == c"." || name == c"..";
        if !dots && entry.file_type() == FileType::Directory && visit(name)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
