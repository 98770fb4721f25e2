//! How short memory is, by what the loop read last.

use core::time::Duration;

use evictd_node::{Mono, Readings, Resource, Signal};
use evictd_threshold::Threshold;

use super::Need;
use crate::Thresholds;

/// A hard threshold is near where it would be met within so many seconds,
const SECONDS: u64 = 5;
/// or less than such a part of the memory is left above it.
const PART: i64 = 64;
/// There is room again with such a part of it.
const ROOM: i64 = 8;

/// How fast memory is being filled, by two looks of which the older is half a second to one
/// and a half old: one that sees nothing does not mean the end.
#[derive(Debug, Default)]
pub(super) struct Filling {
    older: Option<(Mono, i64)>,
    newer: Option<(Mono, i64)>,
}

impl Filling {
    const APART: Duration = Duration::from_millis(500);

    /// How short memory is by what was read now.
    pub(super) fn need(
        &mut self,
        now: Mono,
        thresholds: Thresholds<'_>,
        readings: &Readings,
    ) -> Need {
        let memory = readings.get(Signal::MemoryAvailable);
        let filling = memory.map_or(0, |reading| self.note(now, reading.available));
        need(thresholds, readings, filling)
    }

    /// In bytes a second, with so many available now.
    fn note(&mut self, now: Mono, available: i64) -> u64 {
        let is_old = |(at, _): (Mono, i64)| now.since(at) >= Self::APART;
        if self.newer.is_none_or(is_old) {
            self.older = self.newer.replace((now, available));
        }
        let Some((at, before)) = self.older else {
            return 0;
        };
        let taken = u64::try_from(before.saturating_sub(available)).unwrap_or(0);
        let millis = u64::try_from(now.since(at).as_millis()).unwrap_or(u64::MAX);
        taken.saturating_mul(1000) / millis.max(1)
    }
}

/// How short memory is by these readings, while so many bytes of it are filled in a second.
#[must_use]
pub fn need<'a>(
    thresholds: impl IntoIterator<Item = &'a Threshold>,
    readings: &Readings,
    filling: u64,
) -> Need {
    let of_memory = |threshold: &&Threshold| threshold.signal.resource() == Resource::Memory;
    let needs = thresholds
        .into_iter()
        .filter(of_memory)
        .filter_map(|threshold| {
            let reading = readings.get(threshold.signal)?;
            if threshold.is_met(&reading) {
                return Some(if threshold.is_hard() {
                    Need::Hard
                } else {
                    Need::Near
                });
            }
            if threshold.signal.grows_with_trouble() {
                return None; // How soon it is met nobody knows.
            }
            let value = threshold.level(reading.capacity);
            let left = reading.available.saturating_sub(value);
            // Swap is filled once there is no memory left, so how fast that goes says nothing of it.
            let filling = if threshold.signal == Signal::SwapAvailable {
                0
            } else {
                filling
            };
            let soon = i64::try_from(filling.saturating_mul(SECONDS)).unwrap_or(i64::MAX);
            let is_near = left < (reading.capacity / PART).max(soon);
            match (threshold.is_hard(), is_near) {
                (true, true) => Some(Need::Near),
                (true, false) => (left < reading.capacity / ROOM).then_some(Need::Tight),
                (false, _) => None,
            }
        });
    needs.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use evictd_node::Reading;
    use evictd_threshold::{Lists, parse};

    use super::*;

    const MIB: i64 = 1 << 20;

    /// Acceptance row 320.
    #[test]
    fn memory_is_near_by_what_is_left_and_how_fast_it_goes() {
        let thresholds = parse(&Lists {
            hard: "memory.available<100Mi",
            soft: "memory.available<150Mi",
            soft_grace_period: "memory.available=1m",
            ..Lists::default()
        });
        let thresholds = thresholds.unwrap();
        let hard: Vec<Threshold> = thresholds
            .iter()
            .filter(|of| of.is_hard())
            .cloned()
            .collect();
        let of = |thresholds: &[Threshold], mib: i64, filling: u64| {
            let mut readings = Readings::default();
            let reading = Reading::new(mib * MIB, 640 * MIB);
            readings.set(Signal::MemoryAvailable, Some(reading));
            need(thresholds, &readings, filling)
        };
        assert_eq!(of(&hard, 400, 0), Need::None);
        assert_eq!(of(&hard, 109, 0), Need::Near, "less than a 64th above it");
        assert_eq!(of(&hard, 400, 59 << 20), Need::None);
        assert_eq!(
            of(&hard, 111, 0),
            Need::Tight,
            "less than an eighth above it"
        );
        assert_eq!(of(&hard, 181, 0), Need::None);
        assert_eq!(
            of(&hard, 400, 61 << 20),
            Need::Near,
            "less than five seconds"
        );
        assert_eq!(of(&hard, 99, 0), Need::Hard);
        assert_eq!(of(&thresholds, 149, 0), Need::Near, "a soft one is met");
        assert_eq!(of(&thresholds, 99, 0), Need::Hard);
        assert_eq!(need(&thresholds, &Readings::default(), 0), Need::None);
        let mut stalls = Readings::default();
        stalls.set(Signal::MemoryStall, Some(Reading::new(0, 100)));
        let lists = Lists {
            hard: "memory.stall>40%",
            own_signals: true,
            ..Lists::default()
        };
        let thresholds = parse(&lists).unwrap();
        assert_eq!(
            need(&thresholds, &stalls, 1 << 30),
            Need::None,
            "nobody waits"
        );
    }

    /// Acceptance row 320: a small swap beside plenty of memory.
    #[test]
    fn how_fast_memory_is_filled_says_nothing_of_swap() {
        let thresholds = parse(&Lists {
            hard: "memory.available<100Mi,swap.available<10%",
            own_signals: true,
            ..Lists::default()
        });
        let thresholds = thresholds.unwrap();
        let of = |swap: i64, filling: u64| {
            let mut readings = Readings::default();
            let memory = Reading::new(600 * MIB, 640 * MIB);
            readings.set(Signal::MemoryAvailable, Some(memory));
            let swap = Reading::new(swap * MIB, 40 * MIB);
            readings.set(Signal::SwapAvailable, Some(swap));
            need(&thresholds, &readings, filling)
        };
        assert_eq!(of(40, 90 << 20), Need::None);
        assert_eq!(of(40, 120 << 20), Need::Near, "memory itself is");
        assert_eq!(of(8, 90 << 20), Need::Tight);
        assert_eq!(of(4, 0), Need::Near, "less than a 64th above it");
        assert_eq!(of(3, 0), Need::Hard);
    }

    /// Acceptance row 320: memory that is filled in steps is being filled between them, too.
    #[test]
    fn how_fast_memory_is_filled_is_seen_over_a_while() {
        let mut filling = Filling::default();
        let mut at = |millis: u64, mib: i64| {
            filling.note(Mono::ZERO + Duration::from_millis(millis), mib * MIB) >> 20
        };
        assert_eq!(at(0, 400), 0);
        assert_eq!(at(500, 390), 20);
        assert_eq!(at(600, 380), 33);
        assert_eq!(at(900, 380), 22);
        assert_eq!(at(1000, 380), 20, "by the look half a second ago");
        assert_eq!(at(1700, 380), 0);
        assert_eq!(at(1800, 500), 0, "given back");
    }
}
