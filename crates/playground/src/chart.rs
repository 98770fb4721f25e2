//! A chart as the page draws it.

use evictd_node::{Amount, Condition, Reading, Signal};
use evictd_recording::{Chart, Charted};
use evictd_threshold::Threshold;
use serde_json::{Value, json};

/// So many pixels are enough for a page.
const COLUMNS: u64 = 600;

/// A whole, in the shares that the page gets.
const WHOLE: i128 = 10_000;

/// These are shown wherever they were measured, others where a threshold is about them.
const ALWAYS: [Signal; 2] = [Signal::MemoryAvailable, Signal::NodefsAvailable];

pub(crate) fn chart_in_json(chart: &Chart, thresholds: &[Threshold]) -> Value {
    let signals = chart.signals(thresholds, &ALWAYS);
    let [first, last] = chart.times();
    json!({
        "first": first,
        "last": last,
        "millis": chart.last_millis(),
        "signals": signals.iter().map(|of| signal(chart, of)).collect::<Value>(),
        "conditions": Condition::ALL
            .map(|of| json!({ "name": of.name(), "spans": chart.spans(of) })),
        "evictions": chart.evictions(),
    })
}

fn signal(chart: &Chart, of: &Charted<'_>) -> Value {
    let amount = |value| Amount::of(of.signal, value).to_string();
    let thresholds = of.thresholds.iter().map(|threshold| {
        let level = threshold.level(of.capacity);
        json!({
            "isHard": threshold.is_hard(),
            "text": threshold.to_string(),
            "share": share(level, of.capacity),
            "amount": amount(level),
            "grace": threshold.grace.to_string(),
        })
    });
    // When, and no share where nothing was measured.
    let share_of = |reading: Reading| share(reading.available, reading.capacity);
    let points = chart.least_in_each(of.signal, COLUMNS).into_iter();
    let points = points.map(|(millis, reading)| json!([millis, reading.map(share_of)]));
    json!({
        "name": of.signal.name(),
        "capacity": amount(of.capacity),
        "least": amount(of.least),
        "points": points.collect::<Value>(),
        "thresholds": thresholds.collect::<Value>(),
    })
}

fn share(part: i64, whole: i64) -> i64 {
    let share = i128::from(part) * WHOLE / i128::from(whole.max(1));
    i64::try_from(share.clamp(0, WHOLE)).unwrap_or(0)
}
