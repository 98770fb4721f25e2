//! An event as data: its fields, as a log line in JSON has them.

use core::time::Duration;

use evictd_condition::NodeCondition;
use evictd_evict::Verdict;
use evictd_node::kill::KillReport;
use evictd_node::{Condition, Reading, Signal};
use evictd_threshold::Threshold;

use super::{Decision, Event, Victim};
use crate::fields::Fields;
use crate::ports::Place;

impl Fields {
    fn with_pod(self, victim: &Victim) -> Self {
        self.with("pod", victim.name.as_str())
            .with("namespace", victim.namespace.as_str())
            .with("uid", victim.uid.as_str())
    }

    /// A signal and what is left of it.
    fn with_signal(self, signal: Signal, reading: Option<Reading>) -> Self {
        self.with("signal", signal.name())
            .with("available", reading.map(|reading| reading.available))
            .with("capacity", reading.map(|reading| reading.capacity))
    }

    fn with_threshold(self, threshold: &Threshold) -> Self {
        let grace = threshold.grace.nanos() / 1_000_000_000;
        let is_soft = !threshold.is_hard();
        self.with("threshold", threshold.to_string())
            .with("kind", if is_soft { "soft" } else { "hard" })
            .with("thresholdGraceSeconds", is_soft.then_some(grace))
    }

    fn with_disk(self, place: Option<&Place>) -> Self {
        let mount_point = place.and_then(|place| place.mount_point.clone());
        self.with("device", place.map(|place| place.disk.to_string()))
            .with("mountPoint", mount_point)
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
                ..
            } => fields
                .with_signal(threshold.signal, *reading)
                .with_threshold(threshold)
                .with_disk(disk.as_ref()),
            Self::ThresholdCleared {
                signal, reading, ..
            } => fields.with_signal(*signal, *reading),
            Self::Condition { condition, holds } => of_condition(*condition, *holds),
            Self::Layout(layout) => fields.with("layout", layout.to_string()),
            Self::Reclaiming { resource, calls } => {
                let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
                fields
                    .with("resource", resource.name())
                    .with("calls", calls.join(","))
            }
            Self::Reclaimed(collected) => collected.fields.clone(),
            Self::Evicting(decision) => of_decision(decision),
            Self::NotBegun { victim, error } => {
                fields.with_pod(victim).with("error", error.as_str())
            }
            Self::GraceCut(victim) | Self::RuntimeSilent(victim) => fields.with_pod(victim),
            Self::Killed { victim, report } => of_report(fields.with_pod(victim), report)
                .with("restartPolicy", victim.restart_policy.clone())
                .with("filesStay", victim.files_stay.then_some(true))
                .with(
                    "filesBytes",
                    victim.files_bytes.filter(|_| victim.files_stay),
                )
                .with("volume", victim.volume.as_ref().map(|of| of.path.clone()))
                .with("volumeBytes", victim.volume.as_ref().map(|of| of.bytes)),
            Self::CameBack { victim, after } => {
                fields.with_pod(victim).with("millis", millis(*after))
            }
            Self::Stuck { victim, report } => of_report(fields.with_pod(victim), report)
                .with("error", report.problem.as_deref())
                .with("remaining", remaining(report)),
            Self::NoCandidate(verdict) => of_no_pod(verdict),
            Self::Holder(holder) => fields
                .with("holder", holder.name.as_str())
                .with("bytes", holder.bytes),
            Self::Loop(of) => of.fields(),
            Self::OomKilled(killed) => killed.fields(),
            Self::Observed { signal, .. } => fields.with("signal", signal.name()),
            Self::Runtime { version, endpoint } => fields
                .with("runtime", version.as_str())
                .with("endpoint", endpoint.as_str()),
            Self::Problem { about, text: _ } => fields.with("about", *about),
            Self::Deleting { deleted } => fields.with("leftovers", *deleted),
            Self::Recovered => fields,
        }
    }
}

fn of_no_pod(verdict: &Verdict) -> Fields {
    Fields::default()
        .with("signal", verdict.signal.name())
        .with("pods", verdict.accounts.len())
        .with("reason", verdict.why_none().map(|why| why.to_string()))
        .with("unexplained", verdict.unexplained)
}

/// Process ids and their states: `812:D,813:Z`.
fn remaining(report: &KillReport) -> String {
    let remaining = report
        .remaining
        .iter()
        .map(|remaining| format!("{}:{}", remaining.pid, remaining.state.unwrap_or('?')));
    let remaining: Vec<String> = remaining.collect();
    remaining.join(",")
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
        .with("cause", decision.cause)
        .with("times", decision.victim.times);
    if let Some(threshold) = &decision.threshold {
        fields = fields
            .with_signal(threshold.signal, decision.reading)
            .with_threshold(threshold)
            .with("passedOver", decision.passed_over);
    }
    if decision.dry_run {
        fields = fields.with("frees", decision.frees);
    }
    fields
        .with_disk(decision.disk.as_ref())
        .with("graceSeconds", decision.victim.grace_seconds)
        .with("reason", decision.record.reason.as_str())
        .with("next", decision.record.next.as_deref())
        .with("nextReason", decision.record.next_reason.as_deref())
        .with("rule", decision.record.rule.as_deref())
}

fn millis(of: Duration) -> u64 {
    u64::try_from(of.as_millis()).unwrap_or(u64::MAX)
}

fn of_report(fields: Fields, report: &KillReport) -> Fields {
    let took = report.ended.map(|ended| ended.since(report.started));
    fields
        .with("millis", took.map(millis))
        .with("method", report.method.map(|method| method.name()))
        .with("processes", report.processes)
}
