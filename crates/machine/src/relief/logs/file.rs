//! A log's file: looked at by its name, opened below its directory.

use std::ffi::{OsStr, OsString};
use std::fs::read_dir;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use evictd_gc::is_rotated;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;

/// More files of one log are not looked at.
const MOST_FORMER: usize = 256;

/// A file as it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Looked {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) allocated: u64,
}

impl Looked {
    /// Whether it is the same file.
    pub(super) const fn is_same(&self, other: &Self) -> bool {
        self.device == other.device && self.inode == other.inode
    }
}

/// Looks at a plain file that has one name.
pub(super) fn look(path: &Path) -> Result<Looked, Errno> {
    plain(&statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)?)
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
    })
}

/// A log's directory.
pub(super) fn open_directory(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty())
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
pub(super) fn rotated(directory: &Path, name: &[u8]) -> Vec<(OsString, Looked)> {
    let Ok(entries) = read_dir(directory) else {
        return Vec::new();
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let names = names.filter(|other| is_rotated(name, other.as_bytes()));
    let looked = names.take(MOST_FORMER).filter_map(|other| {
        let looked = look(&directory.join(&other)).ok()?;
        Some((other, looked))
    });
    let mut former: Vec<(OsString, Looked)> = looked.collect();
    former.sort_unstable_by(|one, other| other.0.cmp(&one.0));
    former
}
