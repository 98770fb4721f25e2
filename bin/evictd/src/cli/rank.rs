//! `evictd rank`: the order of eviction for a signal, and why.

use core::fmt::Write;
use std::process::ExitCode;

use evictd_config::Resolved;
use evictd_jsontext::Json;
use evictd_node::Signal;

use crate::cli::output::print;
use crate::cli::screen::{Paint, cut};
use crate::cli::snapshot::{Ranked, Snapshot};

/// What was asked for.
pub(crate) struct RankOptions {
    pub(crate) signal: Signal,
    pub(crate) json: bool,
}

/// Prints the order; fails when the node cannot be read.
#[inline(never)]
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
        in_json(options.signal, &order)
    } else {
        in_text(options.signal, &order, Paint::for_stdout())
    })
}

fn in_json(signal: Signal, order: &[Ranked<'_>]) -> String {
    let mut json = Json::new();
    json.text("signal", signal.name());
    add_order(&mut json, order);
    json.into_line()
}

/// The places as scripts read them.
pub(crate) fn add_order(json: &mut Json, order: &[Ranked<'_>]) {
    json.array("pods");
    for ranked in order {
        let (metadata, place) = (&ranked.candidate.pod.metadata, &ranked.place);
        let request = i64::try_from(place.request_nanos / 1_000_000_000).unwrap_or(i64::MAX);
        json.item_object();
        json.text("namespace", &metadata.namespace);
        json.text("name", &metadata.name);
        json.text("uid", &metadata.uid);
        json.text("qosClass", place.qos.name());
        json.int("priority", place.priority.into());
        json.opt_uint("used", place.used);
        json.int("request", request);
        json.bool("exceedsRequest", place.exceeds);
        json.bool("protected", ranked.is_protected());
        json.show("reason", place);
        json.end_object();
    }
    json.end_array();
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
        let _ = writeln!(text, "{number:>3}  {}", cut(&ranked.name(), 74));
        let protected = if ranked.is_protected() {
            "; never evicted: critical"
        } else {
            ""
        };
        let _ = writeln!(text, "     {}{protected}", ranked.place);
    }
    text
}
