//! When disks have to be looked at before the next round is due.

use core::time::Duration;

use evictd_node::Mono;

/// As often as it gets: a disk takes seconds to fill.
const OFTEN: Duration = Duration::from_secs(1);

/// What was left in the last round.
#[derive(Debug, Default)]
pub(crate) struct DiskPace(Option<(Mono, i64)>);

impl DiskPace {
    /// So many bytes are left above the nearest threshold of a disk. Returns how soon to look
    /// again, where at the rate of late they would be used up within two rounds.
    pub(crate) fn note(
        &mut self,
        now: Mono,
        left: Option<i64>,
        interval: Duration,
    ) -> Option<Duration> {
        let before = core::mem::replace(&mut self.0, left.map(|left| (now, left)));
        let ((then, before), left) = before.zip(left)?;
        let filled = u128::try_from(before.saturating_sub(left)).ok()?;
        let lasts = u128::try_from(left)
            .ok()?
            .saturating_mul(now.since(then).as_nanos());
        let is_soon = filled > 0 && lasts < filled.saturating_mul(2 * interval.as_nanos());
        is_soon.then(|| OFTEN.min(interval))
    }
}
