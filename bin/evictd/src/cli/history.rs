//! `evictd history`: the last evictions.

use core::fmt::Write;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_engine::full_name;
use evictd_node::{Amount, Signal, Utc};
use evictd_state::{Outcome, Record, Relief, State, read_state};
use evictd_stats::wall_seconds;
use serde::Serialize;

use super::columns::wrap;
use super::events::seconds;
use super::output::print_as;

/// the last 50 evictions: when, which pod, why and how; and what disks gave back
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "history",
    note = "Prints what the daemon keeps in --state-dir, oldest first, whether a daemon\n\
            runs or not. Changes nothing.",
    example = "{command_name}\n{command_name} --since=1d docker/web\n{command_name} --state-dir=/var/lib/evictd --json"
)]
pub struct History {
    /// of this pod alone: NAME or NAMESPACE/NAME
    #[argh(positional, arg_name = "POD")]
    pod: Option<String>,

    /// what happened within that time (30m, 7d) alone
    #[argh(option, arg_name = "DURATION", from_str_fn(seconds))]
    since: Option<u64>,

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
        let mut state = read(settings)?;
        self.keep_wanted(&mut state, wall_seconds());
        Ok(print_as(self.json, &document(&state), || in_text(&state)))
    }
}

impl History {
    /// Leaves what is asked for. What was given back of disks is of no pod.
    fn keep_wanted(&self, state: &mut State, now: u64) {
        let from = self.since.map_or(0, |since| now.saturating_sub(since));
        let is_it = |record: &Record| {
            let pod = self.pod.as_deref();
            pod.is_none_or(|pod| {
                pod == record.name || pod == full_name(&record.namespace, &record.name)
            })
        };
        state
            .history
            .retain(|of| of.wall_seconds >= from && is_it(of));
        state
            .reliefs
            .retain(|of| of.wall_seconds >= from && self.pod.is_none());
        if self.since.is_some() || self.pod.is_some() {
            // Of the time and the pod that were asked for.
            let kept = state.history.iter().filter(|of| of.outcome.is_eviction());
            state.evictions = u64::try_from(kept.count()).unwrap_or(u64::MAX);
        }
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
    let texts = [
        Some(&record.reason),
        next.as_ref(),
        Some(&record.message),
        record.leftovers.as_ref(),
    ];
    for line in texts.into_iter().flatten() {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 379.
    #[test]
    fn a_pod_and_a_time_can_be_asked_for() {
        let record = |name: &str, wall_seconds| Record {
            namespace: "docker".into(),
            name: name.into(),
            wall_seconds,
            outcome: Outcome::Killed,
            ..Record::default()
        };
        let mut state = State::default();
        state.push(record("web", 100));
        state.push(record("hog", 200));
        state.push(record("web", 300));
        state.push_relief(Relief::new(250, "logs", None, "gave up"));
        let left = |pod: Option<&str>, since| {
            let asked = History {
                pod: pod.map(str::to_owned),
                since,
                json: false,
            };
            let mut state = state.clone();
            asked.keep_wanted(&mut state, 400);
            let times = state.history.iter().map(|of| of.wall_seconds);
            (
                times.collect::<Vec<_>>(),
                state.reliefs.len(),
                state.evictions,
            )
        };
        assert_eq!(left(None, None), (vec![100, 200, 300], 1, 3));
        assert_eq!(left(Some("web"), None), (vec![100, 300], 0, 2));
        assert_eq!(left(Some("docker/web"), Some(150)), (vec![300], 0, 1));
        assert_eq!(left(None, Some(200)), (vec![200, 300], 1, 2));
        assert_eq!(left(Some("we"), None), (vec![], 0, 0));
    }
}
