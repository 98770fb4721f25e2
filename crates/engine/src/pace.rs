//! When memory has to be looked at again: between two rounds, and without one.
//!
//! A threshold must be seen in time without any help of the kernel's. So memory
//! alone is read again as soon as what is left above the nearest threshold could
//! have been used up, at the rate at which a machine of that many processors can fill memory: seldom
//! while much is left, often when little is. Where the kernel promises to tell
//! before that (cgroup v1), it is not read in between at all.

use core::time::Duration;

use evictd_evict::Evict;
use evictd_node::{Mono, Readings, Resource};
use evictd_threshold::Threshold;

use crate::timers::{Timer, Timers};

/// How fast one processor fills memory at most, in bytes a second, as earlyoom takes it for
/// all of them together: the kernel clears each page before a process gets it.
const RATE_OF_ONE: u64 = 6 << 30;

/// As often as it gets while memory is not being filled: 0.3 % of a processor at
/// some 30 µs a look.
const OFTEN: Duration = Duration::from_millis(10);

/// Slower than this, and what is filled in one short rest is no matter.
const FAST: u64 = 256 << 20;

/// As often as it gets while memory is being filled that fast right now.
const MOST_OFTEN: Duration = Duration::from_micros(500);

/// How soon to look again with `headroom` bytes left above the threshold, when
/// memory can be filled at `rate` and was filled at `filling` (bytes a second)
/// since the last look.
fn next_look(headroom: u64, rate: u64, filling: u64) -> Duration {
    let at_most = time_for(headroom, rate).max(OFTEN);
    if filling < FAST {
        return at_most;
    }
    // Half of what is left at the present rate: it may grow.
    let expected = time_for(headroom / 2, filling).max(MOST_OFTEN);
    at_most.min(expected)
}

fn time_for(bytes: u64, per_second: u64) -> Duration {
    let nanos = u128::from(bytes) * 1_000_000_000 / u128::from(per_second.max(1));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// The state between two looks.
#[derive(Debug)]
pub(crate) struct Pace {
    /// How fast memory can be filled, in bytes a second.
    rate: u64,
    /// The latest look: when, and how much was left.
    last: Option<(Mono, u64)>,
    /// How fast memory was being filled lately, in bytes a second.
    filling: u64,
    /// When to look again, if the kernel does not guard.
    due: Option<Mono>,
    /// The kernel tells before a threshold can be met.
    guarded: bool,
}

impl Pace {
    /// On a machine with so many processors. Nothing is due.
    pub(crate) fn new(processors: u64) -> Self {
        Self {
            rate: RATE_OF_ONE.saturating_mul(processors.max(1)),
            last: None,
            filling: 0,
            due: None,
            guarded: false,
        }
    }

    pub(crate) const fn rate(&self) -> u64 {
        self.rate
    }

    /// How fast memory was being filled lately, in bytes a second.
    pub(crate) const fn filling(&self) -> u64 {
        self.filling
    }

    /// Takes in how much is left above the nearest threshold that is not met;
    /// `None` where there is no such threshold, or nothing could be read.
    pub(crate) fn note(&mut self, now: Mono, headroom: Option<u64>, timers: &mut Timers) {
        let Some(left) = headroom else {
            (self.last, self.due, self.filling) = (None, None, 0);
            return self.set(timers);
        };
        let latest = self.last.map_or(0, |(at, before)| {
            let nanos = now.since(at).as_nanos().max(1);
            let taken = u128::from(before.saturating_sub(left));
            u64::try_from(taken * 1_000_000_000 / nanos).unwrap_or(u64::MAX)
        });
        // Counters move in steps: one look that sees none does not mean the end.
        self.filling = latest.max(self.filling / 2);
        self.last = Some((now, left));
        self.due = Some(now + next_look(left, self.rate, self.filling));
        self.set(timers);
    }

    fn set(&self, timers: &mut Timers) {
        match self.due.filter(|_| !self.guarded) {
            Some(due) => timers.set(Timer::Look, due),
            None => timers.stop(Timer::Look),
        }
    }

    /// The kernel guards from now on, or does not.
    pub(crate) fn guard(&mut self, guarded: bool, timers: &mut Timers) {
        self.guarded = guarded;
        self.set(timers);
    }

    pub(crate) const fn is_guarded(&self) -> bool {
        self.guarded
    }

    /// Looks at once: the kernel said that something has happened, and says it
    /// once.
    pub(crate) fn hurry(&mut self, timers: &mut Timers) {
        self.guarded = false;
        if self.due.is_some() {
            self.due = Some(Mono::ZERO);
        }
        self.set(timers);
    }
}

/// How much is left above the nearest memory threshold that is not met yet, as of the
/// latest round; below zero where it is met now.
pub(crate) fn headroom(evict: &Evict, readings: &Readings) -> Option<i64> {
    let known = |threshold: &Threshold| {
        let mut met = evict.met();
        met.any(|met| core::ptr::eq(met.threshold, threshold))
    };
    let thresholds = evict.thresholds().iter();
    thresholds
        .filter(|threshold| is_memory(threshold) && !known(threshold))
        .filter_map(|threshold| {
            let reading = readings.get(threshold.signal)?;
            let value = threshold.value.against(reading.capacity).value();
            Some(reading.available.saturating_sub(value))
        })
        .min()
}

/// Whether a threshold can be met by memory.
pub(crate) fn is_memory(threshold: &Threshold) -> bool {
    threshold.signal.resource() == Resource::Memory && threshold.operator.is_some()
}

#[cfg(test)]
mod tests;
