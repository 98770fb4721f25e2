use std::path::Path;

use crate::error::Cause;
use crate::memory::signed;
use evictd_node::{Mono, Reading};
use rustix::fs::{StatVfs, major, minor, stat, statvfs};
use rustix::io::Errno;

/// What was measured of a filesystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FsSample {
    /// When it was asked for.
    pub sampled: Mono,
    /// The filesystem has not answered the latest request in time: this is
    /// what it said before.
    pub stale: bool,
    /// Size in bytes; 0 where the filesystem does not tell, and then no signal
    /// comes of it.
    pub capacity_bytes: u64,
    /// What is left for users other than root, in bytes.
    pub available_bytes: u64,
    /// Neither free nor kept for root, in bytes.
    pub used_bytes: u64,
    /// How many inodes there are; 0 where the filesystem makes them as needed
    /// (btrfs, ZFS, FUSE), and then no inode signal comes of it.
    pub inodes: u64,
    /// How many are left.
    pub inodes_free: u64,
    /// `st_dev` of the directory.
    pub device: u64,
    /// `f_fsid`; 0 where the filesystem has none.
    pub fsid: u64,
    /// Which of its numbers cannot be, and count for nothing.
    pub(crate) impossible: Option<&'static str>,
}

impl FsSample {
    /// Whether both lie on one filesystem.
    ///
    /// Names and mount points do not tell: images may lie on a bind mount or a
    /// subvolume. `st_dev` does, and where one filesystem has several of them
    /// (overlay, subvolumes) `f_fsid` and the size.
    pub(crate) const fn same_filesystem(&self, other: &Self) -> bool {
        let same_id = self.fsid != 0 && self.fsid == other.fsid;
        self.device == other.device || same_id && self.capacity_bytes == other.capacity_bytes
    }

    /// Major and minor number of the device, as `/proc/self/mountinfo` writes
    /// them.
    #[must_use]
    pub fn device_numbers(&self) -> (u32, u32) {
        (major(self.device), minor(self.device))
    }

    pub(crate) fn bytes_reading(&self) -> Option<Reading> {
        self.reading(self.available_bytes, self.capacity_bytes)
    }

    pub(crate) fn inodes_reading(&self) -> Option<Reading> {
        self.reading(self.inodes_free, self.inodes)
    }

    fn reading(&self, available: u64, capacity: u64) -> Option<Reading> {
        (capacity != 0).then(|| Reading {
            available: signed(available),
            capacity: signed(capacity),
            sampled: Some(self.sampled),
        })
    }
}

/// What a filesystem says when it is asked.
pub(crate) type Answer = core::result::Result<FsSample, Errno>;

/// Measures the filesystem that holds `path`, in the calling thread: that hangs for
/// as long as the filesystem does not answer. The daemon's loop uses
/// [`NodeReader`](crate::NodeReader), which does not.
///
/// # Errors
/// What `statvfs(3)` and `stat(2)` give.
pub fn read_filesystem(path: &Path) -> crate::Result<FsSample> {
    measure(path, crate::now()).map_err(|errno| Cause::from(errno).at(path.to_path_buf()))
}

/// Asks the filesystem. May hang for ever on a dead mount.
pub(crate) fn measure(path: &Path, now: Mono) -> Answer {
    Ok(sample(&statvfs(path)?, stat(path)?.st_dev, now))
}

/// More left than there is says nothing: of bytes, then what is left for root counts, which is
/// no less.
pub(crate) fn sample(space: &StatVfs, device: u64, now: Mono) -> FsSample {
    let bytes = |blocks: u64| blocks.saturating_mul(space.f_frsize);
    let can_be = |free: &u64| *free <= space.f_blocks;
    let (left, for_root) = (space.f_bavail, space.f_bfree);
    let available = [left, for_root].into_iter().find(can_be);
    let inodes = Some((space.f_files, space.f_ffree)).filter(|(all, free)| free <= all);
    let impossible = match (can_be(&left), inodes) {
        (false, _) => Some("f_bavail"),
        (true, None) => Some("f_ffree"),
        (true, Some(_)) => None,
    };
    let (inodes, inodes_free) = inodes.unwrap_or_default();
    FsSample {
        sampled: now,
        stale: false,
        capacity_bytes: available.map_or(0, |_| bytes(space.f_blocks)),
        available_bytes: bytes(available.unwrap_or(0)),
        used_bytes: bytes(space.f_blocks.saturating_sub(space.f_bfree)),
        inodes,
        inodes_free,
        device,
        fsid: space.f_fsid,
        impossible,
    }
}
