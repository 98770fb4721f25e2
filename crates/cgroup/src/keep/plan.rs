//! How much memory is kept for which service.

use alloc::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// So much of each service at most: what it takes to log in, and no cache.
const MOST_EACH: u64 = 64 << 20;

/// In steps of the largest page, so that the kernel rounds nothing.
const STEP: u64 = 64 << 10;

/// The `memory.min` of each cgroup. A cgroup above services gets the sum of those below it,
/// because the kernel protects no more than a parent has.
#[derive(Debug, Default)]
pub(super) struct Plan(pub(super) BTreeMap<PathBuf, Amount>);

/// What a cgroup is to have kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Amount {
    /// It itself is meant.
    own: u64,
    /// Services below it.
    services: u64,
}

impl Plan {
    /// A service keeps what it uses, up to a bound.
    pub(super) fn add_service(&mut self, cgroup: &Path, used: u64) {
        let bytes = used.min(MOST_EACH).next_multiple_of(STEP);
        let itself = self.of(cgroup);
        itself.own = itself.own.max(bytes);
        for above in above(cgroup) {
            let above = self.of(above);
            above.services = above.services.saturating_add(bytes);
        }
    }

    fn of(&mut self, cgroup: &Path) -> &mut Amount {
        self.0.entry(cgroup.to_owned()).or_default()
    }
}

/// All above it but the root, which has no such file.
fn above(cgroup: &Path) -> impl Iterator<Item = &Path> {
    let above = cgroup.ancestors().skip(1);
    above.filter(|of| !of.as_os_str().is_empty())
}

impl Amount {
    pub(super) const fn of_itself(own: u64) -> Self {
        Self { own, services: 0 }
    }

    /// What is to stand there, where this stood there before: that may have been for the
    /// cgroup itself already, as an init system writes it, but not for services below it.
    pub(super) fn wanted(self, before: u64) -> u64 {
        before.max(self.own).saturating_add(self.services)
    }
}

/// Whether what is kept is near enough to what is to be kept: usage moves all the time.
pub(super) const fn is_near(present: u64, wanted: u64) -> bool {
    const SLACK: u64 = 1 << 20;
    present.abs_diff(wanted) <= SLACK.saturating_add(wanted / 8)
}
