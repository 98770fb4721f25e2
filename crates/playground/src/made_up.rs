//! A node in a box: a machine that a seed makes up, and what evictd's loop does in it.

use evictd_config::{Typed, resolve};
use evictd_recording::{Chart, Line};
use evictd_simulator::{Feature, Plan, watch};
use serde_json::{Value, json};

use crate::Recording;
use crate::chart::chart_in_json;

/// A page should not be waited for longer.
const MOST_SECONDS: u64 = 600;

/// What a machine may have: `[["Swap","swap"],...]`.
#[must_use]
pub fn features() -> Value {
    let each = Feature::ALL.iter();
    each.map(|feature| json!([format!("{feature:?}"), feature.words()]))
        .collect()
}

/// Runs the machine of `question`: `{"seed":7,"with":["Swap"],"without":["Images"],
/// "seconds":60}`, of which the seed alone has to be there.
///
/// # Errors
/// What is wrong with the question.
pub fn simulate(question: &[u8]) -> Result<Value, String> {
    let plan = plan(question)?;
    let nothing = "evictd's loop does not take the settings of this seed";
    let watched = watch(&plan).ok_or(nothing)?;
    let recording = Recording::read(watched.recording.as_bytes())?;
    let settings = resolve(&recording.with_flags(Typed::default())?);
    let settings = settings.map_err(|error| error.to_string())?;
    let mut chart = Chart::default();
    let mut held = watched.held.iter();
    for line in &recording.lines {
        if let Line::Seen(seen) = line {
            chart.add(seen, held.next().copied().unwrap_or_default());
        }
    }
    let report = watched.report;
    for (at, pod) in report.evictions {
        chart.evicted(at, pod);
    }
    let on = plan.features.each().map(|feature| format!("{feature:?}"));
    Ok(json!({
        "story": report.story,
        "wrong": report.violation.map(|violation| violation.to_string()),
        "features": on.collect::<Value>(),
        "seconds": plan.seconds,
        "chart": chart_in_json(&chart, &settings.evict.thresholds),
        "recording": watched.recording,
    }))
}

fn plan(question: &[u8]) -> Result<Plan, String> {
    let question: Value = serde_json::from_slice(question).map_err(|error| error.to_string())?;
    let seed = question.get("seed").and_then(Value::as_u64);
    let seed = seed.ok_or("a seed is a whole number from 0 on")?;
    let mut plan = Plan::of(seed);
    for (key, on) in [("with", true), ("without", false)] {
        let names = question.get(key).and_then(Value::as_array);
        for name in names.into_iter().flatten() {
            let mut all = Feature::ALL.iter();
            let feature = all.find(|feature| name == &format!("{feature:?}"));
            let feature = feature.ok_or_else(|| format!("{name} is nothing that a machine has"))?;
            plan.features.set(*feature, on);
        }
    }
    if let Some(seconds) = question.get("seconds") {
        let seconds = seconds.as_u64().filter(|seconds| *seconds <= MOST_SECONDS);
        plan.seconds = seconds.ok_or("trouble lasts up to 600 seconds")?;
    }
    Ok(plan)
}
