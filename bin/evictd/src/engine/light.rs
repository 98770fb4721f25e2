//! Light rounds: while nothing is short, most rounds only make sure of that.
//!
//! A full round that finds nothing to do says how much must be left of each signal
//! for it to stay so. A light one reads what is left, compares, and decides nothing:
//! whatever is not as it was then makes the round a full one, at once.

use core::time::Duration;

use evictd_node::{Mono, Readings, Signal};
use evictd_stats::NodeSample;
use evictd_threshold::Threshold;

use super::Engine;
use crate::setup::FS_WAIT;
use crate::timing::Stage;

/// A full round comes at least so often, to the nearest round: as often as the
/// kubelet's.
const FULL: Duration = Duration::from_secs(10);

/// Nothing was short at the last full round.
pub(super) struct Calm {
    floors: Floors,
    /// When the next full round is due.
    until: Mono,
}

/// How much must be left of a signal for none of its thresholds to be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Floor {
    capacity: i64,
    available: i64,
}

/// A floor for each signal that was observed.
#[derive(Clone, Debug, Default)]
struct Floors([Option<Floor>; Signal::COUNT]);

impl Floors {
    /// Those thresholds, where these readings met none of them. A share of memory is
    /// taken of the whole machine's, `total`, of which pools of huge pages may come and
    /// go.
    fn of(thresholds: &[Threshold], readings: &Readings, total: i64) -> Self {
        let mut floors = Self::default();
        for (signal, place) in Signal::ALL.into_iter().zip(&mut floors.0) {
            let Some(reading) = readings.get(signal) else {
                continue;
            };
            let whole = if signal == Signal::MemoryAvailable {
                total.max(reading.capacity)
            } else {
                reading.capacity
            };
            let of_signal = thresholds
                .iter()
                .filter(|threshold| threshold.signal == signal && threshold.operator.is_some());
            let levels = of_signal.map(|threshold| threshold.value.against(whole).value());
            *place = Some(Floor {
                capacity: reading.capacity,
                available: levels.fold(i64::MIN, i64::max),
            });
        }
        floors
    }

    /// Whether no threshold can be met by these readings: the same signals, of the same
    /// capacity. The node's memory is left out where enough of it is free.
    fn hold(&self, readings: &Readings) -> bool {
        let mut each = Signal::ALL.into_iter().zip(self.0);
        each.all(|(signal, floor)| match (floor, readings.get(signal)) {
            (Some(floor), Some(reading)) => {
                reading.capacity == floor.capacity && reading.available >= floor.available
            }
            (Some(_), None) => signal == Signal::MemoryAvailable,
            (None, reading) => reading.is_none(),
        })
    }

    /// How much memory, in bytes, has to be free for its thresholds not to be looked at.
    fn enough_memory(&self) -> u64 {
        let [memory, ..] = self.0;
        memory.map_or(u64::MAX, |floor| {
            u64::try_from(floor.available).unwrap_or(0)
        })
    }
}

impl Engine {
    /// Does the round that is due as a light one; `false` where it has to be a full one.
    pub(super) fn stays_calm(&mut self, now: Mono) -> bool {
        let Some(calm) = self.calm.as_ref().filter(|calm| now < calm.until) else {
            return false;
        };
        self.timing.begin();
        // What would be looked at before the next round is read now.
        let look = self.pace.due();
        let enough = if look.is_some_and(|due| due < now + self.interval) {
            u64::MAX
        } else {
            calm.floors.enough_memory()
        };
        let sample = self.reader.glance(now, enough, FS_WAIT);
        let readings = sample.readings();
        let holds = calm.floors.hold(&readings) && self.could_be_read(&sample);
        self.timing.lap(Stage::Read);
        if holds {
            if sample.memory.is_some() {
                self.note_memory(now, &readings);
            }
            self.next_tick = now + self.interval;
        }
        holds
    }

    /// After a full round: whether the next ones may be light.
    pub(super) fn judge_calm(&mut self, now: Mono) {
        let memory = self.sample.memory.filter(|_| self.is_at_rest());
        let full_at = now + FULL.saturating_sub(self.interval / 2);
        let until = if self.pods.may_have_limits() {
            full_at.min(self.next_census)
        } else {
            full_at
        };
        // At longer intervals all rounds are full.
        let is_often = self.interval <= FULL / 2;
        self.calm = memory.filter(|_| is_often).map(|memory| {
            let total = i64::try_from(memory.total_bytes).unwrap_or(i64::MAX);
            let readings = self.sample.readings();
            Calm {
                floors: Floors::of(self.evict.thresholds(), &readings, total),
                until,
            }
        });
    }

    /// Nothing is met or was lately, nothing is awaited, and all could be read.
    fn is_at_rest(&self) -> bool {
        let evict = &self.evict;
        let nothing_is_short =
            evict.met().next().is_none() && evict.conditions().is_empty() && !evict.is_busy();
        let nothing_is_awaited = self.remains.is_none()
            && self.dirs.is_none()
            && self.census.is_none()
            && self.disk_asked.is_none()
            && self.reclaiming.awaited.is_none();
        nothing_is_short && nothing_is_awaited && self.could_be_read(&self.sample)
    }

    /// Whether all of that sample, the latest, was there and in time, and the
    /// filesystems lie as they did.
    fn could_be_read(&self, sample: &NodeSample) -> bool {
        let filesystems = [&sample.nodefs, &sample.imagefs, &sample.containerfs];
        let mut in_time = filesystems.into_iter().flatten().map(|fs| !fs.stale);
        let layout = sample.layout();
        let is_known = layout.is_some() && layout == self.told.layout;
        self.reader.errors().is_empty() && is_known && in_time.all(|yes| yes)
    }
}

#[cfg(test)]
mod tests;
