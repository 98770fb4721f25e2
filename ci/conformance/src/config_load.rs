//! What a configuration file comes to once it is loaded.

use evictd_quantity::GoDuration;
use evictd_threshold::Threshold;
use serde_json::{Map, Value, json};

use crate::case::{Outcome, integer, same, text};
use crate::config::resolved;
use crate::rules::Rules;
use crate::thresholds;

/// Judges one case: the thresholds are those that the kubelet's lists would give.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let nothing = Map::new();
    let file = case["file"].as_object().unwrap_or(&nothing);
    let ours = resolved(file, &[("compat", rules.version.name())]);
    let ours = ours.map_err(|error| format!("refused: {error}"))?;
    let lists = json!({
        "hard": pairs(&case["evictionHard"], '<'),
        "soft": pairs(&case["evictionSoft"], '<'),
        "grace": pairs(&case["evictionSoftGracePeriod"], '='),
        "minReclaim": pairs(&case["evictionMinimumReclaim"], '='),
        "enforceNodeAllocatable": ["pods"],
    });
    let theirs = thresholds::of(&lists).map_err(|error| error.to_string())?;
    same(
        "thresholds",
        written(&ours.evict.thresholds),
        written(&theirs),
    )?;
    let period = GoDuration::parse(text(case, "evictionPressureTransitionPeriod"));
    let period = period.map_err(|error| error.to_string())?;
    same(
        "evictionPressureTransitionPeriod",
        i128::try_from(ours.evict.transition_period.as_nanos()).ok(),
        Some(i128::from(period.nanos())),
    )?;
    let grace = Some(ours.evict.max_pod_grace_seconds);
    let theirs = integer(case, "evictionMaxPodGracePeriod");
    same("evictionMaxPodGracePeriod", grace, theirs)
}

/// The pairs of a mapping, as a flag has them.
fn pairs(mapping: &Value, separator: char) -> String {
    let entries = mapping.as_object().into_iter().flatten();
    let pairs = entries.map(|(key, value)| {
        let value = value.as_str().unwrap_or_default();
        format!("{key}{separator}{value}")
    });
    pairs.collect::<Vec<_>>().join(",")
}

fn written(thresholds: &[Threshold]) -> Vec<String> {
    let mut written: Vec<String> = thresholds.iter().map(|one| format!("{one:?}")).collect();
    written.sort_unstable();
    written
}
