//! `evictd status`: signals against their thresholds, conditions, pods.

use core::fmt::Write;
use std::process::ExitCode;

use evictd_condition::NodeCondition;
use evictd_config::Resolved;
use evictd_jsontext::Json;
use evictd_node::{Condition, Reading, Signal};
use evictd_stats::Progress;
use evictd_threshold::{Threshold, ThresholdValue};

use crate::amount::{Amount, level};
use crate::cli::output::print;
use crate::cli::rank::add_order;
use crate::cli::screen::{Paint, bar, cut};
use crate::cli::snapshot::Snapshot;
use crate::socket;

/// What was asked for.
pub(crate) struct StatusOptions {
    /// Ask the daemon how long the stages of its loop take.
    pub(crate) timing: bool,
    pub(crate) json: bool,
}

/// The width of a bar; with it a line stays within 80 columns.
const BAR: u32 = 14;

/// Prints what one look shows; fails when the node cannot be read.
#[inline(never)]
pub(crate) fn run(settings: &Resolved, options: &StatusOptions) -> ExitCode {
    if options.timing {
        return timing(settings, options.json);
    }
    let snapshot = match Snapshot::take(settings) {
        Ok(snapshot) => snapshot,
        Err(error) => {
            eprintln!("evictd status: {error}");
            return ExitCode::FAILURE;
        }
    };
    for problem in snapshot.pods().problems() {
        eprintln!("evictd status: {problem}");
    }
    print(&if options.json {
        in_json(&snapshot)
    } else {
        in_text(&snapshot, Paint::for_stdout())
    })
}

/// What the daemon says of its loop.
fn timing(settings: &Resolved, json: bool) -> ExitCode {
    let path = if json { "/timing.json" } else { "/timing" };
    match socket::ask(settings, path) {
        Ok(text) => print(&text),
        Err(error) => {
            eprintln!("evictd status: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The signal that the pods are ordered by: the first that starves, else memory.
fn ranked_by(snapshot: &Snapshot) -> Signal {
    snapshot
        .evict()
        .met()
        .next()
        .map_or(Signal::MemoryAvailable, |met| met.threshold.signal)
}

fn in_text(snapshot: &Snapshot, paint: Paint) -> String {
    let mut text = paint
        .head("SIGNAL                        LEFT      OF  USED            THRESHOLD, ! is met");
    text.push('\n');
    for signal in Signal::ALL {
        signal_lines(&mut text, snapshot, signal, paint);
    }
    if let Some(bytes) = snapshot
        .sample()
        .memory
        .and_then(|memory| memory.unaccounted_bytes)
    {
        let amount = Amount::bytes(bytes).to_string();
        let _ = writeln!(
            text,
            "  {amount} of memory is neither free nor in a cgroup: kernel, tmpfs"
        );
    }
    let _ = write!(text, "\nFilesystems: {}\n", snapshot.layout());
    if let Some(progress) = snapshot
        .pods()
        .disk_progress()
        .filter(Progress::is_under_way)
    {
        let _ = writeln!(text, "Still being measured: {progress}");
    }
    text.push_str(&paint.head("Conditions:"));
    for condition in Condition::ALL {
        let holds = snapshot.evict().conditions().has(condition);
        let shown = format!(" {condition}={}", if holds { "True" } else { "False" });
        text.push_str(&if holds {
            paint.bad(&shown)
        } else {
            paint.good(&shown)
        });
    }
    text.push('\n');
    pod_lines(&mut text, snapshot, paint);
    text
}

/// A line for the signal, and one for each further threshold of it.
fn signal_lines(text: &mut String, snapshot: &Snapshot, signal: Signal, paint: Paint) {
    let thresholds: Vec<&Threshold> = snapshot
        .evict()
        .thresholds()
        .iter()
        .filter(|t| t.signal == signal && t.operator.is_some())
        .collect();
    let Some(reading) = snapshot.readings.get(signal) else {
        // The threshold of the pods' cgroup is a copy that nobody asked for.
        if !thresholds.is_empty() && signal != Signal::AllocatableMemoryAvailable {
            let _ = writeln!(text, "{:<27} cannot be observed here", signal.name());
        }
        return;
    };
    let first = thresholds.first().copied();
    let left = Amount::of(signal, reading.available).to_string();
    let of = Amount::of(signal, reading.capacity).to_string();
    let used = bar(
        1.0 - share(reading.available, reading.capacity),
        first.map(|t| mark(t, &reading)),
        BAR,
    );
    let met = thresholds
        .iter()
        .any(|threshold| threshold.is_met(&reading));
    let used = if met { paint.bad(&used) } else { used };
    let shown = first.map_or_else(|| String::from("-"), |t| describe(t, &reading, paint));
    let _ = writeln!(
        text,
        "{:<27}{left:>7} {of:>7}  {used}  {shown}",
        signal.name()
    );
    for threshold in thresholds.iter().skip(1) {
        let _ = writeln!(text, "{:60}{}", "", describe(threshold, &reading, paint));
    }
}

/// `hard 10%`, `soft 1Gi 30s`, with `!` when it is met.
fn describe(threshold: &Threshold, reading: &Reading, paint: Paint) -> String {
    let value = match &threshold.value {
        ThresholdValue::Quantity(quantity) => {
            Amount::of(threshold.signal, quantity.value()).to_string()
        }
        ThresholdValue::Percentage(_) => threshold.value.to_string(),
    };
    let text = if threshold.is_hard() {
        format!("hard {value}")
    } else {
        format!("soft {value} {}", threshold.grace)
    };
    if !threshold.is_met(reading) {
        return text;
    }
    let text = format!("{text} !");
    if threshold.is_hard() {
        paint.bad(&text)
    } else {
        paint.warn(&text)
    }
}

/// Where on the bar the threshold lies.
fn mark(threshold: &Threshold, reading: &Reading) -> f64 {
    1.0 - share(level(threshold, reading.capacity), reading.capacity)
}

#[expect(clippy::cast_precision_loss, reason = "a bar of twenty characters")]
fn share(part: i64, whole: i64) -> f64 {
    part as f64 / whole as f64
}

fn pod_lines(text: &mut String, snapshot: &Snapshot, paint: Paint) {
    let signal = ranked_by(snapshot);
    let order = snapshot.order(signal);
    let described: Vec<&str> = snapshot
        .pods()
        .not_running()
        .map(|pod| pod.metadata.name.as_str())
        .collect();
    if !described.is_empty() {
        let names = described.join(" ");
        let _ = write!(text, "\nDescribed by a manifest, not running: {names}\n");
    }
    if order.is_empty() {
        text.push_str("\nNo pods: pressure is reported and nothing is killed.\n");
        return;
    }
    let title = format!("\nPods in the order in which they go if {signal} starves:\n");
    text.push_str(&title);
    let columns = "     NAME                            USED    PRIORITY CLASS";
    text.push_str(&paint.head(columns));
    text.push('\n');
    for (index, ranked) in order.iter().enumerate() {
        let used = ranked.place.used.map_or_else(
            || String::from("?"),
            |used| Amount::of(signal, i64::try_from(used).unwrap_or(i64::MAX)).to_string(),
        );
        let over = if ranked.place.exceeds {
            "above request"
        } else {
            ""
        };
        let standing = if ranked.is_protected() {
            "critical"
        } else {
            over
        };
        let _ = writeln!(
            text,
            "{:>3}  {:<28} {used:>7} {:>11} {:<10} {standing}",
            index.saturating_add(1),
            cut(&ranked.name(), 28),
            ranked.place.priority,
            ranked.place.qos,
        );
    }
}

fn in_json(snapshot: &Snapshot) -> String {
    let mut json = Json::new();
    json.array("signals");
    for signal in Signal::ALL {
        add_signal(&mut json, snapshot, signal);
    }
    json.end_array();
    json.array("conditions");
    for condition in Condition::ALL {
        let mut status = NodeCondition::unknown(condition);
        status.update((), snapshot.evict().conditions().has(condition));
        json.item_object();
        json.text("type", condition.name());
        json.text("status", status.status.name());
        json.text("reason", status.reason);
        json.end_object();
    }
    json.end_array();
    json.show("layout", &snapshot.layout());
    let signal = ranked_by(snapshot);
    json.text("rankedBy", signal.name());
    add_order(&mut json, &snapshot.order(signal));
    json.into_line()
}

/// Nothing for a signal that is neither observed nor asked for.
fn add_signal(json: &mut Json, snapshot: &Snapshot, signal: Signal) {
    let reading = snapshot.readings.get(signal);
    let thresholds = snapshot.evict().thresholds().iter();
    let mut thresholds = thresholds
        .filter(|t| t.signal == signal && t.operator.is_some())
        .peekable();
    if reading.is_none() && thresholds.peek().is_none() {
        return;
    }
    json.item_object();
    json.text("signal", signal.name());
    json.opt_int("available", reading.map(|r| r.available));
    json.opt_int("capacity", reading.map(|r| r.capacity));
    json.array("thresholds");
    for threshold in thresholds {
        add_threshold(json, threshold, reading.as_ref());
    }
    json.end_array();
    json.end_object();
}

fn add_threshold(json: &mut Json, threshold: &Threshold, reading: Option<&Reading>) {
    let value = reading.map(|r| level(threshold, r.capacity));
    json.item_object();
    json.text("kind", if threshold.is_hard() { "hard" } else { "soft" });
    json.show("threshold", threshold);
    json.opt_int("value", value);
    json.int("graceSeconds", threshold.grace.nanos() / 1_000_000_000);
    match reading {
        Some(reading) => json.bool("met", threshold.is_met(reading)),
        None => json.null("met"),
    }
    json.end_object();
}
