//! `evictd history`: the last evictions.

use core::fmt::Write;
use std::process::ExitCode;

use evictd_config::Resolved;
use evictd_engine::state::{Outcome, Record, State, read_state};
use evictd_jsontext::Json;
use evictd_node::Signal;

use crate::amount::Amount;
use crate::cli::columns::wrap;
use crate::cli::output::print;
use crate::log::Utc;

/// What was asked for.
pub(crate) struct HistoryOptions {
    pub(crate) json: bool,
}

const INDENT: &str = "    ";

/// Prints what the state in `--state-dir` remembers, whether a daemon runs or
/// not; fails when there is none.
#[inline(never)]
pub(crate) fn run(settings: &Resolved, options: &HistoryOptions) -> ExitCode {
    let state = match read(settings) {
        Ok(state) => state,
        Err(error) => {
            eprintln!("evictd history: {error}");
            return ExitCode::FAILURE;
        }
    };
    print(&if options.json {
        in_json(&state)
    } else {
        in_text(&state)
    })
}

fn read(settings: &Resolved) -> Result<State, String> {
    let directory = settings.state_dir.as_ref();
    let directory = directory.ok_or("--state-dir is empty: nothing is kept on disk")?;
    match read_state(directory) {
        Ok(Some(state)) => Ok(state),
        Ok(None) => {
            let directory = directory.display();
            Err(format!("{directory}: no daemon has kept a history here"))
        }
        Err(error) => Err(error.to_string()),
    }
}

fn in_json(state: &State) -> String {
    let mut json = Json::new();
    json.uint("evictions", state.evictions);
    json.array("records");
    for record in &state.history {
        json.item_object();
        record.add_to(&mut json);
        json.end_object();
    }
    json.end_array();
    json.into_line()
}

fn in_text(state: &State) -> String {
    let mut text = String::new();
    let older = usize::try_from(state.evictions).unwrap_or(usize::MAX);
    let older = older.saturating_sub(state.history.len());
    if state.history.is_empty() {
        text.push_str("No pod was evicted.\n");
    } else if older > 0 {
        let _ = writeln!(text, "{older} earlier evictions are forgotten.");
    }
    for record in &state.history {
        add(&mut text, record);
    }
    text
}

fn add(text: &mut String, record: &Record) {
    let name = match record.namespace.as_str() {
        "" => record.name.clone(),
        namespace => format!("{namespace}/{}", record.name),
    };
    let line = format!("{}  {name} {}", Utc(record.wall_seconds), end(record));
    wrap(text, ("", INDENT), &line);
    if let Some(signal) = record.signal {
        wrap(text, (INDENT, INDENT), &starved(signal, record));
    }
    for line in [&record.reason, &record.message] {
        let line = line.trim_end();
        if !line.is_empty() {
            wrap(text, (INDENT, INDENT), line);
        }
    }
}

/// `killed in 7 ms by cgroup.kill`.
fn end(record: &Record) -> String {
    let mut text = String::from(match record.outcome {
        Outcome::Begun => "is being killed, or evictd ended before it was",
        Outcome::Killed => "was killed",
        Outcome::Stuck => "could not be killed",
        Outcome::DryRun => "would have been evicted (dry run)",
    });
    if let Some(millis) = record.millis {
        let _ = write!(text, " in {millis} ms");
    }
    if !record.method.is_empty() {
        let _ = write!(text, " by {}", record.method);
    }
    text
}

/// `memory.available<100Mi: 83Mi of 512Mi left on device 254:1`.
fn starved(signal: Signal, record: &Record) -> String {
    let mut text = record.threshold.clone();
    if let (Some(available), Some(capacity)) = (record.available, record.capacity) {
        let available = Amount::of(signal, available);
        let capacity = Amount::of(signal, capacity);
        let _ = write!(text, ": {available} of {capacity} left");
    }
    if let Some((major, minor)) = record.device {
        let _ = write!(text, " on device {major}:{minor}");
    }
    text
}
