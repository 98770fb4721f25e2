//! An event as data: its name and its fields, as a log line in JSON has them.
//!
//! A field is called as in `status --json` and `history --json`. What is not known is
//! left out.

use core::fmt::Display;

use evictd_cgroup::KillReport;
use evictd_condition::NodeCondition;
use evictd_node::{Condition, Reading, Signal};
use evictd_threshold::Threshold;

use super::{Decision, Event, Victim};
use crate::ports::Disk;

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
    /// Yes or no.
    Flag(bool),
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Field {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Field {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Field {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Field {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

/// The fields of an event, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<(&'static str, Field)>);

impl Fields {
    /// These, and one more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Field>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    /// These, and one more if it is known.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Field>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Each field by its name.
    pub fn iter(&self) -> impl Iterator<Item = &(&'static str, Field)> {
        self.0.iter()
    }

    fn with_shown(self, name: &'static str, value: &impl Display) -> Self {
        self.with(name, value.to_string())
    }

    fn with_pod(self, victim: &Victim) -> Self {
        self.with("pod", victim.name.as_str())
            .with("namespace", victim.namespace.as_str())
            .with("uid", victim.uid.as_str())
    }

    /// A signal and what is left of it.
    fn with_signal(self, signal: Signal, reading: Option<Reading>) -> Self {
        self.with("signal", signal.name())
            .with_some("available", reading.map(|reading| reading.available))
            .with_some("capacity", reading.map(|reading| reading.capacity))
    }

    fn with_threshold(self, threshold: &Threshold) -> Self {
        let grace = threshold.grace.nanos() / 1_000_000_000;
        let is_soft = !threshold.is_hard();
        self.with_shown("threshold", threshold)
            .with("kind", if is_soft { "soft" } else { "hard" })
            .with_some("thresholdGraceSeconds", is_soft.then_some(grace))
    }

    fn with_disk(self, disk: Option<Disk>) -> Self {
        let device = disk.map(|disk| format!("{}:{}", disk.device.0, disk.device.1));
        self.with_some("device", device)
    }
}

impl Event {
    /// What it is about, without what the text says in words.
    #[must_use]
    pub fn fields(&self) -> Fields {
        let fields = Fields::default();
        match self {
            Self::ThresholdMet {
                threshold,
                reading,
                disk,
            } => fields
                .with_signal(threshold.signal, *reading)
                .with_threshold(threshold)
                .with_disk(*disk),
            Self::ThresholdCleared { signal, reading } => fields.with_signal(*signal, *reading),
            Self::Condition { condition, holds } => of_condition(*condition, *holds),
            Self::Layout(layout) => fields.with_shown("layout", layout),
            Self::Reclaiming { resource, calls } => {
                let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
                fields
                    .with_shown("resource", resource)
                    .with("calls", calls.join(","))
            }
            Self::Reclaimed(collected) => collected.fields.clone(),
            Self::Evicting(decision) => of_decision(decision),
            Self::NotBegun { victim, error } => {
                fields.with_pod(victim).with("error", error.as_str())
            }
            Self::GraceCut(victim) | Self::RuntimeSilent(victim) => fields.with_pod(victim),
            Self::Killed { victim, report } => of_report(fields.with_pod(victim), report),
            Self::Stuck { victim, report } => {
                let remaining = report.remaining.iter().map(|remaining| {
                    let pid = remaining.pid.as_raw_nonzero();
                    format!("{pid}:{}", remaining.state.unwrap_or('?'))
                });
                let remaining: Vec<String> = remaining.collect();
                of_report(fields.with_pod(victim), report)
                    .with_some("error", report.problem.map(|problem| problem.to_string()))
                    .with("remaining", remaining.join(","))
            }
            Self::NoCandidate { signal, pods } => {
                fields.with("signal", signal.name()).with("pods", *pods)
            }
            Self::Observed { signal, .. } => fields.with("signal", signal.name()),
            Self::Runtime { version, endpoint } => fields
                .with("runtime", version.as_str())
                .with("endpoint", endpoint.as_str()),
            Self::Problem { about, text: _ } => fields.with("about", *about),
            Self::NothingReclaimed | Self::Recovered => fields,
        }
    }
}

fn of_condition(condition: Condition, holds: bool) -> Fields {
    let mut told = NodeCondition::unknown(condition);
    told.update((), holds);
    Fields::default()
        .with("condition", condition.name())
        .with("status", told.status.name())
        .with("reason", told.reason)
}

fn of_decision(decision: &Decision) -> Fields {
    let mut fields = Fields::default()
        .with_pod(&decision.victim)
        .with("cause", decision.cause);
    if let Some(threshold) = &decision.threshold {
        fields = fields
            .with_signal(threshold.signal, decision.reading)
            .with_threshold(threshold)
            .with("passedOver", decision.passed_over);
    }
    fields
        .with_disk(decision.disk)
        .with("graceSeconds", decision.victim.grace_seconds)
        .with("reason", decision.record.reason.as_str())
}

fn of_report(fields: Fields, report: &KillReport) -> Fields {
    let took = report.ended.map(|ended| ended.since(report.started));
    let millis = took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    fields
        .with_some("millis", millis)
        .with_some("method", report.method.map(|method| method.name()))
        .with("processes", report.processes)
}
