use alloc::vec::Vec;

use rustix::process::Pid;

use crate::procs::key;

/// Processes that have been sent a signal: each once, in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct Struck(Vec<Pid>);

impl Struck {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self(Vec::with_capacity(count))
    }

    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn contains(&self, pid: Pid) -> bool {
        self.0.binary_search_by_key(&key(&pid), key).is_ok()
    }

    pub(super) fn add(&mut self, pids: impl IntoIterator<Item = Pid>) {
        self.0.extend(pids);
        self.0.sort_unstable_by_key(key);
        self.0.dedup();
    }
}
