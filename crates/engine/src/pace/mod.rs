//! When memory has to be looked at again: between two rounds, and without one.
//!
//! A threshold must be seen in time without any help of the kernel's. So memory
//! alone is read again as soon as what is left above the nearest threshold could
//! have been used up, at the rate at which a machine of that many processors can fill memory: seldom
//! while much is left, often when little is.
//!
//! On cgroup v1 the kernel guards: it tells before processes' own pages and page cache fill
//! memory up to a threshold. It says nothing of what it takes for them itself: sockets'
//! buffers and page tables are charged without a word. So memory is looked at then as well,
//! by its plain counters and as seldom as earlyoom does it.

mod disk;

use core::time::Duration;

use evictd_evict::Evict;
use evictd_node::{Mono, Readings, Resource, Unit};
use evictd_threshold::Threshold;

use crate::ports::Depth;
use crate::timers::{Timer, Timers};

pub(crate) use disk::{DiskPace, is_disk};

/// How fast one processor fills memory at most, in bytes a second, as earlyoom takes it for
/// all of them together: the kernel clears each page before a process gets it.
const RATE_OF_ONE: u64 = 6 << 30;

/// As often as it gets while memory is not being filled: 0.3 % of a processor at
/// some 30 µs a look.
const OFTEN: Duration = Duration::from_millis(10);

/// As often as it gets while the kernel guards: half of earlyoom's shortest rest, as such a
/// look costs less than half of one of its.
const GUARDED: Duration = Duration::from_millis(50);

/// Slower than this, and what is filled in one short rest is no matter.
const FAST: u64 = 256 << 20;

/// As seldom as it gets where the time is watched that is lost waiting for memory: a machine
/// begins to thrash with memory left. Not while the kernel is asked to tell of lost time and
/// does not, from so long after it was asked: of what was lost until then it may say nothing.
const STALL: Duration = Duration::from_millis(500);
const STALL_GOES_ON: Duration = Duration::from_secs(4);

/// How often memory is looked at once a quarter of the allowed time is lost.
const STALL_IS_NEAR: Duration = Duration::from_millis(100);

/// As often as it gets while memory is being filled that fast right now.
const MOST_OFTEN: Duration = Duration::from_micros(500);

/// How soon to look again with `headroom` bytes left above the threshold, when
/// memory can be filled at `rate` and was filled at `filling` (bytes a second)
/// since the last look; as a rule not sooner than `often`.
fn next_look(headroom: u64, (rate, often): (u64, Duration), filling: u64) -> Duration {
    let at_most = time_for(headroom, rate).max(often);
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
    /// When memory was looked at last,
    looked: Option<Mono>,
    /// and how much was left.
    last: Option<Left>,
    /// The latest look of each depth, as only like and like can be compared.
    whole: Option<Left>,
    bounds: Option<Left>,
    /// How fast memory was being filled lately, in bytes a second.
    filling: u64,
    /// When to look again.
    due: Option<Mono>,
    /// The kernel tells before processes can fill memory up to a threshold.
    guarded: bool,
    /// A threshold of `memory.stall` is set.
    watches_stall: bool,
    /// A quarter of the time is lost that it allows.
    stall_is_near: bool,
    /// The kernel is asked to tell when time is lost waiting for memory, and did not yet;
    stall_is_told: bool,
    /// until then it may be lost all the same.
    may_stall_until: Mono,
}

/// When memory was looked at, and how much was left above the nearest threshold.
type Left = (Mono, u64);

impl Pace {
    /// On a machine with so many processors. Nothing is due.
    pub(crate) fn new(processors: u64) -> Self {
        Self {
            rate: RATE_OF_ONE.saturating_mul(processors.max(1)),
            looked: None,
            last: None,
            whole: None,
            bounds: None,
            filling: 0,
            due: None,
            guarded: false,
            watches_stall: false,
            stall_is_near: false,
            stall_is_told: false,
            may_stall_until: Mono::ZERO,
        }
    }

    /// How fast memory was being filled lately, in bytes a second.
    pub(crate) const fn filling(&self) -> u64 {
        self.filling
    }

    /// Takes in how much is left above the nearest threshold that is not met, or how much at
    /// least; `None` where there is no such threshold, or nothing could be read.
    pub(crate) fn note(
        &mut self,
        now: Mono,
        depth: Depth,
        headroom: Option<u64>,
        timers: &mut Timers,
    ) {
        self.looked = Some(now);
        self.last = headroom.map(|left| (now, left));
        let of_depth = match depth {
            Depth::Whole => &mut self.whole,
            Depth::Bounds => &mut self.bounds,
        };
        let former = core::mem::replace(of_depth, self.last);
        let latest = former.zip(headroom).map_or(0, |((at, before), left)| {
            let nanos = now.since(at).as_nanos().max(1);
            let taken = u128::from(before.saturating_sub(left));
            u64::try_from(taken * 1_000_000_000 / nanos).unwrap_or(u64::MAX)
        });
        // Counters move in steps: one look that sees none does not mean the end.
        self.filling = headroom.map_or(0, |_| latest.max(self.filling / 2));
        self.plan(timers);
    }

    /// Whether a threshold of `memory.stall` is set, and a quarter of the time is lost that it
    /// allows.
    pub(crate) const fn watch_stall(&mut self, watches: bool, is_near: bool) {
        self.watches_stall = watches;
        self.stall_is_near = is_near;
    }

    fn plan(&mut self, timers: &mut Timers) {
        let pace = if self.guarded {
            (RATE_OF_ONE, GUARDED)
        } else {
            (self.rate, OFTEN)
        };
        let next = |(at, left)| at + next_look(left, pace, self.filling);
        let may_stall = |at: &Mono| !self.stall_is_told || *at < self.may_stall_until;
        let looked = self.looked.filter(|_| self.watches_stall);
        let for_stall = match self.stall_is_near {
            true => looked.map(|at| at + STALL_IS_NEAR),
            false => looked.filter(may_stall).map(|at| at + STALL),
        };
        self.due = [self.last.map(next), for_stall].into_iter().flatten().min();
        self.set(timers);
    }

    fn set(&self, timers: &mut Timers) {
        match self.due {
            Some(due) => timers.set(Timer::Look, due),
            None => timers.stop(Timer::Look),
        }
    }

    /// The kernel guards from now on, or does not.
    pub(crate) fn guard(&mut self, guarded: bool, timers: &mut Timers) {
        if self.guarded != guarded {
            self.guarded = guarded;
            self.plan(timers);
        }
    }

    pub(crate) const fn is_guarded(&self) -> bool {
        self.guarded
    }

    /// The kernel tells from now on when time is lost waiting for memory, or does not.
    pub(crate) fn stall_is_told(&mut self, is_told: bool, timers: &mut Timers) {
        if self.stall_is_told != is_told {
            self.stall_is_told = is_told;
            self.may_stall_until = self.looked.unwrap_or(Mono::ZERO) + STALL_GOES_ON;
            self.plan(timers);
        }
    }

    /// Looks at once: the kernel said that something has happened, and says it
    /// once.
    pub(crate) fn look_now(&mut self, timers: &mut Timers) {
        self.guarded = false;
        self.stall_is_told = false;
        let stall_is_due = self.looked.filter(|_| self.watches_stall);
        self.due = self.due.or(stall_is_due).map(|_| Mono::ZERO);
        self.set(timers);
    }
}

/// How many bytes are left above the nearest memory threshold that is not met yet, as of the
/// latest round; below zero where it is met now.
pub(crate) fn headroom(evict: &Evict, readings: &Readings) -> Option<i64> {
    left_above(evict, readings, is_of_bytes)
}

/// Whether more time is lost waiting for memory than a threshold allows that was not met as
/// of the latest round.
pub(crate) fn is_stalled_anew(evict: &Evict, readings: &Readings) -> bool {
    let mut thresholds = evict.thresholds();
    thresholds.any(|threshold| {
        let reading = readings
            .get(threshold.signal)
            .filter(|_| is_stall(threshold));
        reading.is_some_and(|reading| threshold.is_met(&reading)) && !is_known(evict, threshold)
    })
}

/// Whether a quarter of the time that a threshold allows is lost: who takes it is measured then,
/// before it is met.
pub(crate) fn is_stall_near(evict: &Evict, readings: &Readings) -> bool {
    const PART: i64 = 4;
    let mut thresholds = evict.thresholds().filter(|of| is_stall(of));
    thresholds.any(|threshold| {
        let reading = readings.get(threshold.signal);
        reading.is_some_and(|reading| {
            let most = threshold.value.against(reading.capacity).value();
            reading.available > most / PART
        })
    })
}

/// Whether it is one of `memory.stall`.
pub(crate) fn is_stall(threshold: &Threshold) -> bool {
    threshold.signal.grows_with_trouble()
}

fn is_known(evict: &Evict, threshold: &Threshold) -> bool {
    let mut met = evict.met();
    met.any(|met| core::ptr::eq(met.threshold, threshold))
}

/// How much is left of a disk above its nearest threshold, in bytes.
pub(crate) fn disk_headroom(evict: &Evict, readings: &Readings) -> Option<i64> {
    let is_disk = |threshold: &Threshold| {
        let signal = threshold.signal;
        signal.filesystem().is_some() && signal.unit() == Unit::Bytes
    };
    left_above(evict, readings, is_disk)
}

fn left_above(evict: &Evict, readings: &Readings, is_meant: fn(&Threshold) -> bool) -> Option<i64> {
    let thresholds = evict.thresholds();
    thresholds
        .filter(|threshold| is_meant(threshold) && !is_known(evict, threshold))
        .filter_map(|threshold| {
            let reading = readings.get(threshold.signal)?;
            let value = threshold.level(reading.capacity);
            Some(reading.available.saturating_sub(value))
        })
        .min()
}

/// Whether a threshold of memory is met.
pub(crate) fn is_memory_met(evict: &Evict, readings: &Readings) -> bool {
    let thresholds = evict.thresholds();
    let mut of_memory = thresholds.filter(|threshold| is_memory(threshold));
    of_memory.any(|threshold| {
        let reading = readings.get(threshold.signal);
        reading.is_some_and(|reading| threshold.is_met(&reading))
    })
}

/// Whether a threshold of memory is met, or was met and its minimum is not reclaimed yet.
pub(crate) fn is_memory_unreclaimed(evict: &Evict, readings: &Readings) -> bool {
    let mut met = evict.met().filter(|met| is_memory(met.threshold));
    let is_unreclaimed = met.any(|met| {
        let reading = readings.get(met.threshold.signal);
        reading.is_some_and(|reading| met.threshold.is_unreclaimed(&reading))
    });
    is_unreclaimed || is_memory_met(evict, readings)
}

/// Whether a threshold can be met by memory.
pub(crate) fn is_memory(threshold: &Threshold) -> bool {
    threshold.signal.resource() == Resource::Memory && threshold.operator.is_some()
}

/// Whether it can be met by memory, and says so in bytes.
pub(crate) fn is_of_bytes(threshold: &Threshold) -> bool {
    is_memory(threshold) && threshold.signal.unit() == Unit::Bytes
}

#[cfg(test)]
mod tests;
