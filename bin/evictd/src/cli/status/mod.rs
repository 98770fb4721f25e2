//! `evictd status`: signals against their thresholds, conditions, pods.

mod overview;
pub(super) mod text;

use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_engine::ports::Node as _;
use evictd_stats::now;

use super::output::{complain, print, print_as};
use super::sampled::{Sampled, ask_daemon};
use super::screen::{Paint, in_place};
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
            by the flags given here. Changes nothing.",
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

    /// show it anew each second, until interrupted: on a terminal in place, as much
    /// as it has lines for
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
            return Ok(print(&evictd_client::ask(settings, path)?));
        }
        loop {
            let begun = now();
            let shown = self.show(settings)?;
            if !self.watch || shown != ExitCode::SUCCESS {
                return Ok(shown);
            }
            std::thread::sleep(EVERY.saturating_sub(now().since(begun)));
        }
    }

    /// Prints what there is now.
    fn show(&self, settings: &Resolved) -> Result<ExitCode, String> {
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
        let in_text = || {
            let text = text::in_text(&document, Paint::for_stdout());
            if self.watch { in_place(&text) } else { text }
        };
        Ok(print_as(self.json, &document, in_text))
    }
}
