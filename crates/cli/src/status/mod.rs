//! `evictd status`: signals against their thresholds, conditions, pods.

mod live;
mod overview;
pub(super) mod text;

use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_engine::ports::Node as _;
use evictd_plain::write_json;
use evictd_stats::now;

use super::output::{complain, print, print_more};
use super::sampled::{Sampled, ask_daemon};
use super::screen::Paint;
pub(super) use overview::{Overview, SignalState, ThresholdState};

/// signals, node conditions, and pods in eviction order
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "status",
    note = "Prints each signal against its thresholds, the node conditions, and the\n\
            pods in the order in which they would be evicted. Where a daemon runs with\n\
            this --state-dir, these are its last readings, the conditions that it\n\
            holds, and its flags count; only the pods are measured now. Else all is,\n\
            by the flags given here. Changes nothing.\n\
            --watch on a terminal is a live screen of the running daemon's node: signals\n\
            against their thresholds as bars (| is where a threshold lies, ! that it is\n\
            met) and over the last two minutes, where the highest mark is a threshold that\n\
            is met; pods; events. It goes by the daemon's settings and measures signals\n\
            and pods by itself. Keys: q quits. j, k and arrows choose a pod. s sorts: by\n\
            the order of eviction, use, name. w or Enter tells why the chosen pod stands\n\
            there and what would be done now. r tells what explain says. There j and k\n\
            scroll, and Escape leads back. NO_COLOR=1 turns colours off.",
    example = "{command_name}\n\
               {command_name} --watch\n\
               {command_name} --timing\n\
               {command_name} --pod-cgroup-root=/system.slice --json"
)]
pub struct Status {
    /// ask the daemon with this --state-dir how long the stages of its loop took: to
    /// wake at a deadline, read the node, list pods, decide, act (until SIGKILL is
    /// sent), verified_free (from then until the pod is gone); a percentile is
    /// rounded up to a power of two
    #[argh(switch)]
    timing: bool,

    /// show it anew each second: a live screen on a terminal, else (and with --json)
    /// printed again, until interrupted
    #[argh(switch)]
    watch: bool,

    /// print JSON for programs instead of text for people
    #[argh(switch)]
    json: bool,
}

/// How often `--watch` looks.
const EVERY: Duration = Duration::from_secs(1);

impl Status {
    /// Prints what one look shows; fails when the node cannot be read.
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        if self.timing {
            let path = if self.json { "/timing.json" } else { "/timing" };
            return Ok(print(&evictd_client::ask(&settings.paths, path)?));
        }
        if self.watch && !self.json && live::is_possible() {
            return live::run(settings);
        }
        loop {
            let begun = now();
            let ended = print_more(&self.look(settings)?);
            if ended.is_some() || !self.watch {
                return Ok(ended.unwrap_or(ExitCode::SUCCESS));
            }
            std::thread::sleep(EVERY.saturating_sub(now().since(begun)));
        }
    }

    /// What there is now, as it is printed.
    fn look(&self, settings: &Resolved) -> Result<Vec<u8>, String> {
        let (view, no_daemon) = match ask_daemon(settings) {
            Ok(known) => (Some(known), String::new()),
            Err(why) => (None, why),
        };
        let counting = view.as_ref().map_or(settings, |(_, settings)| settings);
        let sampled = Sampled::take(counting)?;
        for problem in sampled.engine.pods().problems() {
            complain("status", problem);
        }
        let mut document = Overview {
            no_daemon,
            ..Overview::of(&sampled, view.map(|(view, _)| view))
        };
        for state in &mut document.signals {
            state.is_awaited = sampled.engine.node().is_awaited(state.signal, now());
        }
        let mut shown = Vec::new();
        if self.json {
            write_json(&mut shown, &document).map_err(|error| error.to_string())?;
        } else {
            shown = text::in_text(&document, Paint::for_stdout()).into_bytes();
        }
        // An empty line parts one look from the next.
        if self.json || self.watch {
            shown.push(b'\n');
        }
        Ok(shown)
    }
}
