//! The order of eviction.

use std::collections::HashMap;

use evictd_node::pod::usage::PodUsage;
use evictd_node::{Layout, Signal};
use evictd_rank::{Candidate, rank};
use serde_json::Value;

use crate::case::{Outcome, list, same, text};
use crate::rules::Rules;
use crate::{pods, threshold_layout};

/// Judges one case.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let signal = Signal::from_name(text(case, "signal")).ok_or("unknown signal")?;
    let layout = threshold_layout::layout(case).unwrap_or(Layout::OneFilesystem);
    let pods = pods::pods(case.get("pods").unwrap_or(&Value::Null))?;
    let stats: HashMap<&str, PodUsage> = list(case, "stats")
        .iter()
        .map(|s| (pods::uid_of(s), pods::usage(s)))
        .collect();
    let candidates: Vec<Candidate> = pods
        .iter()
        .map(|pod| Candidate::new(pod, stats.get(pod.metadata.uid.as_str())))
        .collect();
    let order = rank(signal, layout, &candidates, &rules.policy_of(case));
    let ours: Vec<&str> = order
        .iter()
        .filter_map(|place| pods.get(place.candidate))
        .map(|pod| pod.metadata.uid.as_str())
        .collect();
    let theirs: Vec<&str> = list(case, "order")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let ties = ties(case);
    same("order", untied(&ours, &ties), untied(&theirs, &ties))
}

/// To which group each pod belongs that the kubelet cannot tell from another.
fn ties(case: &Value) -> HashMap<&str, usize> {
    let groups = list(case, "ties").iter().enumerate();
    groups
        .flat_map(|(group, uids)| {
            uids.as_array()
                .into_iter()
                .flatten()
                .filter_map(move |uid| Some((uid.as_str()?, group)))
        })
        .collect()
}

/// The order with each tied group in the order of its uids, so that any is equal.
fn untied(order: &[&str], ties: &HashMap<&str, usize>) -> Vec<String> {
    let mut runs: Vec<(Option<usize>, Vec<&str>)> = Vec::new();
    for uid in order {
        let group = ties.get(uid).copied();
        match runs.last_mut() {
            Some((last, run)) if group.is_some() && *last == group => run.push(uid),
            _ => runs.push((group, vec![uid])),
        }
    }
    for (_, run) in &mut runs {
        run.sort_unstable();
    }
    runs.into_iter()
        .flat_map(|(_, run)| run)
        .map(str::to_owned)
        .collect()
}
