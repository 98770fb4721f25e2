//! What holds where nothing is configured.

use serde_json::{Map, Value};

use evictd_config::{Compat, Resolved};
use evictd_node::Signal;
use evictd_threshold::Threshold;

use crate::case::{Outcome, list, same};
use crate::config::{resolved, setting};
use crate::rules::Rules;

/// Fields of the dump, and the flags that say the same.
const FIELDS: [(&str, &str); 8] = [
    (
        "evictionPressureTransitionPeriod",
        "eviction-pressure-transition-period",
    ),
    ("imageGCHighThresholdPercent", "image-gc-high-threshold"),
    ("imageGCLowThresholdPercent", "image-gc-low-threshold"),
    ("imageMaximumGCAge", "maximum-image-gc-age"),
    ("imageMinimumGCAge", "minimum-image-ttl-duration"),
    (
        "localStorageCapacityIsolation",
        "local-storage-capacity-isolation",
    ),
    ("nodeStatusUpdateFrequency", "node-status-update-frequency"),
    ("evictionMaxPodGracePeriod", "eviction-max-pod-grace-period"),
];

/// Judges the document: evictd without flags, and evictd with the kubelet's own
/// defaults as its file. As a kubelet it has no threshold of a signal of its own.
pub(crate) fn check(document: &Value, rules: Rules) -> Outcome {
    let dump = document["kubeletConfigurationV1beta1"].as_object();
    let dump = dump.ok_or("no configuration in the dump")?;
    let compat = [("compat", rules.version.name())];
    for (fields, flags) in [(&Map::new(), &[][..]), (dump, &[]), (dump, &compat)] {
        let ours = resolved(fields, flags).map_err(|error| error.to_string())?;
        for (field, flag) in FIELDS {
            same(field, setting(&ours, flag), shown(&dump[field]).as_deref())?;
        }
        let enforced = list(
            &document["kubeletConfigurationV1beta1"],
            "enforceNodeAllocatable",
        );
        let pods = enforced.iter().any(|option| option == "pods");
        same(
            "enforceNodeAllocatable",
            ours.node_allocatable.enforce_pods,
            pods,
        )?;
        hard(&ours, &document["evictionHardWhenUnset"])?;
        let flags = document["flags"].as_object().ok_or("no flags")?;
        for flag in [
            "maximum-dead-containers",
            "maximum-dead-containers-per-container",
            "minimum-container-ttl-duration",
        ] {
            same(flag, setting(&ours, flag), shown(&flags[flag]).as_deref())?;
        }
    }
    Ok(())
}

/// As one would write it; an unset integer is 0.
fn shown(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "0".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    })
}

fn hard(ours: &Resolved, theirs: &Value) -> Outcome {
    let theirs = theirs.as_object().ok_or("no default thresholds")?;
    let mut theirs: Vec<String> = theirs
        .iter()
        .map(|(signal, value)| format!("{signal}<{}", value.as_str().unwrap_or("")))
        .collect();
    theirs.sort();
    let hard = ours.evict.thresholds.iter();
    let is_theirs = |threshold: &&Threshold| {
        let is_copied = threshold.signal == Signal::AllocatableMemoryAvailable;
        let is_own = !threshold.signal.is_known_to_kubelet() && ours.compat == Compat::Evictd;
        !is_copied && !is_own
    };
    let mut hard: Vec<String> = hard.filter(is_theirs).map(ToString::to_string).collect();
    hard.sort();
    same("evictionHardWhenUnset", hard, theirs)
}
