//! `evictd rank`: the order of eviction for a signal, and why.

use std::process::ExitCode;

use evictd_config::Resolved;
use evictd_node::Signal;
use serde_json::{Value, json};

use crate::run::print;
use crate::screen::{Paint, cut};
use crate::snapshot::{Ranked, Snapshot};

/// What was asked for.
pub(crate) struct RankOptions {
    pub(crate) signal: Signal,
    pub(crate) json: bool,
}

/// Prints the order; fails when the node cannot be read.
pub(crate) fn run(settings: &Resolved, options: &RankOptions) -> ExitCode {
    let snapshot = match Snapshot::take(settings) {
        Ok(snapshot) => snapshot,
        Err(error) => {
            eprintln!("evictd rank: {error}");
            return ExitCode::FAILURE;
        }
    };
    for problem in snapshot.pods().problems() {
        eprintln!("evictd rank: {problem}");
    }
    let order = snapshot.order(options.signal);
    print(&if options.json {
        let pods: Vec<Value> = order.iter().map(in_json).collect();
        format!(
            "{}\n",
            json!({ "signal": options.signal.name(), "pods": pods })
        )
    } else {
        in_text(options.signal, &order, Paint::for_stdout())
    })
}

/// A place as scripts read it.
pub(crate) fn in_json(ranked: &Ranked<'_>) -> Value {
    let (metadata, place) = (&ranked.candidate.pod.metadata, &ranked.place);
    let whole = |nanos: i128| i64::try_from(nanos / 1_000_000_000).unwrap_or(i64::MAX);
    json!({
        "namespace": metadata.namespace,
        "name": metadata.name,
        "uid": metadata.uid,
        "qosClass": place.qos.name(),
        "priority": place.priority,
        "used": place.used,
        "request": whole(place.request_nanos),
        "exceedsRequest": place.exceeds,
        "protected": ranked.is_protected(),
        "reason": place.to_string(),
    })
}

fn in_text(signal: Signal, order: &[Ranked<'_>], paint: Paint) -> String {
    if order.is_empty() {
        return String::from(
            "no pods here: name their cgroup by --pod-cgroup-root, or run them below kubepods\n",
        );
    }
    let mut text = paint.head(&format!("If {signal} starves, pods go in this order:"));
    text.push('\n');
    for (index, ranked) in order.iter().enumerate() {
        let number = index.saturating_add(1);
        text.push_str(&format!("{number:>3}  {}\n", cut(&ranked.name(), 74)));
        let protected = if ranked.is_protected() {
            "; never evicted: critical"
        } else {
            ""
        };
        text.push_str(&format!("     {}{protected}\n", ranked.place));
    }
    text
}
