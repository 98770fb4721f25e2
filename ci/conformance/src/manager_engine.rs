//! Whole traces of the control loop, through the engine with made-up ports.
//!
//! Each step is one turn of the loop. Two things are the engine's own: it reads the node as
//! often as it needs to, and what gave nothing back it does not try again for up to a
//! minute ([`LONGEST_REST`]), which the kubelet does in every round.

use core::time::Duration;

use evictd_engine::fake::{FakeNode, FakePod, FakePods, FakeReclaim};
use evictd_engine::ports::Sample;
use evictd_engine::{Decision, Engine, Event, Settings};
use evictd_node::pod::Pod;
use evictd_node::{Layout, Mono, Readings};
use serde_json::{Map, Value};

use crate::case::{Outcome, flag, integer, list};
use crate::manager::{Record, comparable, config, written_kill};
use crate::rules::Rules;
use crate::summary::Summary;
use crate::{pods, threshold_layout};

type Fake = Engine<FakeNode, FakePods, FakeReclaim>;

/// How long ago a call may have been made that is not repeated.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// Judges one trace as [`crate::manager::check`] does.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let all = pods::pods(case.get("pods").unwrap_or(&Value::Null))?;
    let settings = Settings {
        evict: config(case, rules)?,
        ..Settings::default()
    };
    let pods = FakePods {
        limits: true,
        ..FakePods::default()
    };
    let mut engine = Engine::new(
        settings,
        (FakeNode::default(), pods, FakeReclaim::default()),
    );
    let mut summary = Summary::default();
    let mut reclaimed = None;
    let expectations = list(case, "expect");
    for (index, step) in list(case, "steps").iter().enumerate() {
        let expect = expectations
            .get(index)
            .ok_or("a step without expectation")?;
        let layout = case.get("layout").and_then(threshold_layout::layout);
        let now = Mono::from_millis(integer(step, "atMillis").unwrap_or(0).unsigned_abs());
        let ours = run(&mut engine, now, &mut summary, (layout, step), &all);
        let mut left_out = vec!["summaryReads"];
        if ours.get("nodeReclaim").is_some() {
            reclaimed = Some(now);
        } else if reclaimed.is_some_and(|at| now.since(at) < LONGEST_REST) {
            left_out.push("nodeReclaim");
        }
        let theirs = |expect| without(&comparable(expect), &left_out);
        let alternatives = list(expect, "alternatives").iter();
        if !core::iter::once(expect)
            .chain(alternatives)
            .any(|expect| theirs(expect) == ours)
        {
            let theirs = theirs(expect);
            return Err(format!(
                "step {index}:\n    ours   {ours}\n    theirs {theirs}"
            ));
        }
    }
    Ok(())
}

/// One turn.
fn run(
    engine: &mut Fake,
    now: Mono,
    summary: &mut Summary,
    (layout, step): (Option<Layout>, &Value),
    all: &[Pod],
) -> Value {
    let failed = flag(step, "summaryError");
    if !failed {
        summary.apply(step.get("summary").unwrap_or(&Value::Null));
    }
    let sample = |readings: Readings| Sample {
        readings,
        layout,
        ..Sample::default()
    };
    let [first, again] = if failed {
        [Readings::default(); 2]
    } else if flag(step, "summaryAfterReclaimError") {
        [summary.readings(), Readings::default()]
    } else {
        let again = summary.after_reclaim(step.get("afterReclaim"));
        [summary.readings(), again.readings()]
    };
    engine.node_mut().samples = [sample(first), sample(again)].into();
    let active = list(step, "activePods").iter();
    let active = active.filter_map(|uid| all.iter().find(|pod| *uid == pod.metadata.uid));
    engine.pods_mut().running = active
        .map(|pod| FakePod {
            pod: pod.clone(),
            usage: summary.pods.get(&pod.metadata.uid).cloned(),
            ends_after: Some(Duration::ZERO),
            dies_after: Some(Duration::ZERO),
            is_refused: flag(step, "killError"),
        })
        .collect();
    // Who was killed in an earlier step and is active again runs again.
    engine.pods().kills.borrow_mut().clear();
    engine.look_at_pods();
    let mut record = Record::default();
    engine.run_due(now);
    for (_, event) in engine.take_events() {
        if let Event::Reclaiming { calls, .. } = event {
            record.node_reclaim = calls.iter().map(ToString::to_string).collect();
        } else if let Event::Evicting(decision) = event {
            record.kills.push(kill(&decision));
        }
    }
    // Whoever could not be killed is not waited for between two steps of a trace.
    engine.give_up_waiting(now);
    let acting = engine.evict().acting_on().filter(|_| !failed);
    record.reclaiming = acting.map(|threshold| threshold.signal.resource().name());
    without(&record.finish(engine.evict()), &["summaryReads"])
}

fn kill(decision: &Decision) -> Value {
    let record = &decision.record;
    let annotations = record.annotations.iter();
    let annotations: Map<String, Value> = annotations
        .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
        .collect();
    written_kill(
        &record.uid,
        record.grace_seconds,
        &record.message,
        (!annotations.is_empty()).then(|| annotations.into()),
        decision.threshold.is_some(),
    )
}

fn without(expect: &Value, keys: &[&str]) -> Value {
    let mut expect = expect.clone();
    if let Some(fields) = expect.as_object_mut() {
        fields.retain(|key, _| !keys.contains(&key.as_str()));
    }
    expect
}
