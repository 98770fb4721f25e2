use alloc::vec::Vec;
use std::path::Path;

use crate::{FoundPod, SkipReason, Skipped};

/// What was in the list from before, which is mostly the same in the same order.
#[derive(Debug)]
pub(super) struct Former<T> {
    all: Vec<Option<T>>,
    next: usize,
}

impl<T> Default for Former<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            next: 0,
        }
    }
}

/// Something in a list that has a path.
pub(super) trait AtPath {
    fn path(&self) -> &Path;
}

impl AtPath for FoundPod {
    fn path(&self) -> &Path {
        &self.cgroup
    }
}

impl AtPath for Skipped {
    fn path(&self) -> &Path {
        &self.cgroup
    }
}

/// Entries that may have gone between one that is still there and the next.
const GONE_AT_ONCE: usize = 32;

impl<T: AtPath> Former<T> {
    pub(super) fn take_from(&mut self, list: &mut Vec<T>) {
        self.all.extend(list.drain(..).map(Some));
        self.next = 0;
    }

    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    /// The one at that path.
    pub(super) fn find(&mut self, path: &Path) -> Option<T> {
        let path = path.as_os_str();
        let rest = self.all.get_mut(self.next..)?.iter_mut();
        for (gone, entry) in rest.take(GONE_AT_ONCE).enumerate() {
            // Bytes: a path would be compared part by part.
            let is_it = |entry: &T| entry.path().as_os_str() == path;
            if entry.as_ref().is_some_and(is_it) {
                self.next = self.next.saturating_add(gone).saturating_add(1);
                return entry.take();
            }
        }
        None
    }

    /// What was not found.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = T> {
        self.all.drain(..).flatten()
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
    }
}

impl Former<Skipped> {
    pub(super) fn skip(&mut self, cgroup: &Path, reason: SkipReason) -> Skipped {
        let former = self.find(cgroup).map(|former| former.cgroup);
        Skipped {
            cgroup: former.unwrap_or_else(|| cgroup.to_path_buf()),
            reason,
        }
    }
}
