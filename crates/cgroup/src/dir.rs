//! Cgroup directories by descriptor: a path could lead elsewhere by the time it
//! is used, a descriptor stays with the cgroup it was opened for.

use core::ffi::CStr;
use core::ops::ControlFlow;

pub(crate) use evictd_stats::each_child;
use evictd_stats::{Hierarchies, Hierarchy, Walked, is_gone};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, fstat, openat};
use rustix::io::{Errno, read, retry_on_intr, write};
use rustix::path::Arg;

/// Cgroups nested deeper than this below a pod are refused rather than walked:
/// each level costs a descriptor and stack.
pub(crate) const DEEPEST: u32 = 48;

/// What the kernel shows of a list at once.
pub(crate) const PAGE: usize = 4096;

/// Opens a directory below another one (or below [`rustix::fs::CWD`]).
pub(crate) fn open_dir(at: impl AsFd, path: impl Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, path, flags, Mode::empty())
}

/// The hierarchies in the order in which they may say what belongs to a pod:
/// memory, whose shortage it is mostly about, then pids, then the unified one,
/// then the freezer.
pub(crate) fn by_rank(hierarchies: &Hierarchies) -> impl Iterator<Item = &Hierarchy> {
    let order = [
        &hierarchies.memory,
        &hierarchies.pids,
        &hierarchies.unified,
        &hierarchies.freezer,
    ];
    order.into_iter().flatten()
}

/// Reads a whole file of a directory into `buffer`, which is cleared first.
pub(crate) fn read_file(at: impl AsFd, name: impl Arg, buffer: &mut Vec<u8>) -> Result<(), Errno> {
    buffer.clear();
    let file = openat(at, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    loop {
        if buffer.capacity().saturating_sub(buffer.len()) < PAGE / 4 {
            buffer.reserve(PAGE);
        }
        let spare = rustix::buffer::spare_capacity(buffer);
        match read(&file, spare) {
            Ok(0) => return Ok(()),
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Reads a file of a directory that the kernel gives in one piece, as much of it as
/// there is room for.
pub(crate) fn read_start<'a>(
    at: BorrowedFd<'_>,
    name: &CStr,
    room: &'a mut [u8],
) -> Result<&'a [u8], Errno> {
    let file = openat(at, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let length = retry_on_intr(|| read(&file, &mut *room))?;
    Ok(room.get(..length).unwrap_or_default())
}

/// Writes a word into a control file, in one call as the kernel wants it.
pub(crate) fn write_file(at: BorrowedFd<'_>, name: &CStr, word: &[u8]) -> Result<(), Errno> {
    let file = openat(at, name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    retry_on_intr(|| write(&file, word)).map(drop)
}

/// Calls `visit` for a cgroup and everything below it, parents first, until it
/// breaks. Cgroups that vanish meanwhile are left out.
///
/// Fails with `ELOOP` when they are nested too deeply, with what `visit`
/// returns, and with what opening and listing give.
pub(crate) fn walk(dir: BorrowedFd<'_>, visit: &mut dyn FnMut(BorrowedFd<'_>) -> Walked) -> Walked {
    walk_to(dir, DEEPEST, visit)
}

fn walk_to(
    dir: BorrowedFd<'_>,
    depth: u32,
    visit: &mut dyn FnMut(BorrowedFd<'_>) -> Walked,
) -> Walked {
    let below = depth.checked_sub(1).ok_or(Errno::LOOP)?;
    if visit(dir)?.is_break() {
        return Ok(ControlFlow::Break(()));
    }
    if is_leaf(dir) {
        return Ok(ControlFlow::Continue(()));
    }
    let walked = each_child(dir, &mut |name| match open_dir(dir, name) {
        Ok(child) => walk_to(child.as_fd(), below, visit),
        Err(errno) if is_gone(errno) => Ok(ControlFlow::Continue(())),
        Err(errno) => Err(errno),
    });
    match walked {
        Err(errno) if is_gone(errno) => Ok(ControlFlow::Continue(())),
        walked => walked,
    }
}

/// Whether nothing is below a cgroup: its directory then has two links, its name and its
/// `.`. Listing it would cost three calls and the names of all its files.
pub(crate) fn is_leaf(dir: BorrowedFd<'_>) -> bool {
    fstat(dir).is_ok_and(|found| found.st_nlink == 2)
}
