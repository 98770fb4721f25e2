//! How short memory is, by what the loop read last.

use evictd_evict::ladder::Need;
use evictd_node::{Readings, Resource};
use evictd_threshold::Threshold;

use crate::engine::Engine;

/// A hard threshold is near where it would be met within so many seconds,
const SECONDS: u64 = 5;
/// or less than such a part of the memory is left above it.
const PART: i64 = 64;

pub(super) fn need_of(engine: &Engine) -> Need {
    let thresholds = engine.evict().thresholds();
    need(thresholds, engine.readings(), engine.filling())
}

fn need(thresholds: &[Threshold], readings: &Readings, filling: u64) -> Need {
    let of_memory = |threshold: &&Threshold| threshold.signal.resource() == Resource::Memory;
    let needs = thresholds.iter().filter(of_memory).filter_map(|threshold| {
        let reading = readings.get(threshold.signal)?;
        if threshold.is_met(&reading) {
            return Some(if threshold.is_hard() {
                Need::Hard
            } else {
                Need::Near
            });
        }
        let value = threshold.value.against(reading.capacity).value();
        let left = reading.available.saturating_sub(value);
        let soon = i64::try_from(filling.saturating_mul(SECONDS)).unwrap_or(i64::MAX);
        let is_near = left < (reading.capacity / PART).max(soon);
        (threshold.is_hard() && is_near).then_some(Need::Near)
    });
    needs.fold(Need::None, |one, other| match (one, other) {
        (Need::Hard, _) | (_, Need::Hard) => Need::Hard,
        (Need::Near, _) | (_, Need::Near) => Need::Near,
        (Need::None, Need::None) => Need::None,
    })
}

#[cfg(test)]
mod tests {
    use evictd_node::{Reading, Signal};

    use super::*;

    const MIB: i64 = 1 << 20;

    /// Acceptance row 320.
    #[test]
    fn memory_is_near_by_what_is_left_and_how_fast_it_goes() {
        let resolved = evictd_config::resolve(&{
            let mut typed = evictd_config::Typed::default();
            assert!(typed.add("eviction-hard", "memory.available<100Mi"));
            assert!(typed.add("eviction-soft", "memory.available<150Mi"));
            assert!(typed.add("eviction-soft-grace-period", "memory.available=1m"));
            typed
        });
        let thresholds = resolved.unwrap().evict.thresholds;
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
            of(&hard, 400, 61 << 20),
            Need::Near,
            "less than five seconds"
        );
        assert_eq!(of(&hard, 99, 0), Need::Hard);
        assert_eq!(of(&thresholds, 149, 0), Need::Near, "a soft one is met");
        assert_eq!(of(&thresholds, 99, 0), Need::Hard);
        assert_eq!(need(&thresholds, &Readings::default(), 0), Need::None);
    }
}
