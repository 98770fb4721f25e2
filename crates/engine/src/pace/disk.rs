//! When disks have to be looked at before the next round is due.

use core::time::Duration;

use evictd_node::{Mono, Resource};

/// Whether disks fill fast.
#[derive(Debug, Default)]
pub(crate) struct DiskPace {
    /// When all disks said what is left, and how much that was.
    base: Option<(Mono, i64)>,
    /// As of then.
    fills: bool,
}

impl DiskPace {
    /// As often as it gets: a disk takes seconds to fill.
    pub(crate) const OFTEN: Duration = Duration::from_millis(500);

    /// So many bytes are left above the nearest threshold of a disk; `None` where not all
    /// have said so. Returns whether they would be used up within two rounds at the rate of
    /// late. Rounds may follow each other at once, whose difference says nothing.
    pub(crate) fn note(&mut self, now: Mono, left: Option<i64>, interval: Duration) -> bool {
        let is_soon = |(then, _)| now.since(then) < Self::OFTEN.min(interval);
        let Some(left) = left.filter(|_| !self.base.is_some_and(is_soon)) else {
            return self.fills;
        };
        self.fills = self.base.is_some_and(|(then, before)| {
            let positive = |bytes| u128::try_from(bytes).unwrap_or(0);
            let filled = positive(before.saturating_sub(left));
            let lasts = positive(left).saturating_mul(now.since(then).as_nanos());
            filled > 0 && lasts < filled.saturating_mul(2 * interval.as_nanos())
        });
        self.base = Some((now, left));
        self.fills
    }
}

/// Whether it is one of a filesystem.
pub(crate) const fn is_disk(resource: Resource) -> bool {
    matches!(resource, Resource::EphemeralStorage | Resource::Inodes)
}
