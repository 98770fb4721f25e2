use core::ffi::CStr;
use std::collections::HashSet;
use std::os::fd::BorrowedFd;

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::look::{Found, look_at};
use crate::is_gone;

/// One inode in the parts that [`Tally::parts`] counts.
const WHOLE: u64 = 1 << 32;

/// Inodes with several names that are remembered at most: about 1 MiB.
const MOST_LINKS: usize = 57_344;

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
    /// Entries of directories.
    pub(crate) entries: u64,
    /// Of these, files that had to be looked at.
    pub(crate) looks: u64,
    /// Parts of the tree that could not be counted.
    pub(crate) unread: u64,
}

impl Tally {
    pub(crate) const fn inodes(&self) -> u64 {
        self.inodes
            .saturating_add(self.parts.saturating_add(WHOLE / 2) / WHOLE)
    }

    /// Whether an entry is another name of a file that was counted, which its listing tells:
    /// it costs no look at the file, of which a pod may make millions.
    pub(crate) fn knows(
        &mut self,
        inode: Option<u64>,
        device: impl FnOnce() -> Option<u64>,
    ) -> bool {
        let is_likely = inode.is_some_and(|inode| self.links.contains(&(inode, self.device)));
        // Parts of one filesystem may number their files alike.
        let is_it = is_likely && device() == Some(self.device);
        self.entries += u64::from(is_it);
        is_it
    }

    /// Counts the entry of a directory. Returns whether it is a directory to
    /// be walked.
    pub(crate) fn visit(&mut self, dir: BorrowedFd<'_>, name: &CStr) -> bool {
        self.entries += 1;
        self.looks += 1;
        match look_at(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if self.is_mount(&found) => false,
            Ok(found) => {
                self.count(&found);
                found.is_dir()
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
    pub(crate) fn count(&mut self, found: &Found) {
        let (bytes, names) = (found.bytes, found.names);
        // Directories have a link for each child.
        if names > 1 && !found.is_dir() {
            let inode = (found.inode, found.device);
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
    /// Where the kernel does not tell, a bind mount of the same filesystem looks like any
    /// directory.
    fn is_mount(&self, found: &Found) -> bool {
        let is_other = || found.device != self.device;
        found.is_mount.unwrap_or_else(is_other)
    }
}

#[cfg(test)]
mod tests;
