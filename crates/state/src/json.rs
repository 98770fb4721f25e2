//! State to text.

use evictd_node::Condition;
use serde_json::{Map, Value};

use crate::parse::{MOST_FIRST_MET, MOST_THRESHOLD};
use crate::{Record, State};

/// What says that a file is ours.
pub(crate) const KIND: &str = "evictd-state";

/// The form of the text; one that an older evictd cannot read gets another.
pub(crate) const VERSION: u64 = 1;

/// How much of the text the history may be. The rest is bounded too, so that all
/// of it stays below [`MAX_BYTES`](crate::MAX_BYTES).
const MOST_HISTORY_BYTES: usize = 160 << 10;

/// The state as one line of JSON, which [`parse`](crate::parse) reads.
///
/// Of a history that is too long, the oldest records are left out.
#[must_use]
pub fn to_json(state: &State) -> String {
    let conditions = Condition::ALL.into_iter().zip(&state.conditions);
    let conditions = conditions.map(|(condition, state)| {
        object(vec![
            ("type", condition.name().into()),
            ("held", state.held.into()),
            ("since", state.since.into()),
            (
                "lastObserved",
                state.last_observed.map(|at| at.as_nanos()).into(),
            ),
        ])
    });
    let first_met = state.first_met.iter();
    let first_met = first_met.filter(|of| of.threshold.len() <= MOST_THRESHOLD);
    let first_met = first_met.take(MOST_FIRST_MET).map(|of| {
        object(vec![
            ("threshold", of.threshold.as_str().into()),
            ("graceNanos", of.grace.nanos().into()),
            ("at", of.at.as_nanos().into()),
        ])
    });
    let interval = u64::try_from(state.interval.as_nanos()).unwrap_or(u64::MAX);
    let taints = state.held().each().map(Condition::taint);
    object(vec![
        ("kind", KIND.into()),
        ("version", VERSION.into()),
        ("bootId", state.boot_id.as_str().into()),
        ("savedAt", state.saved_at.as_nanos().into()),
        ("wallSeconds", state.wall_seconds.into()),
        ("intervalNanos", interval.into()),
        ("daemonPid", state.daemon_pid.into()),
        (
            "layout",
            state.layout.map(|layout| layout.to_string()).into(),
        ),
        ("conditions", conditions.collect()),
        // Ready for a scheduler (decision D35); never read back.
        ("taints", taints.collect()),
        ("firstMet", first_met.collect()),
        ("evictions", state.evictions.into()),
        ("history", history(&state.history)),
    ])
    .to_string()
}

/// As many of the newest as there is room for, oldest first.
fn history(records: &[Record]) -> Value {
    let mut room = MOST_HISTORY_BYTES;
    let mut newest = Vec::new();
    for record in records.iter().rev() {
        let record = record.to_json();
        match room.checked_sub(record.to_string().len()) {
            Some(rest) => room = rest,
            None => break,
        }
        newest.push(record);
    }
    newest.reverse();
    Value::Array(newest)
}

impl Record {
    /// The record as scripts read it, and as the state file keeps it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let annotations = self.annotations.iter();
        let annotations = annotations.map(|(key, value)| (key.clone(), value.as_str().into()));
        let annotations: Map<String, Value> = annotations.collect();
        object(vec![
            ("wallSeconds", self.wall_seconds.into()),
            ("signal", self.signal.map(|signal| signal.name()).into()),
            ("threshold", self.threshold.as_str().into()),
            ("thresholdGraceNanos", self.threshold_grace_nanos.into()),
            ("available", self.available.into()),
            ("capacity", self.capacity.into()),
            (
                "device",
                self.device
                    .map(|(major, minor)| format!("{major}:{minor}"))
                    .into(),
            ),
            ("namespace", self.namespace.as_str().into()),
            ("name", self.name.as_str().into()),
            ("uid", self.uid.as_str().into()),
            ("reason", self.reason.as_str().into()),
            ("message", self.message.as_str().into()),
            ("annotations", Value::Object(annotations)),
            ("graceSeconds", self.grace_seconds.into()),
            ("outcome", self.outcome.name().into()),
            // The pod's own, once it is gone; never read back.
            ("phase", self.phase().into()),
            ("method", self.method.as_str().into()),
            ("millis", self.millis.into()),
        ])
    }
}

/// Without `json!`, which would be a copy of this at each place.
fn object(fields: Vec<(&'static str, Value)>) -> Value {
    let fields = fields.into_iter();
    Value::Object(fields.map(|(key, value)| (key.to_owned(), value)).collect())
}
