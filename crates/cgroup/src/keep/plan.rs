//! How much memory is kept for whom.

use alloc::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// So much of each at most: what it takes to log in, and no cache.
const MOST_EACH: u64 = 64 << 20;

/// In steps of the largest page, so that the kernel rounds nothing.
const STEP: u64 = 64 << 10;

/// What each cgroup is to have kept: those that are kept alive what they use, and each above
/// them what all below it have, as the kernel keeps no more than that for them.
pub(super) fn kept_bytes(uses: &[(PathBuf, u64)]) -> BTreeMap<&Path, u64> {
    let mut kept = BTreeMap::new();
    for (cgroup, bytes) in uses {
        let bytes = (*bytes).min(MOST_EACH).next_multiple_of(STEP);
        let with_above = cgroup.ancestors().filter(|of| !of.as_os_str().is_empty());
        for of in with_above {
            let sum: &mut u64 = kept.entry(of).or_default();
            *sum = sum.saturating_add(bytes);
        }
    }
    kept
}

/// Whether what is kept is near enough to what is to be kept: usage moves all the time.
pub(super) const fn is_near(present: u64, wanted: u64) -> bool {
    const SLACK: u64 = 1 << 20;
    present.abs_diff(wanted) <= SLACK.saturating_add(wanted / 8)
}
