//! What there is: signals against their thresholds, conditions, and pods in their order.

use evictd_client::View;
use evictd_condition::NodeCondition;
use evictd_machine::facts;
use evictd_node::{Amount, Condition, ConditionSet, Layout, Reading, Readings, Signal, Source};
use evictd_stats::Progress;
use evictd_threshold::{Threshold, ThresholdValue};
use serde::Serialize;

use crate::next::{Next, most_pressing};
use crate::output::shown;
use crate::sampled::{RankedPod, Sampled};

const CGROUPS: &str = "cgroups";
pub(super) const PROCESSES: &str = "processes";

/// What is shown, and what `--json` prints of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Overview {
    /// None that is neither observed nor has a threshold.
    pub(crate) signals: Vec<SignalState>,
    pub(super) conditions: Vec<ConditionState>,
    #[serde(serialize_with = "shown")]
    pub(super) layout: Layout,
    #[serde(serialize_with = "shown")]
    pub(crate) ranked_by: Signal,
    pub(crate) next: Next,
    /// What counts the memory of pods: their `cgroups`, or their `processes` where no
    /// controller does.
    pub(super) pod_memory: &'static str,
    pub(crate) pods: Vec<RankedPod>,
    /// What the running daemon knows: then signals and conditions are its own, and pods
    /// are found by its flags. Without one, all was measured now.
    pub(crate) daemon: Option<View>,
    /// Why there is nothing of it.
    #[serde(skip)]
    pub(crate) no_daemon: String,
    #[serde(skip)]
    pub(crate) unaccounted_bytes: Option<u64>,
    /// So much of memory holds swap that is compressed.
    #[serde(skip)]
    pub(crate) compressed_bytes: Option<u64>,
    /// How far measuring the disk has come, where it has not ended.
    #[serde(skip)]
    pub(crate) progress: Option<String>,
    /// Names of the pods that a manifest describes and that do not run.
    #[serde(skip)]
    pub(crate) not_running: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct SignalState {
    #[serde(serialize_with = "shown")]
    pub(crate) signal: Signal,
    pub(crate) available: Option<i64>,
    pub(crate) capacity: Option<i64>,
    pub(crate) thresholds: Vec<ThresholdState>,
    /// It is not observed yet: its filesystem has not answered, or it takes a second look.
    #[serde(skip)]
    pub(super) is_awaited: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThresholdState {
    pub(crate) kind: &'static str,
    pub(crate) threshold: String,
    /// What it comes to on this machine.
    pub(crate) value: Option<i64>,
    pub(super) grace_seconds: i64,
    pub(crate) met: Option<bool>,
    /// As text shows it: `hard 10%`, `soft 1Gi 30s`.
    #[serde(skip)]
    pub(crate) short: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConditionState {
    #[serde(rename = "type", serialize_with = "shown")]
    pub(super) condition: Condition,
    pub(super) status: &'static str,
    pub(super) reason: &'static str,
    /// So long the running daemon still reports it if no threshold of it is met again.
    pub(super) holds_for_seconds: Option<u64>,
}

impl Overview {
    /// What the daemon knows counts, where one has said it.
    pub(crate) fn of(sampled: &Sampled, daemon: Option<View>) -> Self {
        let (evict, pods) = (sampled.engine.evict(), sampled.engine.pods());
        let readings = daemon.as_ref().map_or(sampled.readings, View::readings);
        let conditions = daemon.as_ref().map_or(evict.conditions(), View::conditions);
        let pressing = most_pressing(evict.thresholds(), &readings);
        let next = Next::of(pressing, sampled, daemon.as_ref());
        let pods_in_order = next.order(sampled);
        let memory = sampled.engine.node().sample.memory;
        let progress = pods.disk_progress().filter(Progress::is_under_way);
        let not_running = pods.not_running().map(|pod| pod.metadata.name.clone());
        let mut overview = Self {
            pod_memory: if pods.are_counted_by_processes() {
                PROCESSES
            } else {
                CGROUPS
            },
            unaccounted_bytes: memory.and_then(|memory| memory.unaccounted_bytes),
            compressed_bytes: facts::compressed_bytes(),
            progress: progress.map(|progress| progress.to_string()),
            not_running: not_running.collect(),
            daemon,
            ..Self::new(
                evict.thresholds(),
                &readings,
                conditions,
                sampled.layout(),
                next,
                pods_in_order,
            )
        };
        let daemon = overview.daemon.take();
        overview.hold_for(|of| daemon.as_ref()?.holds_for_seconds(of));
        overview.daemon = daemon;
        overview
    }

    /// Adds how many more seconds each condition is reported, as far as that is known.
    pub(crate) fn hold_for(&mut self, seconds: impl Fn(Condition) -> Option<u64>) {
        for state in &mut self.conditions {
            state.holds_for_seconds = seconds(state.condition);
        }
    }

    pub(crate) fn new<'a>(
        thresholds: impl IntoIterator<Item = &'a Threshold> + Clone,
        readings: &Readings,
        conditions: ConditionSet,
        layout: Layout,
        next: Next,
        pods: Vec<RankedPod>,
    ) -> Self {
        let state = |signal| {
            let of_signal = thresholds
                .clone()
                .into_iter()
                .filter(|threshold| threshold.signal == signal);
            SignalState::new(signal, readings.get(signal), of_signal)
        };
        let condition = |condition| ConditionState::new(condition, conditions.has(condition));
        Self {
            signals: Signal::ALL.into_iter().filter_map(state).collect(),
            conditions: Condition::ALL.map(condition).into(),
            layout,
            ranked_by: next.signal,
            next,
            pod_memory: CGROUPS,
            pods,
            daemon: None,
            no_daemon: String::new(),
            unaccounted_bytes: None,
            compressed_bytes: None,
            progress: None,
            not_running: Vec::new(),
        }
    }
}

impl SignalState {
    /// Whether another signal is this one by another name: no two filesystems have the same
    /// numbers.
    pub(crate) fn is_same_space(&self, other: &Self) -> bool {
        let seen = |of: &Self| (of.signal.unit(), of.available.zip(of.capacity));
        let is_filesystem = matches!(self.signal.source(), Source::Filesystem(_));
        is_filesystem && self.available.is_some() && seen(self) == seen(other)
    }

    /// Whether a threshold of it is met that raises this condition.
    pub(super) fn raises(&self, condition: Condition) -> bool {
        let is_met = |threshold: &ThresholdState| threshold.met == Some(true);
        self.signal.condition() == condition && self.thresholds.iter().any(is_met)
    }

    /// The share of a bar that is filled where so much is available.
    #[expect(clippy::cast_precision_loss, reason = "a bar of twenty characters")]
    pub(crate) fn filled(&self, available: i64) -> f64 {
        let share = available as f64 / self.capacity.unwrap_or(0) as f64;
        if self.signal.grows_with_trouble() {
            share
        } else {
            1.0 - share
        }
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
            value: reading.map(|reading| threshold.level(reading.capacity)),
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
            holds_for_seconds: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_what_is_used_and_of_stalls_what_is_lost() {
        for (signal, filled) in [(Signal::MemoryAvailable, 0.75), (Signal::MemoryStall, 0.25)] {
            let reading = Reading {
                available: 25,
                capacity: 100,
                sampled: None,
            };
            let state = SignalState::new(signal, Some(reading), [].iter()).unwrap();
            assert!((state.filled(25) - filled).abs() < 1e-9, "{signal}");
        }
    }
}
