use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FileType, Mode, OFlags, RawDir, SeekFrom, openat, seek};
use rustix::io::Errno;

use crate::file::{Buffer, open_from};

/// How directories are opened: never through a link.
pub(crate) const DIR: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW);

/// How deep [`count_processes`] goes: container runtimes nest three or four
/// levels below a pod, and a tree that is deeper is counted in part.
const DEEPEST: u32 = 16;

/// Processes in a cgroup and all below it, by their `cgroup.procs`. Children
/// that vanish or cannot be read meanwhile are left out.
pub(crate) fn count_processes(dir: BorrowedFd<'_>, buffer: &mut Buffer) -> Result<u64, Errno> {
    count_down(dir, buffer, DEEPEST)
}

fn count_down(dir: BorrowedFd<'_>, buffer: &mut Buffer, levels: u32) -> Result<u64, Errno> {
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
    let mut room = [MaybeUninit::<u8>::uninit(); ENTRIES];
    let mut entries = RawDir::new(dir, &mut room);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name();
        let dots = name == c"." || name == c"..";
        if !dots && visit(name, entry.file_type())?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
