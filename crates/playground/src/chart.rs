//! What was seen, as a chart draws it: each signal's share of what there is, the conditions
//! and evictions, over time.

use evictd_engine::amount::{Amount, level};
use evictd_node::{Condition, ConditionSet, Mono, Reading, Signal};
use evictd_recording::Seen;
use evictd_threshold::Threshold;
use serde_json::{Value, json};

/// A long recording has many moments in a pixel: the least of each is what counts.
const MOST_POINTS: u64 = 600;

/// A whole, in the shares that the page gets.
const WHOLE: i128 = 10_000;

/// These are shown wherever they were measured, others where a threshold is about them.
const ALWAYS: [Signal; 2] = [Signal::MemoryAvailable, Signal::NodefsAvailable];

#[derive(Default)]
pub(crate) struct Chart {
    first: Option<Mono>,
    moments: Vec<Moment>,
    evictions: Vec<(u64, String)>,
    first_time: String,
    last_time: String,
}

struct Moment {
    millis: u64,
    held: ConditionSet,
    readings: evictd_node::Readings,
}

impl Chart {
    pub(crate) fn add(&mut self, seen: &Seen, held: ConditionSet) {
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

    pub(crate) fn evicted(&mut self, millis: u64, pod: String) {
        self.evictions.push((millis, pod));
    }

    /// When something was, from the first moment on.
    pub(crate) fn millis(&self, at: Mono) -> u64 {
        self.first.map_or(0, |first| millis(first, at))
    }

    pub(crate) fn last_millis(&self) -> u64 {
        self.moments.last().map_or(0, |last| last.millis)
    }

    pub(crate) const fn moments(&self) -> usize {
        self.moments.len()
    }

    pub(crate) fn to_json(&self, thresholds: &[Threshold]) -> Value {
        let about = |signal: Signal| {
            let own = thresholds.iter().filter(move |of| of.signal == signal);
            own.filter(|of| of.operator.is_some()).collect::<Vec<_>>()
        };
        let signals = Signal::ALL.into_iter().filter_map(|signal| {
            let own = about(signal);
            let is_shown = ALWAYS.contains(&signal) || !own.is_empty();
            is_shown.then(|| self.signal(signal, &own)).flatten()
        });
        let conditions = Condition::ALL
            .map(|condition| json!({ "name": condition.name(), "spans": self.spans(condition) }));
        json!({
            "first": self.first_time,
            "last": self.last_time,
            "millis": self.last_millis(),
            "signals": signals.collect::<Value>(),
            "conditions": conditions,
            "evictions": self.evictions,
        })
    }

    /// `None` where it was never measured.
    fn signal(&self, signal: Signal, thresholds: &[&Threshold]) -> Option<Value> {
        let read = |moment: &Moment| {
            let reading = moment.readings.get(signal);
            reading.filter(|reading| reading.capacity > 0)
        };
        let capacity = self.moments.iter().filter_map(read).next_back()?.capacity;
        let least = self.moments.iter().filter_map(read);
        let least = least.map(|reading| reading.available).min()?;
        let amount = |value| Amount::of(signal, value).to_string();
        let thresholds = thresholds.iter().map(|threshold| {
            let level = level(threshold, capacity);
            json!({
                "isHard": threshold.is_hard(),
                "text": threshold.to_string(),
                "share": share(level, capacity),
                "amount": amount(level),
                "grace": threshold.grace.to_string(),
            })
        });
        Some(json!({
            "name": signal.name(),
            "capacity": amount(capacity),
            "least": amount(least),
            "points": self.least_in_each_pixel(read),
            "thresholds": thresholds.collect::<Value>(),
        }))
    }

    /// `[MILLIS, SHARE]`, and no share where nothing was measured.
    fn least_in_each_pixel(&self, read: impl Fn(&Moment) -> Option<Reading>) -> Vec<Value> {
        let mut points: Vec<(u64, u64, Option<i64>)> = Vec::new();
        for moment in &self.moments {
            let pixel = moment.millis.saturating_mul(MOST_POINTS) / self.last_millis().max(1);
            let share = read(moment).map(|reading| share(reading.available, reading.capacity));
            match points.last_mut() {
                Some((last, at, least)) if *last == pixel => {
                    let both = least.zip(share);
                    if both.is_none_or(|(least, share)| share < least) && share.is_some() {
                        (*at, *least) = (moment.millis, share);
                    }
                }
                _ => points.push((pixel, moment.millis, share)),
            }
        }
        let points = points.into_iter();
        points.map(|(_, at, share)| json!([at, share])).collect()
    }

    /// From when to when a condition held.
    fn spans(&self, condition: Condition) -> Vec<[u64; 2]> {
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

fn millis(first: Mono, at: Mono) -> u64 {
    u64::try_from(at.since(first).as_millis()).unwrap_or(u64::MAX)
}

fn share(part: i64, whole: i64) -> i64 {
    let share = i128::from(part) * WHOLE / i128::from(whole.max(1));
    i64::try_from(share.clamp(0, WHOLE)).unwrap_or(0)
}
