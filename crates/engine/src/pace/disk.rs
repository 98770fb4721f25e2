//! When disks have to be looked at before the next round is due.

use core::time::Duration;

use evictd_node::Mono;

/// What was left in the last round in which all disks said so.
#[derive(Debug, Default)]
pub(crate) struct DiskPace(Option<(Mono, i64)>);

impl DiskPace {
    /// As often as it gets: a disk takes seconds to fill.
    pub(crate) const OFTEN: Duration = Duration::from_millis(500);

    /// So many bytes are left above the nearest threshold of a disk; `None` where not all
    /// have said so. Returns whether they would be used up within two rounds at the rate of
    /// late.
    pub(crate) fn note(&mut self, now: Mono, left: Option<i64>, interval: Duration) -> bool {
        let Some(left) = left else {
            return false;
        };
        let Some((then, before)) = self.0.replace((now, left)) else {
            return false;
        };
        let positive = |bytes| u128::try_from(bytes).unwrap_or(0);
        let filled = positive(before.saturating_sub(left));
        let lasts = positive(left).saturating_mul(now.since(then).as_nanos());
        filled > 0 && lasts < filled.saturating_mul(2 * interval.as_nanos())
    }
}
