//! What was seen over time, in the numbers that a drawing needs.

use alloc::string::String;
use alloc::vec::Vec;

use evictd_node::{Condition, ConditionSet, Mono, Reading, Readings, Signal};
use evictd_threshold::Threshold;

use crate::{Decided, Seen};

/// Each signal, the conditions, and the pods that were evicted, from the first moment on.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    first: Option<Mono>,
    moments: Vec<Moment>,
    evictions: Vec<(u64, String)>,
    first_time: String,
    last_time: String,
}

#[derive(Clone, Debug)]
struct Moment {
    millis: u64,
    held: ConditionSet,
    readings: Readings,
}

/// A signal of the chart.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Charted<'a> {
    /// Which.
    pub signal: Signal,
    /// What there was at last.
    pub capacity: i64,
    /// The least that was left.
    pub least: i64,
    /// Those that are about it.
    pub thresholds: Vec<&'a Threshold>,
}

impl Chart {
    /// Adds a moment, and the conditions that hold since then.
    pub fn add(&mut self, seen: &Seen, held: ConditionSet) {
        let first = *self.first.get_or_insert(seen.at);
        if self.moments.is_empty() {
            self.first_time.clone_from(&seen.time);
        }
        self.last_time.clone_from(&seen.time);
        self.moments.push(Moment {
            millis: millis(first, seen.at),
            held,
            readings: seen.readings,
        });
    }

    /// Adds the pods that would be evicted by what is decided of the last moment.
    pub fn decided(&mut self, decided: &[Decided]) {
        let millis = self.last_millis();
        let pods = decided.iter().filter_map(|of| of.pod.clone());
        self.evictions.extend(pods.map(|pod| (millis, pod)));
    }

    /// Adds a pod that was evicted.
    pub fn evicted(&mut self, at: Mono, pod: String) {
        let millis = self.first.map_or(0, |first| millis(first, at));
        self.evictions.push((millis, pod));
    }

    /// How many moments there are.
    #[must_use]
    pub const fn moments(&self) -> usize {
        self.moments.len()
    }

    /// How long it goes, in milliseconds.
    #[must_use]
    pub fn last_millis(&self) -> u64 {
        self.moments.last().map_or(0, |last| last.millis)
    }

    /// The times of the first and of the last moment, as they were recorded.
    #[must_use]
    pub fn times(&self) -> [&str; 2] {
        [&self.first_time, &self.last_time]
    }

    /// Which pods were evicted, and when.
    #[must_use]
    pub fn evictions(&self) -> &[(u64, String)] {
        &self.evictions
    }

    /// The signals that were measured, of those that a threshold is about, or that are `always`
    /// shown.
    #[must_use]
    pub fn signals<'a>(&self, thresholds: &'a [Threshold], always: &[Signal]) -> Vec<Charted<'a>> {
        let of = |signal: Signal| {
            let own = thresholds.iter();
            let own = own.filter(|of| of.signal == signal && of.operator.is_some());
            let own: Vec<&Threshold> = own.collect();
            if own.is_empty() && !always.contains(&signal) {
                return None;
            }
            let read = || self.moments.iter().filter_map(|of| of.read(signal));
            Some(Charted {
                signal,
                capacity: read().next_back()?.capacity,
                least: read().map(|reading| reading.available).min()?,
                thresholds: own,
            })
        };
        Signal::ALL.into_iter().filter_map(of).collect()
    }

    /// What was left of a signal and when, `None` where it was not measured. A long recording
    /// has many moments in one of so many columns: of these the least counts.
    #[must_use]
    pub fn least_in_each(&self, signal: Signal, columns: u64) -> Vec<(u64, Option<Reading>)> {
        let mut points: Vec<(u64, u64, Option<Reading>)> = Vec::new();
        for moment in &self.moments {
            let column = self.column(moment.millis, columns);
            let reading = moment.read(signal);
            match points.last_mut() {
                Some((last, at, least)) if *last == column => {
                    let is_less = |reading: Reading| least.is_none_or(|of| is_less(reading, of));
                    if reading.is_some_and(is_less) {
                        (*at, *least) = (moment.millis, reading);
                    }
                }
                _ => points.push((column, moment.millis, reading)),
            }
        }
        let points = points.into_iter();
        points.map(|(_, at, reading)| (at, reading)).collect()
    }

    /// In which of so many columns a moment lies.
    #[must_use]
    pub fn column(&self, millis: u64, columns: u64) -> u64 {
        millis.saturating_mul(columns) / self.last_millis().max(1)
    }

    /// From when to when a condition held.
    #[must_use]
    pub fn spans(&self, condition: Condition) -> Vec<[u64; 2]> {
        let mut spans = Vec::new();
        let mut since = None;
        for moment in &self.moments {
            match (since, moment.held.has(condition)) {
                (None, true) => since = Some(moment.millis),
                (Some(from), false) => {
                    spans.push([from, moment.millis]);
                    since = None;
                }
                (None, false) | (Some(_), true) => {}
            }
        }
        spans.extend(since.map(|from| [from, self.last_millis()]));
        spans
    }
}

impl Moment {
    fn read(&self, signal: Signal) -> Option<Reading> {
        let reading = self.readings.get(signal);
        reading.filter(|reading| reading.capacity > 0)
    }
}

/// Whether less is left, as a share of what there is: that may change.
fn is_less(one: Reading, other: Reading) -> bool {
    let share = |of: Reading, by: Reading| i128::from(of.available) * i128::from(by.capacity);
    share(one, other) < share(other, one)
}

fn millis(first: Mono, at: Mono) -> u64 {
    u64::try_from(at.since(first).as_millis()).unwrap_or(u64::MAX)
}
