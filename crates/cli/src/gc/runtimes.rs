//! One collection at each container runtime, for a command.

use std::process::ExitCode;

use evictd_config::Resolved;
use evictd_engine::ports::{Collect, Job};
use evictd_gc::Kind;
use evictd_node::Amount;
use evictd_pods::runtimes::answering;
use evictd_relief::gc::{Item, RuntimeCollected, RuntimeCollector, SharedRecords};
use evictd_state::read_state;
use serde::Serialize;

use crate::columns::wrap;
use crate::output::{complain, print};

/// What was done at one runtime.
#[derive(Serialize)]
pub(super) struct Done {
    pub(super) endpoint: String,
    #[serde(flatten)]
    pub(super) collected: RuntimeCollected,
}

/// What was done at all of them, and what went wrong.
#[derive(Default)]
pub(super) struct AllDone {
    pub(super) runtimes: Vec<Done>,
    pub(super) problems: Vec<String>,
}

impl AllDone {
    /// All that is for stderr.
    pub(super) fn notes(&self) -> impl Iterator<Item = &String> {
        let of_runtimes = self.runtimes.iter().flat_map(|done| {
            let collected = &done.collected;
            collected.errors.iter().chain(&collected.shortfall)
        });
        self.problems.iter().chain(of_runtimes)
    }

    /// Says what went wrong; fails where anything did: something that should be deleted is
    /// still there, or a runtime could not be asked.
    pub(super) fn finish(&self, command: &str, printed: ExitCode, others: &[String]) -> ExitCode {
        for note in others.iter().chain(self.notes()) {
            complain(command, note);
        }
        match self.notes().next() {
            Some(_) => ExitCode::FAILURE,
            None => printed,
        }
    }
}

/// Collects at each runtime that can be reached; in text, prints a line for each
/// thing as soon as it is removed.
pub(super) fn collect(settings: &Resolved, what: &Collect, json: bool) -> AllDone {
    let (runtimes, problems) = answering(&settings.runtimes);
    let mut all = AllDone {
        problems,
        ..AllDone::default()
    };
    // What the daemon has seen of images, if one ever ran, decides their order.
    let state = settings.paths.state_dir.as_deref().map(read_state);
    let known = state
        .and_then(Result::ok)
        .flatten()
        .map(|state| state.images);
    let records = SharedRecords::new(known.unwrap_or_default().into());
    let mut collector = RuntimeCollector::of(settings, records).without_haste();
    let verb = if settings.dry_run {
        "would remove"
    } else {
        "removed"
    };
    for mut runtime in runtimes {
        let job = Job {
            number: 0,
            what: what.clone(),
            dry_run: settings.dry_run,
        };
        let collected = collector.collect(runtime.as_mut(), &job, &mut |removed| {
            if !json {
                print(&line(verb, removed));
            }
        });
        match collected {
            Ok(collected) => all.runtimes.push(Done {
                endpoint: runtime.endpoint().to_owned(),
                collected,
            }),
            Err(error) => all.problems.push(error),
        }
    }
    all
}

fn line(verb: &str, removed: &Item) -> String {
    let kind = removed.kind.map_or("", Kind::name);
    let what = format!("{verb} {kind} ");
    told(&what, &removed.name, removed.listed_bytes, &removed.reason)
}

/// `WHAT` and `NAME (12 MiB): REASON`, broken into lines; no amount where it is not known.
pub(super) fn told(what: &str, name: &str, bytes: Option<u64>, reason: &str) -> String {
    let bytes = bytes.map(|bytes| format!(" ({})", Amount::bytes(bytes)));
    let bytes = bytes.unwrap_or_default();
    let mut text = String::new();
    wrap(
        &mut text,
        ("", "  "),
        &format!("{what}{name}{bytes}: {reason}"),
    );
    text
}
