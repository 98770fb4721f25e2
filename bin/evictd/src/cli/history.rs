//! `evictd history`: the last evictions.

use core::fmt::Write;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_engine::amount::Amount;
use evictd_engine::full_name;
use evictd_node::Signal;
use evictd_state::{Outcome, Record, Relief, State, read_state};
use serde::Serialize;

use super::columns::wrap;
use super::output::print_as;
use crate::log::Utc;

/// the last 50 evictions: when, which pod, why and how; and what disks gave back
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "history",
    note = "Prints what the daemon keeps in --state-dir, oldest first, whether a daemon\n\
            runs or not. Changes nothing.",
    example = "{command_name}\n{command_name} --state-dir=/var/lib/evictd --json"
)]
pub struct History {
    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    evictions: u64,
    records: &'a [Record],
    reliefs: &'a [Relief],
}

const INDENT: &str = "    ";

impl History {
    /// Prints the state that is kept in `--state-dir`; fails when there is none.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let state = read(settings)?;
        Ok(print_as(self.json, &document(&state), || in_text(&state)))
    }
}

fn read(settings: &Resolved) -> Result<State, String> {
    let directory = settings.state_dir.as_ref();
    let directory = directory.ok_or("--state-dir is empty: nothing is kept on disk")?;
    let state = read_state(directory).map_err(|error| error.to_string())?;
    let directory = directory.display();
    state.ok_or_else(|| format!("{directory}: no daemon has kept a history here"))
}

pub(super) fn document(state: &State) -> Document<'_> {
    Document {
        evictions: state.evictions,
        records: &state.history,
        reliefs: &state.reliefs,
    }
}

pub(super) fn in_text(state: &State) -> String {
    let mut text = String::new();
    let older = state.forgotten();
    if state.history.is_empty() {
        text.push_str("No pod was evicted.\n");
    } else if older > 0 {
        let _ = writeln!(text, "{older} earlier evictions are forgotten.");
    }
    let mut reliefs = state.reliefs.iter().peekable();
    for record in &state.history {
        // In the order of time.
        while let Some(relief) = reliefs.next_if(|of| of.wall_seconds <= record.wall_seconds) {
            add_relief(&mut text, relief);
        }
        add(&mut text, record);
    }
    reliefs.for_each(|relief| add_relief(&mut text, relief));
    text
}

/// `2025-11-24T16:00:00Z  before an eviction: gave up the old part of 2 logs: …`
fn add_relief(text: &mut String, relief: &Relief) {
    let mut line = format!(
        "{}  before an eviction: {}",
        Utc(relief.wall_seconds),
        relief.text
    );
    if relief.times > 1 {
        let all = relief.freed_bytes.map(Amount::bytes);
        let all = all.map_or(String::new(), |all| format!(", {all} in all"));
        let _ = write!(line, "; {} times within a minute{all}", relief.times);
    }
    wrap(text, ("", INDENT), &line);
}

fn add(text: &mut String, record: &Record) {
    let name = full_name(&record.namespace, &record.name);
    let line = format!("{}  {name} {}", Utc(record.wall_seconds), end(record));
    wrap(text, ("", INDENT), &line);
    // The kernel's OOM killer asks for no threshold.
    if let Some(signal) = record.signal.filter(|_| !record.threshold.is_empty()) {
        wrap(text, (INDENT, INDENT), &threshold(signal, record));
    }
    let next = record.next.as_ref().zip(record.next_reason.as_ref());
    let next = next.map(|(next, reason)| format!("next would have been {next}: {reason}"));
    for line in [&record.reason, &next.unwrap_or_default(), &record.message] {
        let line = line.trim_end();
        if !line.is_empty() {
            wrap(text, (INDENT, INDENT), line);
        }
    }
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
