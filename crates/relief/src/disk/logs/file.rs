//! A log's file: looked at and opened in its directory, which is held open. No part of its
//! path that others may write to is a link (`evictd_sys::open_directory`).

use core::ops::ControlFlow;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use evictd_gc::is_rotated;
use evictd_stats::each_entry;
use evictd_sys::{Links, open_below, open_directory as open_way};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::fs::{fstat, openat, renameat, renameat_with, statat};
use rustix::io::Errno;

/// More files of one log are not looked at.
const MOST_FORMER: usize = 256;

/// More entries of a log's directory are not listed: its pod may have filled it.
const MOST_ENTRIES: usize = 65_536;

/// The last directories of a log's path, which are its pod's and its container's own
/// (`NAMESPACE_NAME_UID/CONTAINER`, `containers/ID`, `ID/userdata`): no link, wherever
/// they lie.
const OWN_DIRECTORIES: usize = 2;

/// A file as it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Looked {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) allocated: u64,
    /// Whose it is.
    pub(super) user: u32,
}

impl Looked {
    /// Whether it is the same file.
    pub(super) const fn is_same(&self, other: &Self) -> bool {
        self.device == other.device && self.inode == other.inode
    }
}

/// A log's directory.
pub(super) fn open_directory(path: &Path) -> Result<OwnedFd, Errno> {
    let (mut above, mut own) = (path, Vec::new());
    while own.len() < OWN_DIRECTORIES
        && let (Some(parent), Some(name)) = (above.parent(), above.file_name())
    {
        own.push(name);
        above = parent;
    }
    let directory = open_way(above, Links::OfRoot)?;
    let mut own = own.into_iter().rev();
    own.try_fold(directory, open_below)
}

/// Looks at a plain file that has one name.
pub(super) fn look(directory: &OwnedFd, name: &OsStr) -> Result<Looked, Errno> {
    plain(&statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?)
}

fn plain(stat: &Stat) -> Result<Looked, Errno> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Errno::INVAL);
    }
    if stat.st_nlink != 1 {
        return Err(Errno::MLINK);
    }
    Ok(Looked {
        device: stat.st_dev,
        inode: stat.st_ino,
        allocated: u64::try_from(stat.st_blocks)
            .unwrap_or(0)
            .saturating_mul(512),
        user: stat.st_uid,
    })
}

/// Opens a plain file that has one name: no link, no fifo, no device. It is not
/// waited for.
pub(super) fn open(
    directory: &OwnedFd,
    name: &OsStr,
    how: OFlags,
) -> Result<(OwnedFd, Looked), Errno> {
    let flags = how | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = openat(directory, name, flags, Mode::empty())?;
    let looked = plain(&fstat(&file)?)?;
    Ok((file, looked))
}

/// What it takes of its disk now.
pub(super) fn allocated(file: &OwnedFd) -> u64 {
    let stat = fstat(file).ok();
    let looked = stat.and_then(|stat| plain(&stat).ok());
    looked.map_or(0, |looked| looked.allocated)
}

/// The former parts of the log of that name, the newest first.
pub(super) fn rotated(directory: &OwnedFd, name: &OsStr) -> Vec<(OsString, Looked)> {
    let (mut former, mut entries) = (Vec::new(), 0_usize);
    // What was listed until something failed is known all the same.
    let _ = each_entry(directory.as_fd(), &mut |other, _| {
        entries = entries.saturating_add(1);
        let other = other.to_bytes();
        if is_rotated(name.as_bytes(), other)
            && let Ok(looked) = look(directory, OsStr::from_bytes(other))
        {
            former.push((OsString::from_vec(other.to_vec()), looked));
        }
        Ok(if former.len() < MOST_FORMER && entries < MOST_ENTRIES {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    });
    former.sort_unstable_by(|one, other| other.0.cmp(&one.0));
    former
}

/// Gives a file another name, over nothing that is there.
pub(super) fn rename(directory: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
    match renameat_with(directory, from, directory, to, RenameFlags::NOREPLACE) {
        // Before Linux 3.15, and on filesystems that lack it.
        Err(Errno::INVAL | Errno::NOSYS) => renameat(directory, from, directory, to),
        done => done,
    }
}
