//! `evictd history`: what happened: the last evictions, or all records of events.

pub(super) mod events;
pub(super) mod timeline;

use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::{Paths, Resolved};
use evictd_state::{Record, Relief, State, read_state};
use evictd_stats::wall_seconds;
use serde::Serialize;
use serde_json::Value;

use super::output::print_as;
use events::{Wanted, is_named, seconds};

/// what happened: evictions and why, conditions, problems
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "history",
    usage = "[POD] [--since DURATION] [--events] [--follow] [--json]",
    note = "Prints what the daemon keeps in --state-dir, oldest first, whether a daemon\n\
            runs or not: each of the last 50 evictions, when, which pod, why and how; what\n\
            disks gave back; thresholds, conditions and problems, of which the latest 32\n\
            to 64 KiB are kept. --events prints the records of all that happened, one a\n\
            line, for scripts; docs/metrics.md has their form. Changes nothing.",
    example = "{command_name}\n\
               {command_name} --since=1d docker/web\n\
               {command_name} --follow\n\
               {command_name} --events --json --since=1h\n\
               {command_name} --state-dir=/var/lib/evictd --json"
)]
pub struct History {
    /// of this pod alone: NAME or NAMESPACE/NAME
    #[argh(positional, arg_name = "POD")]
    pod: Option<String>,

    /// what happened within that time (30m, 7d) alone
    #[argh(option, arg_name = "DURATION", from_str_fn(seconds))]
    since: Option<u64>,

    /// print the records of all that happened, one a line, evictions among them
    #[argh(switch)]
    events: bool,

    /// go on printing records as they come, until interrupted
    #[argh(switch)]
    follow: bool,

    /// print JSON for programs instead of text for people: a document, or each
    /// record as a line, as it is kept
    #[argh(switch)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    evictions: u64,
    records: &'a [Record],
    reliefs: &'a [Relief],
    /// All that is recorded, evictions too.
    events: &'a [Value],
}

impl History {
    /// Prints what is kept in `--state-dir`; fails when there is nothing.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let wanted = Wanted {
            pod: self.pod.as_deref(),
            since_seconds: self.since,
            json: self.json,
        };
        if self.events || self.follow {
            return events::run(&settings.paths, &wanted, self.follow);
        }
        let mut state = read(&settings.paths)?;
        self.keep_wanted(&mut state, wall_seconds());
        let events = events::records(&settings.paths, &wanted)?;
        let document = document(&state, &events);
        Ok(print_as(self.json, &document, || {
            timeline::in_text(&state, &events)
        }))
    }
}

impl History {
    /// Leaves what is asked for. What was given back of disks is of no pod.
    fn keep_wanted(&self, state: &mut State, now: u64) {
        let from = self.since.map_or(0, |since| now.saturating_sub(since));
        let is_it = |record: &Record| {
            let pod = self.pod.as_deref();
            pod.is_none_or(|pod| is_named(pod, &record.namespace, &record.name))
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

fn read(paths: &Paths) -> Result<State, String> {
    let directory = paths.state_dir.as_ref();
    let directory = directory.ok_or("--state-dir is empty: nothing is kept on disk")?;
    let state = read_state(directory).map_err(|error| error.to_string())?;
    let directory = directory.display();
    state.ok_or_else(|| format!("{directory}: no daemon has kept a history here"))
}

pub(super) fn document<'a>(state: &'a State, events: &'a [Value]) -> Document<'a> {
    Document {
        evictions: state.evictions,
        records: &state.history,
        reliefs: &state.reliefs,
        events,
    }
}

#[cfg(test)]
mod tests {
    use evictd_state::Outcome;

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
                events: false,
                follow: false,
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
