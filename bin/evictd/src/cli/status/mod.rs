//! `evictd status`: signals against their thresholds, conditions, pods.

pub(super) mod text;

use core::time::Duration;
use std::process::ExitCode;

use argh::{ArgsInfo, FromArgs};
use evictd_condition::NodeCondition;
use evictd_config::Resolved;
use evictd_engine::ports::Node as _;
use evictd_node::{Condition, ConditionSet, Layout, Reading, Readings, Signal, Source};
use evictd_stats::{Progress, now};
use evictd_threshold::{Threshold, ThresholdValue};
use serde::Serialize;

use super::output::{complain, print, print_as, shown};
use super::screen::{Paint, in_place};
use super::snapshot::{RankedPod, Snapshot, ask_daemon};
use crate::config_file::Settings;
use evictd_client::View;
use evictd_engine::amount::{Amount, level};

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

const CGROUPS: &str = "cgroups";
pub(super) const PROCESSES: &str = "processes";

/// What is shown, and what `--json` prints of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    /// None that is neither observed nor has a threshold.
    signals: Vec<SignalState>,
    conditions: Vec<ConditionState>,
    #[serde(serialize_with = "shown")]
    layout: Layout,
    #[serde(serialize_with = "shown")]
    ranked_by: Signal,
    /// What counts the memory of pods: their `cgroups`, or their `processes` where no
    /// controller does.
    pod_memory: &'static str,
    pods: Vec<RankedPod>,
    /// What the running daemon knows: then signals and conditions are its own, and pods
    /// are found by its flags. Without one, all was measured now.
    pub(super) daemon: Option<View>,
    /// Why there is nothing of it.
    #[serde(skip)]
    pub(super) no_daemon: String,
    #[serde(skip)]
    pub(super) unaccounted_bytes: Option<u64>,
    /// How far measuring the disk has come, where it has not ended.
    #[serde(skip)]
    pub(super) progress: Option<String>,
    /// Names of the pods that a manifest describes and that do not run.
    #[serde(skip)]
    pub(super) not_running: Vec<String>,
}

#[derive(Serialize)]
struct SignalState {
    #[serde(serialize_with = "shown")]
    signal: Signal,
    available: Option<i64>,
    capacity: Option<i64>,
    thresholds: Vec<ThresholdState>,
    /// It is not observed because its filesystem has not answered yet.
    #[serde(skip)]
    is_awaited: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThresholdState {
    kind: &'static str,
    threshold: String,
    /// What it comes to on this machine.
    value: Option<i64>,
    grace_seconds: i64,
    met: Option<bool>,
    /// As text shows it: `hard 10%`, `soft 1Gi 30s`.
    #[serde(skip)]
    short: String,
}

#[derive(Serialize)]
struct ConditionState {
    #[serde(rename = "type", serialize_with = "shown")]
    condition: Condition,
    status: &'static str,
    reason: &'static str,
}

impl Status {
    /// Prints what one look shows; fails when the node cannot be read.
    pub(super) fn run(&self, settings: &Settings) -> Result<ExitCode, String> {
        let settings = &settings.resolved;
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
}

impl Status {
    /// Prints what there is now.
    fn show(&self, settings: &Resolved) -> Result<ExitCode, String> {
        let (view, no_daemon) = match ask_daemon(settings) {
            Ok(known) => (Some(known), String::new()),
            Err(why) => (None, why),
        };
        let counting = view.as_ref().map_or(settings, |(_, settings)| settings);
        let snapshot = Snapshot::take(counting)?;
        for problem in &snapshot.engine.pods().problems {
            complain("status", problem);
        }
        let mut document = Document {
            no_daemon,
            ..Document::of(&snapshot, view.map(|(view, _)| view))
        };
        for state in &mut document.signals {
            state.is_awaited = snapshot.engine.node().is_awaited(state.signal, now());
        }
        let in_text = || {
            let text = text::in_text(&document, Paint::for_stdout());
            if self.watch { in_place(&text) } else { text }
        };
        Ok(print_as(self.json, &document, in_text))
    }
}

impl Document {
    /// What the daemon knows counts, where one has said it.
    fn of(snapshot: &Snapshot, daemon: Option<View>) -> Self {
        let (evict, pods) = (snapshot.engine.evict(), snapshot.engine.pods());
        let readings = daemon.as_ref().map_or(snapshot.readings, View::readings);
        let conditions = daemon.as_ref().map_or(evict.conditions(), View::conditions);
        // Pods are ordered for the first signal whose threshold is met, else for memory.
        let is_met = |threshold: &&Threshold| {
            let reading = readings.get(threshold.signal);
            reading.is_some_and(|reading| threshold.is_met(&reading))
        };
        let ranked_by = evict.thresholds().iter().find(is_met);
        let ranked_by = ranked_by.map_or(Signal::MemoryAvailable, |met| met.signal);
        let memory = snapshot.engine.node().sample.memory;
        let progress = pods.disk_progress().filter(Progress::is_under_way);
        let not_running = pods.not_running().map(|pod| pod.metadata.name.clone());
        Self {
            pod_memory: if pods.by_processes {
                PROCESSES
            } else {
                CGROUPS
            },
            unaccounted_bytes: memory.and_then(|memory| memory.unaccounted_bytes),
            progress: progress.map(|progress| progress.to_string()),
            not_running: not_running.collect(),
            daemon,
            ..Self::new(
                evict.thresholds(),
                &readings,
                conditions,
                snapshot.layout(),
                ranked_by,
                snapshot.order(ranked_by),
            )
        }
    }

    pub(super) fn new(
        thresholds: &[Threshold],
        readings: &Readings,
        conditions: ConditionSet,
        layout: Layout,
        ranked_by: Signal,
        pods: Vec<RankedPod>,
    ) -> Self {
        let state = |signal| {
            let of_signal = thresholds
                .iter()
                .filter(|threshold| threshold.signal == signal);
            SignalState::new(signal, readings.get(signal), of_signal)
        };
        let condition = |condition| ConditionState::new(condition, conditions.has(condition));
        Self {
            signals: Signal::ALL.into_iter().filter_map(state).collect(),
            conditions: Condition::ALL.map(condition).into(),
            layout,
            ranked_by,
            pod_memory: CGROUPS,
            pods,
            daemon: None,
            no_daemon: String::new(),
            unaccounted_bytes: None,
            progress: None,
            not_running: Vec::new(),
        }
    }
}

impl SignalState {
    /// Whether another signal is this one by another name: no two filesystems have the same
    /// numbers.
    fn is_same_space(&self, other: &Self) -> bool {
        let seen = |of: &Self| (of.signal.unit(), of.available.zip(of.capacity));
        let is_filesystem = matches!(self.signal.source(), Source::Filesystem(_));
        is_filesystem && self.available.is_some() && seen(self) == seen(other)
    }

    /// `None` for a signal that is neither observed nor asked for.
    fn new<'a>(
        signal: Signal,
        reading: Option<Reading>,
        thresholds: impl Iterator<Item = &'a Threshold>,
    ) -> Option<Self> {
        let in_force = thresholds.filter(|threshold| threshold.operator.is_some());
        let thresholds: Vec<ThresholdState> = in_force
            .map(|threshold| ThresholdState::new(threshold, reading.as_ref()))
            .collect();
        (reading.is_some() || !thresholds.is_empty()).then(|| Self {
            signal,
            available: reading.map(|reading| reading.available),
            capacity: reading.map(|reading| reading.capacity),
            thresholds,
            is_awaited: false,
        })
    }
}

impl ThresholdState {
    fn new(threshold: &Threshold, reading: Option<&Reading>) -> Self {
        let amount = match &threshold.value {
            ThresholdValue::Quantity(quantity) => {
                Amount::of(threshold.signal, quantity.value()).to_string()
            }
            ThresholdValue::Percentage(_) => threshold.value.to_string(),
        };
        let (kind, short) = if threshold.is_hard() {
            ("hard", format!("hard {amount}"))
        } else {
            ("soft", format!("soft {amount} {}", threshold.grace))
        };
        Self {
            kind,
            threshold: threshold.to_string(),
            value: reading.map(|reading| level(threshold, reading.capacity)),
            grace_seconds: threshold.grace.nanos() / 1_000_000_000,
            met: reading.map(|reading| threshold.is_met(reading)),
            short,
        }
    }
}

impl ConditionState {
    fn new(condition: Condition, holds: bool) -> Self {
        let mut published = NodeCondition::unknown(condition);
        published.update((), holds);
        Self {
            condition,
            status: published.status.name(),
            reason: published.reason,
        }
    }
}
