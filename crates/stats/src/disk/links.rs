use std::collections::HashSet;

/// Inodes that are remembered at most: about 1 MiB.
const MOST: usize = 57_344;

/// Whether an inode with several names was met before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    First,
    Again,
    /// There was no room to remember it.
    Unknown,
}

/// The inodes of a tree that have more than one name, by number and device.
///
/// Bounded: a pod that fills a volume with hard links must not fill the daemon's
/// memory.
#[derive(Default)]
pub(crate) struct Links(HashSet<(u64, u64)>);

impl Links {
    pub(crate) fn meet(&mut self, number: u64, device: u64) -> Met {
        if self.0.contains(&(number, device)) {
            Met::Again
        } else if self.0.len() >= MOST {
            Met::Unknown
        } else {
            self.0.insert((number, device));
            Met::First
        }
    }
}

#[cfg(test)]
mod tests;
