use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use evictd_kerntext::pids;
use rustix::fs::{FileType, Mode, OFlags, RawDir, SeekFrom, fstat, openat, seek};
use rustix::io::Errno;
use smallvec::SmallVec;

use crate::error::is_gone;
use crate::file::{Buffer, open_from};
use crate::lack::noted_lack;

/// How directories are opened: never through a link.
pub(crate) const DIR: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW);

/// Opens a directory so.
pub(crate) fn open_dir(at: impl AsFd, path: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
    openat(at, path, DIR, Mode::empty()).map_err(noted_lack)
}

/// Processes in a cgroup and all below it, by their `cgroup.procs`. Children
/// that vanish or cannot be read meanwhile are left out.
pub(crate) fn count_processes(dir: BorrowedFd<'_>, buffer: &mut Buffer) -> Result<u64, Errno> {
    let mut sum = 0_usize;
    each_procs(dir, buffer, &mut |text| {
        sum += text.iter().filter(|byte| **byte == b'\n').count();
    })?;
    Ok(u64::try_from(sum).unwrap_or(u64::MAX))
}

/// More processes than that are not listed.
const MOST_PROCESSES: usize = 1 << 16;

/// Adds the processes in a cgroup and all below it.
pub(crate) fn list_processes(
    dir: BorrowedFd<'_>,
    buffer: &mut Buffer,
    all: &mut Vec<i32>,
) -> Result<(), Errno> {
    each_procs(dir, buffer, &mut |text| {
        let left = MOST_PROCESSES.saturating_sub(all.len());
        all.extend(pids(text).flatten().take(left));
    })
}

/// Calls `visit` with the text of `cgroup.procs` of a cgroup and all below it.
fn each_procs(
    dir: BorrowedFd<'_>,
    buffer: &mut Buffer,
    visit: &mut dyn FnMut(&[u8]),
) -> Result<(), Errno> {
    let mut is_top = true;
    let _all = walk(dir, &mut |dir| {
        let filled = open_from(dir, c"cgroup.procs").and_then(|file| buffer.fill(file));
        match filled {
            Ok(()) => visit(buffer.text()),
            Err(errno) if is_top => return Err(errno),
            Err(_) => {}
        }
        is_top = false;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(())
}

/// Levels of cgroups for which a walk asks no memory.
const USUAL_LEVELS: usize = 32;

/// What a walk found in one directory.
enum Found {
    /// All of it has been visited.
    End,
    /// `visit` has had enough.
    Enough,
    /// A child with children of its own, and where to go on after it.
    Below(OwnedFd, u64),
}

/// Calls `visit` for a cgroup and everything below it, parents first, until it breaks.
/// Cgroups that vanish meanwhile are left out.
///
/// They may be nested to any depth: it holds two descriptors at a time, goes up again by
/// `..`, and keeps of each level only where to go on there.
///
/// # Errors
///
/// What `visit` returns, and what opening and listing give.
pub fn walk(top: BorrowedFd<'_>, visit: &mut dyn FnMut(BorrowedFd<'_>) -> Walked) -> Walked {
    if visit(top)?.is_break() {
        return Ok(ControlFlow::Break(()));
    }
    let mut above = SmallVec::<[u64; USUAL_LEVELS]>::new();
    let (mut inner, mut from): (Option<OwnedFd>, u64) = (None, 0);
    if is_leaf(top) {
        return Ok(ControlFlow::Continue(()));
    }
    loop {
        let here = inner.as_ref().map_or(top, AsFd::as_fd);
        match visit_children(here, from, visit) {
            Ok(Found::Enough) => return Ok(ControlFlow::Break(())),
            Ok(Found::Below(child, next)) => {
                above.push(next);
                (inner, from) = (Some(child), 0);
                continue;
            }
            Ok(Found::End) => {}
            Err(errno) if is_gone(errno) => {}
            Err(errno) => return Err(errno),
        }
        let Some(next) = above.pop() else {
            return Ok(ControlFlow::Continue(()));
        };
        from = next;
        inner = match above.len() {
            0 => None,
            _ => Some(open_dir(here, c"..")?),
        };
    }
}

/// Visits the children of a directory, from a place in it on, until one has children.
fn visit_children(
    dir: BorrowedFd<'_>,
    from: u64,
    visit: &mut dyn FnMut(BorrowedFd<'_>) -> Walked,
) -> Result<Found, Errno> {
    seek(dir, SeekFrom::Start(from))?;
    let mut buffer = [MaybeUninit::<u8>::uninit(); ENTRIES];
    let mut entries = RawDir::new(dir, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type() != FileType::Directory || name == c"." || name == c".." {
            continue;
        }
        let child = match open_dir(dir, name) {
            Ok(child) => child,
            Err(errno) if is_gone(errno) => continue,
            Err(errno) => return Err(errno),
        };
        if visit(child.as_fd())?.is_break() {
            return Ok(Found::Enough);
        }
        if !is_leaf(child.as_fd()) {
            return Ok(Found::Below(child, entry.next_entry_cookie()));
        }
    }
    Ok(Found::End)
}

/// Whether nothing is below a cgroup: its directory then has two links, its name and its
/// `.`. Listing it would cost three calls and the names of all its files.
fn is_leaf(dir: BorrowedFd<'_>) -> bool {
    fstat(dir).is_ok_and(|found| found.st_nlink == 2)
}

/// Room for directory entries, on the stack: a cgroup's own files at once.
const ENTRIES: usize = 2048;

/// Whether a walk was broken off, or what failed in it.
pub type Walked = Result<ControlFlow<()>, Errno>;

/// As [`each_entry`], for directories alone: a cgroup's children, without its files.
///
/// # Errors
///
/// As there.
pub fn each_child(dir: BorrowedFd<'_>, visit: &mut dyn FnMut(&CStr) -> Walked) -> Walked {
    each_entry(dir, &mut |name, kind| {
        if kind == FileType::Directory {
            visit(name)
        } else {
            Ok(ControlFlow::Continue(()))
        }
    })
}

/// Calls `visit` with the name and type of each entry of an open directory but the dots,
/// in no particular order, until it breaks. Not every filesystem tells the type. The
/// position in a directory belongs to the open file: nobody else may walk through this
/// descriptor meanwhile.
///
/// # Errors
///
/// As lseek(2) and getdents(2), and what `visit` returns.
pub fn each_entry(dir: BorrowedFd<'_>, visit: &mut dyn FnMut(&CStr, FileType) -> Walked) -> Walked {
    // A former walk has left it at the end.
    seek(dir, SeekFrom::Start(0))?;
    let mut buffer = [MaybeUninit::<u8>::uninit(); ENTRIES];
    let mut entries = RawDir::new(dir, &mut buffer);
    let mut has_failed = false;
    while let Some(entry) = entries.next() {
        let entry = match entry {
            // It stands where it stood: once, the next one is asked for again.
            Err(errno) if !is_gone(errno) && !core::mem::replace(&mut has_failed, true) => continue,
            entry => entry?,
        };
        let name = entry.file_name();
        let dots = name == c"." || name == c"..";
        if !dots && visit(name, entry.file_type())?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
