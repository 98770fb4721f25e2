//! Cgroup directories by descriptor: a path could lead elsewhere by the time it
//! is used, a descriptor stays with the cgroup it was opened for.

use core::ffi::CStr;

use evictd_stats::{Hierarchies, Hierarchy, is_gone, noted_lack};
pub(crate) use evictd_stats::{each_child, walk};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::{Errno, read, retry_on_intr, write};
use rustix::path::Arg;

/// What the kernel shows of a list at once.
pub(crate) const PAGE: usize = 4096;

/// Opens a directory below another one (or below [`rustix::fs::CWD`]).
pub(crate) fn open_dir(at: impl AsFd, path: impl Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, path, flags, Mode::empty()).map_err(noted_lack)
}

/// The hierarchies in the order in which they may say what belongs to a pod:
/// memory, whose shortage it is mostly about, then pids, then the unified one,
/// then the freezer, then the one in which services are kept.
pub(crate) fn by_rank(hierarchies: &Hierarchies) -> impl Iterator<Item = &Hierarchy> {
    let order = [
        &hierarchies.memory,
        &hierarchies.pids,
        &hierarchies.unified,
        &hierarchies.freezer,
        &hierarchies.services,
    ];
    order.into_iter().flatten()
}

/// By what a directory of the kernel's is told apart from the next one with its path.
pub(crate) fn inode_of(dir: impl AsFd) -> Option<u64> {
    rustix::fs::fstat(dir).ok().map(|found| found.st_ino)
}

/// Opens a file of a directory for reading.
pub(crate) fn open_file(at: impl AsFd, name: impl Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    openat(at, name, flags, Mode::empty()).map_err(noted_lack)
}

/// Reads a whole file of a directory into `buffer`, which is cleared first.
pub(crate) fn read_file(at: impl AsFd, name: impl Arg, buffer: &mut Vec<u8>) -> Result<(), Errno> {
    buffer.clear();
    let file = open_file(at, name)?;
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
    buffer: &'a mut [u8],
) -> Result<&'a [u8], Errno> {
    let file = open_file(at, name)?;
    let length = retry_on_intr(|| read(&file, &mut *buffer))?;
    Ok(buffer.get(..length).unwrap_or_default())
}

/// Writes a word into a control file, in one call as the kernel wants it.
pub(crate) fn write_file(at: BorrowedFd<'_>, name: &CStr, word: &[u8]) -> Result<(), Errno> {
    let file = openat(at, name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    retry_on_intr(|| write(&file, word)).map(drop)
}

/// Makes a call again once where it fails: one failure costs nobody anything
/// (acceptance row 178). What is gone is gone.
pub(crate) fn twice<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    match call() {
        Err(errno) if !is_gone(errno) => call(),
        done => done,
    }
}

#[cfg(test)]
mod tests;
