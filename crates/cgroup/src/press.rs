//! What is asked of a pod while memory gets short: how it fares, and a little of its memory.

use std::path::Path;

use evictd_kerntext::{parse_memory_stat, parse_some_stall};
use evictd_stats::{Hierarchy, Version};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::fstat;
use rustix::io::Errno;

use crate::dir::{read_file, read_start, write_file};

/// How a cgroup fares: counters since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fares {
    /// Which one it is: one of the same name that was made anew has another number.
    pub inode: u64,
    /// What it uses of memory.
    pub usage_bytes: u64,
    /// How long any of it has waited for memory, in microseconds; `None` where the kernel does
    /// not say.
    pub waited_usec: Option<u64>,
    /// How many pages it has read back that were taken from it.
    pub refaulted_pages: u64,
}

impl Fares {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let waited = self.waited_usec.zip(other.waited_usec);
        Self {
            inode: self.inode.wrapping_add(other.inode),
            usage_bytes: self.usage_bytes.saturating_add(other.usage_bytes),
            // Whoever waits longest: they wait at the same time.
            waited_usec: waited.map(|(one, other)| one.max(other)),
            refaulted_pages: self.refaulted_pages.saturating_add(other.refaulted_pages),
        }
    }
}

/// Asks cgroups of one hierarchy.
#[derive(Debug)]
pub struct Presser {
    memory: Hierarchy,
    text: Vec<u8>,
}

impl Presser {
    /// Of this hierarchy of the memory controller.
    #[must_use]
    pub const fn new(memory: Hierarchy) -> Self {
        Self {
            memory,
            text: Vec::new(),
        }
    }

    fn dir(&self, cgroup: &Path) -> Result<OwnedFd, Errno> {
        self.memory.open(cgroup)?.ok_or(Errno::NOENT)
    }

    /// How a cgroup fares; `None` where it is gone, or does not say what it uses and what it
    /// has read back.
    pub fn fares(&mut self, cgroup: &Path) -> Option<Fares> {
        let dir = self.dir(cgroup).ok()?;
        let inode = fstat(&dir).ok()?.st_ino;
        let usage = match self.memory.version {
            Version::V1 => c"memory.usage_in_bytes",
            Version::V2 => c"memory.current",
        };
        let mut text = [0; 512];
        let read = read_start(dir.as_fd(), usage, &mut text).ok()?;
        let usage_bytes = core::str::from_utf8(read.trim_ascii()).ok()?.parse().ok()?;
        let pressure = read_start(dir.as_fd(), c"memory.pressure", &mut text);
        let waited = pressure.ok().and_then(|text| parse_some_stall(text).ok());
        let waited_usec = waited.and_then(|waited| u64::try_from(waited.as_micros()).ok());
        read_file(&dir, c"memory.stat", &mut self.text).ok()?;
        let refaulted_pages = refaults(&self.text)?;
        Some(Fares {
            inode,
            usage_bytes,
            waited_usec,
            refaulted_pages,
        })
    }

    /// Asks the kernel for so many bytes of a cgroup's memory, and returns how many it gave.
    /// It may take its time.
    ///
    /// # Errors
    /// The kernel's: `ENOENT` where it cannot be asked, as on v1 and before Linux 5.19.
    pub fn reclaim(&self, cgroup: &Path, bytes: u64) -> Result<u64, Errno> {
        let dir = self.dir(cgroup)?;
        let used = || used(dir.as_fd());
        let before = used()?;
        match write_file(dir.as_fd(), c"memory.reclaim", bytes.to_string().as_bytes()) {
            // As much as there was is given back.
            Ok(()) | Err(Errno::AGAIN) => Ok(before.saturating_sub(used()?).min(bytes)),
            Err(errno) => Err(errno),
        }
    }
}

fn used(dir: BorrowedFd<'_>) -> Result<u64, Errno> {
    let mut text = [0; 32];
    let text = read_start(dir, c"memory.current", &mut text)?;
    let text = core::str::from_utf8(text.trim_ascii()).map_err(|_| Errno::BADMSG)?;
    text.parse().map_err(|_| Errno::BADMSG)
}

/// Pages that were read back, of the cgroup and all below it. None are counted by old
/// kernels; `None` where the number makes no sense.
fn refaults(stat: &[u8]) -> Option<u64> {
    let stat = parse_memory_stat(stat);
    let whole = stat.total_refaulted_pages.or(stat.refaulted_pages);
    let is_bad = stat.bad_fields().any(|key| key.contains("refault"));
    (!is_bad).then_some(whole.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_of_a_cgroup() {
        let stat = b"anon 1\nworkingset_refault_anon 3\nworkingset_refault_file 4\nworkingset_nodereclaim 9\n";
        assert_eq!(refaults(stat), Some(7));
        assert_eq!(refaults(b"workingset_refault 5\n"), Some(5));
        let v1 = b"workingset_refault 5\ntotal_workingset_refault 8\n";
        assert_eq!(refaults(v1), Some(8), "with all below it");
        assert_eq!(refaults(b""), Some(0));
        assert_eq!(refaults(b"workingset_refault -5\n"), None);
    }
}
