//! At which usage of a cgroup the kernel is to tell (cgroup v1).

use evictd_node::{Reading, Signal};
use evictd_stats::{MemoryUsage, NodeSample};
use evictd_threshold::{Threshold, notification_usage};

/// A hard and a soft threshold for each signal, and some to spare.
const MOST: usize = 4;

/// Levels are set anew only when they have moved by more than this.
const STEP: u64 = 4 << 20;

/// The levels to set, lowest number of them that does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    levels: [u64; MOST],
    count: usize,
    /// No threshold can be met below the one level, whatever the page cache does.
    pub(super) guards: bool,
}

impl Wanted {
    /// What to ask for a signal's thresholds; nothing where it was not observed.
    pub(super) fn of<'a>(
        signal: Signal,
        sample: &NodeSample,
        thresholds: impl IntoIterator<Item = &'a Threshold>,
    ) -> Self {
        let usage = if signal == Signal::AllocatableMemoryAvailable {
            sample.pods_memory.and_then(|pods| pods.usage)
        } else {
            sample.memory.and_then(|memory| memory.cgroup)
        };
        let reading = sample.readings().get(signal);
        let of_signal = thresholds
            .into_iter()
            .filter(|threshold| threshold.signal == signal && threshold.operator.is_some());
        usage
            .zip(reading)
            .map(|(usage, reading)| Self::choose(usage, &reading, of_signal))
            .unwrap_or_default()
    }

    /// The working set meets a threshold when the usage reaches the kubelet's level,
    /// which has the inactive page cache in it: less of that, and the level is too
    /// high. It cannot do so before the usage reaches the level without the cache.
    /// So the lowest of those is set while the usage is below, else the kubelet's.
    fn choose<'a>(
        usage: MemoryUsage,
        reading: &Reading,
        thresholds: impl Iterator<Item = &'a Threshold>,
    ) -> Self {
        let used = evictd_threshold::MemoryUsage {
            available: Some(reading.available),
            usage: i64::try_from(usage.usage_bytes).ok(),
            working_set: i64::try_from(usage.working_set_bytes()).ok(),
        };
        let mut wanted = Self::default();
        let mut lowest = u64::MAX;
        for threshold in thresholds {
            let level = notification_usage(threshold, &used);
            let Some(level) = level.and_then(|level| u64::try_from(level).ok()) else {
                continue;
            };
            lowest = lowest.min(level.saturating_sub(usage.inactive_file_bytes));
            if level > usage.usage_bytes {
                wanted.push(level);
            }
        }
        if lowest != u64::MAX && usage.usage_bytes < lowest {
            wanted = Self {
                guards: true,
                ..Self::default()
            };
            wanted.push(lowest);
        }
        wanted
    }

    fn push(&mut self, level: u64) {
        if let Some(place) = self.levels.get_mut(self.count) {
            *place = level;
            self.count += 1;
        }
    }

    pub(super) fn levels(&self) -> &[u64] {
        self.levels.get(..self.count).unwrap_or_default()
    }

    /// Whether what was set does for what is wanted now.
    pub(super) fn is_near(&self, set: &Self) -> bool {
        let near = |(one, other): (&u64, &u64)| one.abs_diff(*other) <= STEP;
        self.guards == set.guards
            && self.count == set.count
            && self.levels().iter().zip(set.levels()).all(near)
    }
}

#[cfg(test)]
mod tests;
