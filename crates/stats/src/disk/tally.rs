use core::ffi::CStr;
use std::collections::HashSet;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, FileType, Statx, StatxAttributes, StatxFlags, makedev, statx};
use rustix::io::Errno;

use crate::is_gone;

/// `st_blocks` counts in these, whatever the filesystem's own block size.
pub(crate) const BLOCK_BYTES: u64 = 512;

/// One inode in the parts that [`Tally::parts`] counts.
const WHOLE: u64 = 1 << 32;

/// Inodes with several names that are remembered at most: about 1 MiB.
const MOST_LINKS: usize = 57_344;

const WANTED: StatxFlags = StatxFlags::TYPE
    .union(StatxFlags::NLINK)
    .union(StatxFlags::INO)
    .union(StatxFlags::BLOCKS);

/// What a walk has counted.
#[derive(Default)]
pub(crate) struct Tally {
    /// The root's device, for kernels that do not tell where a mount begins.
    pub(crate) device: u64,
    pub(crate) bytes: u64,
    inodes: u64,
    /// Of inodes with several names that could not be remembered: each name
    /// counts for its share.
    parts: u64,
    /// The inodes with more than one name, by number and device. Bounded: a pod that
    /// fills a volume with hard links must not fill the daemon's memory.
    links: HashSet<(u64, u64)>,
    /// Entries looked at.
    pub(crate) entries: u64,
    /// Parts of the tree that could not be counted.
    pub(crate) unread: u64,
}

impl Tally {
    pub(crate) const fn inodes(&self) -> u64 {
        self.inodes
            .saturating_add(self.parts.saturating_add(WHOLE / 2) / WHOLE)
    }

    /// Counts the entry of a directory. Returns whether it is a directory to
    /// be walked.
    pub(crate) fn visit(&mut self, dir: BorrowedFd<'_>, name: &CStr) -> bool {
        self.entries += 1;
        match look_at(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if self.is_mount(&found) => false,
            Ok(found) => {
                self.count(&found);
                is_dir(&found)
            }
            Err(errno) => {
                self.failed(errno);
                false
            }
        }
    }

    /// Something could not be read: that it vanished meanwhile is no failure.
    pub(crate) fn failed(&mut self, errno: Errno) {
        if !is_gone(errno) && errno != Errno::STALE {
            self.unread += 1;
        }
    }

    /// A directory that was one a moment ago: replaced counts as vanished.
    pub(crate) fn not_opened(&mut self, errno: Errno) {
        if !matches!(errno, Errno::NOTDIR | Errno::LOOP) {
            self.failed(errno);
        }
    }

    /// Counts one inode.
    pub(crate) fn count(&mut self, found: &Statx) {
        let bytes = found.stx_blocks.saturating_mul(BLOCK_BYTES);
        // Directories have a link for each child.
        let names = u64::from(found.stx_nlink);
        if names > 1 && !is_dir(found) {
            let inode = (found.stx_ino, device(found));
            if self.links.contains(&inode) {
                return;
            }
            if self.links.len() >= MOST_LINKS {
                self.bytes = self.bytes.saturating_add(bytes / names);
                self.parts = self.parts.saturating_add(WHOLE / names);
                return;
            }
            self.links.insert(inode);
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.inodes += 1;
    }

    /// Whether another filesystem, or another part of this one, is mounted
    /// here. What it covers is not seen, and what it shows belongs to others.
    ///
    /// `STATX_ATTR_MOUNT_ROOT` since 5.8; before, a bind mount of the same
    /// filesystem looks like any directory.
    fn is_mount(&self, found: &Statx) -> bool {
        const MOUNT: StatxAttributes = StatxAttributes::MOUNT_ROOT;
        if found.stx_attributes_mask.contains(MOUNT) {
            let not_ours = MOUNT.union(StatxAttributes::AUTOMOUNT);
            found.stx_attributes.intersects(not_ours)
        } else {
            device(found) != self.device
        }
    }
}

/// Never waits for a server (`AT_STATX_DONT_SYNC`) and never mounts anything.
pub(crate) fn look_at(dir: impl AsFd, name: &CStr, flags: AtFlags) -> Result<Statx, Errno> {
    let flags = flags | AtFlags::NO_AUTOMOUNT | AtFlags::STATX_DONT_SYNC;
    statx(dir, name, flags, WANTED)
}

pub(crate) fn is_dir(found: &Statx) -> bool {
    FileType::from_raw_mode(found.stx_mode.into()) == FileType::Directory
}

pub(crate) fn device(found: &Statx) -> u64 {
    makedev(found.stx_dev_major, found.stx_dev_minor)
}

#[cfg(test)]
mod tests;
