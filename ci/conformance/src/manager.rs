//! Whole traces of the control loop.

use core::time::Duration;

use evictd_evict::{Config, Evict, Eviction, Observation, Outcome as Done, Plan, Relieved};
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_rank::Candidate;
use evictd_threshold::{Threshold, ThresholdValue};
use serde_json::{Map, Value, json};

use crate::case::{Outcome, flag, integer, list, text};
use crate::rules::Rules;
use crate::summary::Summary;
use crate::{pods, threshold_layout, thresholds};

/// Judges one trace: every step must come out as the kubelet's, or as one of the
/// alternatives that are as right.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let pods = pods::pods(case.get("pods").unwrap_or(&Value::Null))?;
    let mut evict = Evict::new(config(case, rules)?);
    let mut summary = Summary::default();
    let expectations = list(case, "expect");
    for (index, step) in list(case, "steps").iter().enumerate() {
        let expect = expectations
            .get(index)
            .ok_or("a step without expectation")?;
        let ours = run(&mut evict, &mut summary, case, step, &pods);
        let alternatives = list(expect, "alternatives").iter();
        if !core::iter::once(expect)
            .chain(alternatives)
            .any(|e| comparable(e) == ours)
        {
            let theirs = comparable(expect);
            return Err(format!(
                "step {index}:\n    ours   {ours}\n    theirs {theirs}"
            ));
        }
    }
    Ok(())
}

pub(crate) fn config(case: &Value, rules: Rules) -> Result<Config, String> {
    let config = case.get("config").ok_or("no config")?;
    let seconds = |key| integer(config, key).unwrap_or(0);
    let transition = u64::try_from(seconds("pressureTransitionPeriodSeconds")).unwrap_or(0);
    Ok(Config {
        thresholds: thresholds::of(config).map_err(|error| error.to_string())?,
        policy: rules.policy(),
        transition_period: Duration::from_secs(transition),
        max_pod_grace_seconds: seconds("maxPodGracePeriodSeconds"),
        local_storage_isolation: flag(config, "localStorageCapacityIsolation"),
        ..Config::default()
    })
}

/// One call of the synchronise function.
fn run(
    evict: &mut Evict,
    summary: &mut Summary,
    case: &Value,
    step: &Value,
    pods: &[Pod],
) -> Value {
    let mut record = Record::default();
    // The kubelet does not even read stats without anything to watch for.
    let isolation = case
        .get("config")
        .is_some_and(|c| flag(c, "localStorageCapacityIsolation"));
    if evict.thresholds().len() == 0 && !isolation {
        return record.finish(evict);
    }
    record.reads = 1;
    let layout = case.get("layout").and_then(threshold_layout::layout);
    if flag(step, "summaryError") {
        // The kubelet has asked for the layout by then.
        evict.take_layout(layout);
        return record.finish(evict);
    }
    summary.apply(step.get("summary").unwrap_or(&Value::Null));
    let now = Mono::from_millis(integer(step, "atMillis").unwrap_or(0).unsigned_abs());
    let active: Vec<Candidate> = list(step, "activePods")
        .iter()
        .filter_map(|uid| pods.iter().find(|pod| *uid == pod.metadata.uid))
        .map(|pod| Candidate::new(pod, summary.pods.get(&pod.metadata.uid)))
        .collect();
    let readings = summary.readings();
    let observation = Observation {
        readings: &readings,
        layout,
    };
    let mut plan = evict.step(now, &observation, Some(&active));
    record.reclaiming = evict.acting_on().map(|t| t.signal.resource().name());
    loop {
        plan = match plan {
            Plan::Rest | Plan::NoCandidate(..) | Plan::KillNow => break,
            Plan::ReadPods => evict.outcome(now, Done::PodsRead, Some(&active)),
            Plan::Relieve(step_of_relief) => {
                record.node_reclaim.push(step_of_relief.to_string());
                record.reads = 2;
                let again = summary.after_reclaim(step.get("afterReclaim")).readings();
                let again = (!flag(step, "summaryAfterReclaimError")).then_some(&again);
                evict.outcome(
                    now,
                    Done::Relieved(Relieved { gave: false, again }),
                    Some(&active),
                )
            }
            Plan::Evict(eviction) => {
                record.kills.extend(
                    active
                        .get(eviction.candidate)
                        .map(|pod| kill(evict, &eviction, pod)),
                );
                if flag(step, "killError") {
                    evict.outcome(now, Done::NotBegun, Some(&active))
                } else {
                    evict.outcome(now, Done::Begun, Some(&active));
                    evict.outcome(now, Done::Killed, Some(&active))
                }
            }
        };
    }
    evict.outcome(now, Done::CleanedUp, None);
    record.finish(evict)
}

/// What a step did.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) reads: u64,
    pub(crate) reclaiming: Option<&'static str>,
    pub(crate) node_reclaim: Vec<String>,
    pub(crate) kills: Vec<Value>,
}

impl Record {
    pub(crate) fn finish(self, evict: &Evict) -> Value {
        let mut conditions: Vec<&str> = evict.conditions().each().map(|c| c.name()).collect();
        conditions.sort_unstable();
        let mut met: Vec<String> = evict.due().map(written).collect();
        met.sort_unstable();
        met.dedup();
        let uids: Vec<&Value> = self
            .kills
            .iter()
            .filter_map(|kill| kill.get("uid"))
            .collect();
        comparable(&json!({
            "conditions": conditions,
            "thresholdsMet": met,
            "reclaiming": self.reclaiming,
            "nodeReclaim": self.node_reclaim,
            "evicted": uids.first(),
            "evictedAll": uids,
            "kills": self.kills,
            "summaryReads": self.reads,
        }))
    }
}

/// `signal<value hard|soft`, as the vectors write a met threshold.
fn written(threshold: &Threshold) -> String {
    let kind = if threshold.is_hard() { "hard" } else { "soft" };
    match &threshold.value {
        ThresholdValue::Quantity(quantity) => format!("{}<{quantity} {kind}", threshold.signal),
        ThresholdValue::Percentage(fraction) => format!("{}<{fraction} {kind}", threshold.signal),
    }
}

fn kill(evict: &Evict, eviction: &Eviction, candidate: &Candidate) -> Value {
    let message = evict.message(eviction, candidate);
    let annotations = message.annotations.as_ref().map(|annotations| {
        let mut written = json!({
            "offending_containers": annotations.offending_containers,
            "offending_containers_usage": annotations.offending_containers_usage,
            "starved_resource": annotations.starved_resource.name(),
        });
        if let (Some((pod, usage)), Some(fields)) =
            (&annotations.offending_pod, written.as_object_mut())
        {
            fields.insert("offending_pod".into(), pod.as_str().into());
            fields.insert("offending_pod_usage".into(), usage.to_string().into());
        }
        written
    });
    let uid = &candidate.pod.metadata.uid;
    let is_for_threshold = matches!(eviction.cause, evictd_evict::Cause::Threshold { .. });
    written_kill(
        uid,
        eviction.grace_seconds,
        &message.text,
        annotations,
        is_for_threshold,
    )
}

/// A kill as the vectors write it.
pub(crate) fn written_kill(
    uid: &str,
    grace_seconds: i64,
    message: &str,
    annotations: Option<Value>,
    is_for_threshold: bool,
) -> Value {
    let mut kill = json!({
        "uid": uid,
        "gracePeriodSeconds": grace_seconds,
        "phase": Eviction::PHASE,
        "reason": Eviction::REASON,
        "message": message,
    });
    if let Some(fields) = kill.as_object_mut() {
        if is_for_threshold {
            let reason = Eviction::DISRUPTION_REASON.into();
            fields.insert("disruptionTargetReason".into(), reason);
        }
        if let Some(annotations) = annotations {
            fields.insert("annotations".into(), annotations);
        }
    }
    kill
}

/// An expectation with what is absent, null or empty left out, so that equal
/// means equal.
pub(crate) fn comparable(expect: &Value) -> Value {
    let keys = [
        "conditions",
        "thresholdsMet",
        "reclaiming",
        "nodeReclaim",
        "evicted",
    ];
    let keys = keys
        .into_iter()
        .chain(["evictedAll", "kills", "summaryReads"]);
    let mut kept = Map::new();
    for key in keys {
        match expect.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) if items.is_empty() => {}
            Some(value) => drop(kept.insert(key.to_owned(), value.clone())),
        }
    }
    debug_assert!(text(expect, "error").is_empty(), "no trace has an error");
    kept.into()
}
