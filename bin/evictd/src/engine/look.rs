//! Looking at memory alone, between two rounds. What is seen decides nothing: it
//! begins a round.

use core::time::Duration;

use evictd_node::{Mono, Readings, Resource};
use evictd_stats::NodeSample;
use evictd_threshold::Threshold;

use super::Engine;
use crate::timing::Stage;

/// How soon to try again while memory is short and no pod may go for it: another
/// may come any time.
const STARVING: Duration = Duration::from_secs(1);

impl Engine {
    /// How fast this machine is taken to fill memory, in bytes a second.
    pub(crate) const fn fill_rate(&self) -> u64 {
        self.pace.rate()
    }

    /// The kernel tells before a memory threshold can be met, or does not.
    pub(crate) const fn guard(&mut self, guarded: bool) {
        self.pace.guard(guarded);
    }

    /// Whether it does.
    pub(crate) const fn is_guarded(&self) -> bool {
        self.pace.is_guarded()
    }

    /// Looks at memory now: the kernel says that something has happened there.
    pub(crate) fn look_now(&mut self) {
        self.pace.hurry();
    }

    /// Reads memory for somebody else.
    pub(crate) fn read_memory(&mut self, now: Mono) -> NodeSample {
        self.reader.read_memory_signals(now)
    }

    /// Looks at memory if that is due. `true` when a threshold is met that was not.
    pub(super) fn sees_crossing(&mut self, now: Mono) -> bool {
        if self.pace.due().is_none_or(|due| now < due) {
            return false;
        }
        self.timing.begin();
        let readings = self.reader.read_memory_signals(now).readings();
        self.timing.lap(Stage::Read);
        self.note_memory(now, &readings)
            .is_some_and(|left| left < 0)
    }

    /// Goes by the round that has just ended.
    pub(super) fn set_pace(&mut self, now: Mono) {
        self.note_memory(now, &self.sample.readings());
        let mut due = self.evict.due();
        let starves = due.any(|threshold| threshold.is_hard() && is_memory(threshold));
        if starves && !self.dry_run && !self.evict.is_busy() {
            self.next_tick = self.next_tick.min(now + STARVING);
        }
    }

    /// Goes by what was just read of memory; answers what is left, as
    /// [`Engine::headroom`].
    fn note_memory(&mut self, now: Mono, readings: &Readings) -> Option<i64> {
        let left = self.headroom(readings);
        let positive = left.map(|left| u64::try_from(left).unwrap_or(0));
        self.pace.note(now, positive);
        left
    }

    /// How much is left above the nearest memory threshold that is not met yet, as
    /// of the latest round; below zero where it is met now.
    pub(super) fn headroom(&self, readings: &Readings) -> Option<i64> {
        let known = |threshold: &Threshold| {
            let mut met = self.evict.met();
            met.any(|met| core::ptr::eq(met.threshold, threshold))
        };
        let thresholds = self.evict.thresholds().iter();
        thresholds
            .filter(|threshold| is_memory(threshold) && !known(threshold))
            .filter_map(|threshold| {
                let reading = readings.get(threshold.signal)?;
                let capacity = reading.capacity;
                let value = threshold.value.against(capacity).value();
                Some(reading.available.saturating_sub(value))
            })
            .min()
    }
}

fn is_memory(threshold: &Threshold) -> bool {
    threshold.signal.resource() == Resource::Memory && threshold.operator.is_some()
}
