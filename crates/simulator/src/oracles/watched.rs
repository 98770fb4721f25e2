//! Memory is looked at again as soon as what was left above a hard threshold could have been
//! used up, whether or not the kernel gives notice.

use core::time::Duration;

use evictd_evict::Evict;
use evictd_node::{Mono, Signal};
use evictd_threshold::Threshold;

use crate::violation::Violation;
use crate::world::World;

/// As fast as one processor fills memory, in bytes a second (docs/how-it-decides.md).
const RATE: u64 = 6 << 30;

/// As often as it gets while the kernel gives notice, and some more: no loop is on time to the
/// millisecond.
const SOON: Duration = Duration::from_millis(150);

/// When memory is to be looked at again.
#[derive(Debug, Default)]
pub(super) struct Watching {
    looks: u64,
    due: Option<Mono>,
    was_busy: bool,
}

impl Watching {
    pub(super) fn restarted(&mut self) {
        *self = Self::default();
    }

    /// Judges a turn.
    pub(super) fn judge(&mut self, world: &mut World, evict: &Evict) {
        let now = world.now;
        // A look beside the rounds plans no other one.
        let looks = core::mem::replace(&mut self.looks, world.given.memory_looks);
        let has_looked = looks != world.given.memory_looks;
        let is_late = world.stalled || world.given.is_late;
        let due = self.due.filter(|due| !is_late && now > *due);
        if let Some(due) = due.filter(|_| !has_looked) {
            let text = format!("memory is not looked at since {due}");
            let found = Violation::new("unwatched", now, text);
            world.violations.push(found);
        }
        if has_looked {
            self.due = next(world, evict).map(|next| next.max(self.due.unwrap_or(next)));
        }
        // Neither does one that a kill makes.
        let is_busy = evict.is_busy();
        if is_busy || self.was_busy || is_late {
            self.due = None;
        }
        self.was_busy = is_busy;
    }
}

/// As late as memory may be looked at again; `None` where no hard threshold is to be watched.
fn next(world: &World, evict: &Evict) -> Option<Mono> {
    let (at, readings) = world.given.looks.last()?;
    let looked_at = world.given.looked_at;
    let memory = world.truth(Signal::MemoryAvailable)?;
    let was_read = *at != looked_at || readings.get(Signal::MemoryAvailable).is_some();
    let is_met = |of: &Threshold| evict.met().any(|met| met.threshold == of);
    let mut all = evict.thresholds();
    let hard = all.find(|of| of.is_hard() && of.signal == Signal::MemoryAvailable)?;
    let level = hard.level(memory.capacity);
    let left = u64::try_from(memory.available.saturating_sub(level)).unwrap_or(0);
    // What evictd was shown was more, perhaps.
    let left = left.saturating_add(world.may_disagree_by());
    let nanos = u128::from(left) * 1_000_000_000 / u128::from(RATE);
    let used_up = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
    (was_read && !is_met(hard)).then(|| looked_at + used_up + SOON)
}
