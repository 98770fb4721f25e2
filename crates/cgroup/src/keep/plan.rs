//! How much memory is kept for whom.

use alloc::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::knobs::KnobFile;

/// So much of each service at most: what it takes to log in, and no cache.
const MOST_EACH: u64 = 64 << 20;

/// In steps of the largest page, so that the kernel rounds nothing.
const STEP: u64 = 64 << 10;

/// What each cgroup is to have kept in which file: those that are meant, and each above them
/// what all below it have, as the kernel keeps no more than that for them.
#[derive(Debug, Default)]
pub(super) struct Plan(pub(super) BTreeMap<(PathBuf, KnobFile), Amount>);

/// What a cgroup is to have kept in one file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Amount {
    /// It itself is meant.
    own: u64,
    /// Services below it,
    services: u64,
    /// and pods.
    pods: u64,
    /// What pods request does not move all the time, as usage does.
    pub(super) is_for_pods: bool,
}

impl Plan {
    /// A service keeps what it uses, up to a bound.
    pub(super) fn add_service(&mut self, cgroup: &Path, used: u64) {
        const FILE: KnobFile = KnobFile::MemoryMin;
        let bytes = used.min(MOST_EACH).next_multiple_of(STEP);
        let itself = self.of(FILE, cgroup);
        itself.own = itself.own.max(bytes);
        for above in above(cgroup) {
            let above = self.of(FILE, above);
            above.services = above.services.saturating_add(bytes);
        }
    }

    /// A pod keeps what it requests.
    pub(super) fn add_pod(&mut self, file: KnobFile, cgroup: &Path, bytes: u64) {
        let itself = self.of(file, cgroup);
        itself.own = itself.own.max(bytes);
        itself.is_for_pods = true;
        self.add_above_pod(file, cgroup, bytes);
    }

    /// A pod whose cgroup keeps that already, without effect as long as those above do not.
    pub(super) fn add_above_pod(&mut self, file: KnobFile, cgroup: &Path, bytes: u64) {
        for above in above(cgroup).filter(|_| bytes > 0) {
            let above = self.of(file, above);
            above.pods = above.pods.saturating_add(bytes);
            above.is_for_pods = true;
        }
    }

    fn of(&mut self, file: KnobFile, cgroup: &Path) -> &mut Amount {
        self.0.entry((cgroup.to_owned(), file)).or_default()
    }
}

/// All above it but the root, which has no such files.
fn above(cgroup: &Path) -> impl Iterator<Item = &Path> {
    let above = cgroup.ancestors().skip(1);
    above.filter(|of| !of.as_os_str().is_empty())
}

impl Amount {
    pub(super) fn of_itself(own: u64) -> Self {
        Self {
            own,
            ..Self::default()
        }
    }

    /// What is to stand there, where this stood there before: that may have been for the
    /// pods already, as a kubelet or a runtime writes it, but not for services.
    pub(super) fn wanted(self, before: u64) -> u64 {
        let for_pods = before.max(self.own).max(self.pods);
        for_pods.saturating_add(self.services)
    }
}

/// Whether what is kept is near enough to what is to be kept: usage moves all the time.
pub(super) const fn is_near(present: u64, wanted: u64) -> bool {
    const SLACK: u64 = 1 << 20;
    present.abs_diff(wanted) <= SLACK.saturating_add(wanted / 8)
}
