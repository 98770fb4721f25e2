//! An event as data: its name and its fields, as a log line in JSON has them.
//!
//! A field is called as in `status --json` and `history --json`. What is not known is
//! left out.

use core::fmt::Display;

use evictd_cgroup::KillReport;
use evictd_condition::NodeCondition;
use evictd_engine::state::Record;
use evictd_node::{Condition, Readings, Signal};
use evictd_threshold::Threshold;

use super::event::{Event, Victim};
use crate::gc::{Collected, Kind, RuntimeCollected};

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Text(String),
    Number(i64),
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
pub(crate) struct Fields(pub(crate) Vec<(&'static str, Field)>);

impl Fields {
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Field>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    pub(crate) fn with_some(self, name: &'static str, value: Option<impl Into<Field>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn with_shown(self, name: &'static str, value: &impl Display) -> Self {
        self.with(name, value.to_string())
    }

    fn with_pod(self, victim: &Victim) -> Self {
        self.with("pod", victim.name.as_str())
            .with("namespace", victim.namespace.as_str())
            .with("uid", victim.uid.as_str())
    }

    /// A signal and what is left of it.
    pub(super) fn with_signal(self, signal: Signal, readings: &Readings) -> Self {
        let reading = readings.get(signal);
        self.with("signal", signal.name())
            .with_some("available", reading.map(|reading| reading.available))
            .with_some("capacity", reading.map(|reading| reading.capacity))
    }

    pub(super) fn with_threshold(self, threshold: &Threshold) -> Self {
        let grace = threshold.grace.nanos() / 1_000_000_000;
        let is_soft = !threshold.is_hard();
        self.with_shown("threshold", threshold)
            .with("kind", if is_soft { "soft" } else { "hard" })
            .with_some("thresholdGraceSeconds", is_soft.then_some(grace))
    }

    pub(super) fn with_device(self, device: Option<(u32, u32)>) -> Self {
        let device = device.map(|(major, minor)| format!("{major}:{minor}"));
        self.with_some("device", device)
    }
}

impl Event {
    /// What kind of event it is: one word for all of a kind, and for ever the same.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Met(_) => "met",
            Self::Cleared(_) => "cleared",
            Self::Condition { .. } => "condition",
            Self::Layout(_) => "layout",
            Self::Reclaiming { .. } => "reclaiming",
            Self::Reclaimed(_) => "reclaimed",
            Self::NothingReclaimed => "nothing_reclaimed",
            Self::Evicting { dry_run: false, .. } => "evicting",
            Self::Evicting { dry_run: true, .. } => "would_evict",
            Self::NotBegun { .. } => "kill_refused",
            Self::Hurried(_) => "grace_cut",
            Self::SilentRuntime(_) => "runtime_silent",
            Self::Killed(_) => "killed",
            Self::Stuck(_) => "stuck",
            Self::NoCandidate { .. } => "no_candidate",
            Self::Observed { observed: true, .. } => "observed",
            Self::Observed {
                observed: false, ..
            } => "unobserved",
            Self::Runtime(_) => "runtime",
            Self::Problem { .. } => "problem",
            Self::Recovered => "recovered",
        }
    }

    /// What it is about, without what the text says in words.
    pub(crate) fn fields(&self) -> Fields {
        let fields = Fields::default();
        match self {
            Self::Met(told)
            | Self::Cleared(told)
            | Self::Layout(told)
            | Self::Reclaimed(told)
            | Self::Runtime(told) => told.fields.clone(),
            Self::Condition { condition, holds } => of_condition(*condition, *holds),
            Self::Reclaiming { resource, calls } => {
                let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
                fields
                    .with_shown("resource", resource)
                    .with("calls", calls.join(","))
            }
            Self::Evicting {
                victim,
                why,
                record,
                ..
            } => {
                let mut fields = fields.with_pod(victim);
                fields.0.extend(why.fields.0.iter().cloned());
                of_record(fields, record)
            }
            Self::NotBegun { victim, error } => {
                fields.with_pod(victim).with("error", error.as_str())
            }
            Self::Hurried(victim) | Self::SilentRuntime(victim) => fields.with_pod(victim),
            Self::Killed((victim, report)) => of_report(fields.with_pod(victim), report),
            Self::Stuck((victim, report)) => {
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

fn of_record(fields: Fields, record: &Record) -> Fields {
    fields
        .with_device(record.device)
        .with("graceSeconds", record.grace_seconds)
        .with("reason", record.reason.as_str())
}

fn of_report(fields: Fields, report: &KillReport) -> Fields {
    let took = report.ended.map(|ended| ended.since(report.started));
    let millis = took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    fields
        .with_some("millis", millis)
        .with_some("method", report.method.map(|method| method.name()))
        .with("processes", report.processes)
}

/// How many of each kind a runtime removed, and their names.
pub(super) fn of_collected(collected: &RuntimeCollected) -> Fields {
    let count = |kind| collected.of_kind(kind).count();
    let names = |kind| {
        let names = collected.of_kind(kind).map(|one| one.name.as_str());
        let names: Vec<&str> = names.collect();
        (!names.is_empty()).then(|| names.join(","))
    };
    let measured = collected.measured.as_ref();
    Fields::default()
        .with("dryRun", collected.dry_run)
        .with("containers", count(Kind::Container))
        .with_some("containerNames", names(Kind::Container))
        .with("sandboxes", count(Kind::Sandbox))
        .with("images", count(Kind::Image))
        .with_some("imageNames", names(Kind::Image))
        .with("freedBytes", collected.freed_bytes)
        .with_some("measured", measured.map(|path| path.display().to_string()))
        .with_some("shortfall", collected.shortfall.clone())
        .with("errors", collected.errors.len())
}

/// What was deleted of pods that are dead.
pub(super) fn of_leftovers(collected: &Collected) -> Fields {
    Fields::default()
        .with("leftovers", collected.freed.deleted)
        .with("freedBytes", collected.freed.bytes)
}
