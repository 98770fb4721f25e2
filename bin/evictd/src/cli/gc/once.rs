//! One collection at each container runtime, for a command.

use evictd_config::Resolved;
use evictd_engine::state::read_state;
use evictd_jsontext::Json;

use crate::amount::Amount;
use crate::cli::columns::wrap;
use crate::cli::output::print;
use crate::gc::{Removed, RuntimeCollected, RuntimeCollector, SharedRecords};
use crate::runtimes::{ANY, Collect, CollectJob, answering};

/// What was done at one runtime.
pub(super) struct Done {
    pub(super) endpoint: String,
    pub(super) collected: RuntimeCollected,
}

/// What was done at all of them, and what went wrong.
#[derive(Default)]
pub(super) struct AllDone {
    pub(super) runtimes: Vec<Done>,
    pub(super) problems: Vec<String>,
}

impl AllDone {
    /// Whether something that should have gone is still there, or was not asked for.
    pub(super) fn has_failed(&self) -> bool {
        !self.problems.is_empty()
            || self
                .runtimes
                .iter()
                .any(|done| done.collected.has_failed() || done.collected.shortfall.is_some())
    }

    /// All that is for stderr.
    pub(super) fn notes(&self) -> impl Iterator<Item = &String> {
        let of_runtimes = self.runtimes.iter().flat_map(|done| {
            let collected = &done.collected;
            collected.errors.iter().chain(&collected.shortfall)
        });
        self.problems.iter().chain(of_runtimes)
    }
}

/// Asks each runtime that answers; in text, tells of each thing when it is gone.
pub(super) fn collect(settings: &Resolved, what: &Collect, json: bool) -> AllDone {
    let (runtimes, problems) = answering(settings);
    let mut all = AllDone {
        problems,
        ..AllDone::default()
    };
    if !ANY {
        return all;
    }
    // What the daemon has seen of images, if one ever ran: their order goes by it.
    let state = settings.state_dir.as_deref().map(read_state);
    let known = state
        .and_then(Result::ok)
        .flatten()
        .map(|state| state.images);
    let records = SharedRecords::new(known.unwrap_or_default().into());
    let mut collector = match RuntimeCollector::of(settings, records) {
        Ok(collector) => collector,
        Err(error) => {
            all.problems.push(error);
            return all;
        }
    };
    for mut runtime in runtimes {
        let job = CollectJob {
            number: 0,
            what: what.clone(),
            dry_run: settings.dry_run,
        };
        let verb = if settings.dry_run {
            "would remove"
        } else {
            "removed"
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

fn line(verb: &str, removed: &Removed) -> String {
    let (kind, name, reason) = (removed.kind.name(), &removed.name, &removed.reason);
    let bytes = removed
        .listed_bytes
        .map_or_else(String::new, |bytes| format!(" ({})", Amount::bytes(bytes)));
    let mut text = String::new();
    wrap(
        &mut text,
        ("", "  "),
        &format!("{verb} {kind} {}{bytes}: {reason}", printable(name)),
    );
    text
}

/// The text without what could move a terminal's cursor.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

/// `runtimes` of the JSON form.
pub(super) fn add_json(json: &mut Json, all: &AllDone) {
    json.array("runtimes");
    for done in &all.runtimes {
        let collected = &done.collected;
        json.item_object();
        json.text("endpoint", &done.endpoint);
        json.array("removed");
        for one in &collected.removed {
            json.item_object();
            json.text("kind", one.kind.name());
            json.text("id", &one.id);
            json.text("name", &one.name);
            json.opt_uint("listedBytes", one.listed_bytes);
            json.text("reason", &one.reason);
            json.end_object();
        }
        json.end_array();
        json.array("kept");
        for one in &collected.staying {
            json.item_object();
            json.text("id", &one.id);
            json.text("name", &one.name);
            json.uint("listedBytes", one.listed_bytes);
            json.text("reason", &one.reason);
            json.end_object();
        }
        json.end_array();
        json.int("freedBytes", collected.freed_bytes);
        json.int("freedInodes", collected.freed_inodes);
        json.end_object();
    }
    json.end_array();
}
