//! What happened, in the order of time: evictions, what disks gave back, and other events.

use core::fmt::Write;

use evictd_engine::full_name;
use evictd_node::{Amount, Signal, Utc};
use evictd_state::{Outcome, Record, Relief, State};
use serde_json::Value;

use crate::columns::wrap;

const INDENT: &str = "    ";

/// The record of an eviction says more than these events.
const OF_EVICTIONS: [&str; 5] = ["evicting", "would_evict", "killed", "stuck", "oom_killed"];

/// Of what is only information, this matters when one looks back.
const MATTERS: [&str; 5] = ["condition", "cleared", "recovered", "start", "ended"];

/// In text, for people; of the events those that no record of an eviction tells.
pub(crate) fn in_text(state: &State, events: &[Value]) -> String {
    let mut text = String::new();
    let older = state.forgotten();
    if state.history.is_empty() {
        text.push_str("No pod was evicted.\n");
    } else if older > 0 {
        let _ = writeln!(text, "{older} earlier evictions are forgotten.");
    }
    let mut entries: Vec<(String, String)> = Vec::new();
    entries.extend(events.iter().filter_map(event));
    entries.extend(state.reliefs.iter().map(relief));
    entries.extend(state.history.iter().map(eviction));
    // Of one second what led to an eviction comes before it.
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    entries.iter().for_each(|(_, entry)| text += entry);
    text
}

/// `2025-11-24T16:00:00Z  MemoryPressure is True`; `None` for what is not told here.
fn event(record: &Value) -> Option<(String, String)> {
    let field = |name| record.get(name)?.as_str();
    let (time, name) = (field("time")?, field("event")?);
    let matters = field("level")? != "info" || MATTERS.contains(&name);
    if !matters || OF_EVICTIONS.contains(&name) {
        return None;
    }
    let mut text = String::new();
    let line = format!("{time}  {}", field("message")?);
    wrap(&mut text, ("", INDENT), &line);
    Some((time.to_owned(), text))
}

/// `2025-11-24T16:00:00Z  before an eviction: gave up the old part of 2 logs: …`
fn relief(relief: &Relief) -> (String, String) {
    let time = Utc(relief.wall_seconds).to_string();
    let mut text = String::new();
    let mut line = format!("{time}  before an eviction: {}", relief.text);
    if relief.times > 1 {
        let all = relief.freed_bytes.map(Amount::bytes);
        let all = all.map_or(String::new(), |all| format!(", {all} in all"));
        let _ = write!(line, "; {} times within a minute{all}", relief.times);
    }
    wrap(&mut text, ("", INDENT), &line);
    (time, text)
}

fn eviction(record: &Record) -> (String, String) {
    let time = Utc(record.wall_seconds).to_string();
    let mut text = String::new();
    let name = full_name(&record.namespace, &record.name);
    let line = format!("{time}  {name} {}", end(record));
    wrap(&mut text, ("", INDENT), &line);
    // The kernel's OOM killer asks for no threshold.
    if let Some(signal) = record.signal.filter(|_| !record.threshold.is_empty()) {
        wrap(&mut text, (INDENT, INDENT), &threshold(signal, record));
    }
    let next = record.next.as_ref().zip(record.next_reason.as_ref());
    let next = next.map(|(next, reason)| format!("next would have been {next}: {reason}"));
    let rule = record.rule.as_ref().filter(|_| next.is_some());
    let rule = rule.map(|rule| format!("it came before the next one: {rule}"));
    let texts = [
        Some(&record.reason),
        rule.as_ref(),
        next.as_ref(),
        Some(&record.message),
        record.leftovers.as_ref(),
    ];
    for line in texts.into_iter().flatten() {
        let line = line.trim_end();
        if !line.is_empty() {
            wrap(&mut text, (INDENT, INDENT), line);
        }
    }
    (time, text)
}

/// `was killed in 7 ms by cgroup.kill`
fn end(record: &Record) -> String {
    let mut text = String::from(match record.outcome {
        Outcome::Begun => "is being killed, or evictd ended before it was",
        Outcome::Killed => "was killed",
        Outcome::Stuck => "could not be killed",
        Outcome::OomKilled => "was struck",
        Outcome::DryRun => "would have been evicted (dry run)",
    });
    if let Some(millis) = record.millis {
        let _ = write!(text, " in {millis} ms");
    }
    if !record.method.is_empty() {
        let _ = write!(text, " by {}", record.method);
    }
    if let Some(policy) = &record.restart_policy {
        let _ = write!(text, "; it keeps its restart policy {policy}");
    }
    text
}

/// `memory.available<100Mi: 83Mi of 512Mi left on device 254:1`
fn threshold(signal: Signal, record: &Record) -> String {
    let mut text = record.threshold.clone();
    if let (Some(available), Some(capacity)) = (record.available, record.capacity) {
        let available = Amount::of(signal, available);
        let capacity = Amount::of(signal, capacity);
        let _ = write!(text, ": {available} of {capacity} left");
    }
    if let Some(device) = &record.device {
        // Of an older evictd: numbers alone.
        let kind = if device.starts_with(|c: char| c.is_ascii_digit()) {
            "device "
        } else {
            ""
        };
        let _ = write!(text, " on {kind}{device}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_stand_among_evictions_unless_a_record_tells_them() {
        let event = |time: u64, level: &str, event: &str| {
            let (time, message) = (Utc(time).to_string(), format!("it was {event}"));
            serde_json::json!({"time": time, "level": level, "event": event, "message": message})
        };
        let mut state = State::default();
        state.push(Record {
            name: "web".into(),
            wall_seconds: 200,
            outcome: Outcome::Killed,
            ..Record::default()
        });
        state.push_relief(Relief::new(150, "logs", None, "freed"));
        let events = [
            event(100, "warn", "met"),
            event(110, "info", "observed"),
            event(200, "warn", "no_candidate"),
            event(200, "warn", "evicting"),
            event(201, "info", "killed"),
            event(300, "info", "cleared"),
            serde_json::json!({"time": 1}),
        ];
        let text = in_text(&state, &events);
        let told: Vec<&str> = text.lines().filter_map(|line| line.get(22..)).collect();
        let expected = [
            "it was met",
            "before an eviction: freed",
            "it was no_candidate",
            "web was killed",
            "it was cleared",
        ];
        assert_eq!(told, expected, "{text}");
    }
}
