//! Cgroup directories by descriptor: a path could lead elsewhere by the time it
//! is used, a descriptor stays with the cgroup it was opened for.

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ops::ControlFlow;
use std::path::{Component, Path};

use evictd_stats::{Hierarchies, Hierarchy, is_gone};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags, RawDir, openat};
use rustix::io::{Errno, read, retry_on_intr, write};
use rustix::path::Arg;

/// Cgroups nested deeper than this below a pod are refused rather than walked:
/// each level costs a descriptor and stack.
const DEEPEST: u32 = 48;

/// Room for directory entries at each level of a walk, on the stack.
const ENTRIES: usize = 1024;

/// Opens a directory below another one (or below [`rustix::fs::CWD`]).
pub(crate) fn open_dir(at: impl AsFd, path: impl Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, path, flags, Mode::empty())
}

/// The hierarchies in the order in which they may say who belongs to a pod:
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

/// Opens the directory of a cgroup, by its path below the hierarchy's mount
/// point: what a pod's numbers are read from. `None` when this hierarchy does
/// not have it (any more).
///
/// # Errors
///
/// `EINVAL` when the path leads up (`..`); else what opening gives.
pub fn open_cgroup(hierarchy: &Hierarchy, cgroup: &Path) -> Result<Option<OwnedFd>, Errno> {
    if cgroup.components().any(|part| part == Component::ParentDir) {
        return Err(Errno::INVAL);
    }
    let root = open_dir(CWD, &hierarchy.mount_point)?;
    let below = cgroup.strip_prefix("/").unwrap_or(cgroup);
    if below.as_os_str().is_empty() {
        return Ok(Some(root));
    }
    match open_dir(root, below) {
        Ok(dir) => Ok(Some(dir)),
        Err(errno) if is_gone(errno) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Reads a whole file of a directory into `buffer`, which is cleared first.
pub(crate) fn read_file(at: impl AsFd, name: impl Arg, buffer: &mut Vec<u8>) -> Result<(), Errno> {
    buffer.clear();
    let file = openat(at, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    loop {
        buffer.reserve(4096);
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
pub(crate) fn read_start(at: impl AsFd, name: impl Arg, room: &mut [u8]) -> Result<&[u8], Errno> {
    let file = openat(at, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let length = retry_on_intr(|| read(&file, &mut *room))?;
    Ok(room.get(..length).unwrap_or_default())
}

/// Writes a word into a control file, in one call as the kernel wants it.
pub(crate) fn write_file(at: impl AsFd, name: impl Arg, word: &[u8]) -> Result<(), Errno> {
    let file = openat(at, name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    retry_on_intr(|| write(&file, word)).map(drop)
}

/// Calls `visit` with the name of each child directory until it breaks.
pub(crate) fn each_child(
    dir: BorrowedFd<'_>,
    mut visit: impl FnMut(&CStr) -> Result<ControlFlow<()>, Errno>,
) -> Result<ControlFlow<()>, Errno> {
    // A descriptor of its own: the position in a directory belongs to the open
    // file, and two walks must not share it.
    let dir = open_dir(dir, c".")?;
    let mut room = [MaybeUninit::<u8>::uninit(); ENTRIES];
    let mut entries = RawDir::new(&dir, &mut room);
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

/// Calls `visit` for a cgroup and everything below it, parents first, until it
/// breaks. Cgroups that vanish meanwhile are left out.
///
/// Fails with `ELOOP` when they are nested too deeply, with what `visit`
/// returns, and with what opening and listing give.
pub(crate) fn walk(
    dir: BorrowedFd<'_>,
    visit: &mut dyn FnMut(BorrowedFd<'_>) -> Result<ControlFlow<()>, Errno>,
) -> Result<ControlFlow<()>, Errno> {
    walk_to(dir, DEEPEST, visit)
}

fn walk_to(
    dir: BorrowedFd<'_>,
    depth: u32,
    visit: &mut dyn FnMut(BorrowedFd<'_>) -> Result<ControlFlow<()>, Errno>,
) -> Result<ControlFlow<()>, Errno> {
    let below = depth.checked_sub(1).ok_or(Errno::LOOP)?;
    if visit(dir)?.is_break() {
        return Ok(ControlFlow::Break(()));
    }
    let walked = each_child(dir, |name| match open_dir(dir, name) {
        Ok(child) => walk_to(child.as_fd(), below, visit),
        Err(errno) if is_gone(errno) => Ok(ControlFlow::Continue(())),
        Err(errno) => Err(errno),
    });
    match walked {
        Err(errno) if is_gone(errno) => Ok(ControlFlow::Continue(())),
        walked => walked,
    }
}
