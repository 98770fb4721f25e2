//! What kubelets refuse since one release or another, mostly of settings that evictd has no use
//! for, and what the older ones do not know yet. With `--compat` of a kubelet a file that it
//! would not start with is an error here too; otherwise it is none of evictd's business.

use evictd_node::KubeletVersion;
use serde_json::{Map, Value};

use super::typed::{integer, string};
use crate::source::Source;
use crate::values::Parsed;
use crate::{Compat, Typed};

/// Fields that are looked at, and since which release of 1 the kubelet has them.
const FIELDS: [(&str, u16); 2] = [
    ("mergeDefaultEvictionSettings", 33),
    ("memoryReservationPolicy", 36),
];

/// Gates that cannot be switched any more: to what they are locked, and since which release
/// of 1.
const LOCKED: [(&str, bool, u16); 4] = [
    ("AllowOverwriteTerminationGracePeriodSeconds", false, 35),
    ("ImageMaximumGCAge", true, 35),
    ("ImageVolume", true, 36),
    ("KubeletPSI", true, 36),
];

/// A gate that is on by default since 1.36, and one without which it cannot be.
const DEPENDENT: (&str, &str) = (
    "InPlacePodLevelResourcesVerticalScaling",
    "PodLevelResources",
);

/// Whether the behaviour of a kubelet is asked for, and one of that release of 1 or newer.
fn is_asked_for(typed: &Typed, since: u16) -> bool {
    asked_for(typed).is_some_and(|version| version.minor() >= since)
}

fn asked_for(typed: &Typed) -> Option<KubeletVersion> {
    match typed.compat() {
        Compat::Evictd => None,
        Compat::Kubelet(version) => Some(version),
    }
}

/// Whether the kubelet that is asked for does not have that field yet.
pub(super) fn is_too_new(typed: &Typed, field: &str) -> bool {
    let since = FIELDS.iter().find(|(name, _)| *name == field);
    asked_for(typed).is_some_and(|version| since.is_some_and(|(_, since)| version.minor() < *since))
}

/// A field that is passed over, unless the kubelet would not start with it.
pub(super) fn check_log_files(
    typed: &mut Typed,
    (name, value): (&str, &Value),
    source: &Source,
) -> Parsed<()> {
    let files = integer(&[name], value, source)?;
    typed.passed_over.push(name.to_owned());
    if files <= 1 && is_asked_for(typed, 33) {
        let message = format!("{name} must be greater than 1");
        let hint = "leave it out: evictd does not use it";
        return Err(source.error(&[name], &files.to_string(), message, hint));
    }
    Ok(())
}

/// Notes whether pods shall keep the memory that they request, for a warning that evictd does
/// not set it. A policy with which the kubelet would not start is an error.
pub(super) fn check_reservation(
    typed: &mut Typed,
    (name, value): (&str, &Value),
    document: &Map<String, Value>,
    source: &Source,
) -> Parsed<()> {
    const GATE: &str = "MemoryQoS";
    let policy = string(&[name], value, "None", source)?;
    let gates = document.get("featureGates");
    let given = gates.and_then(|gates| gates.get(GATE)?.as_bool());
    // By default since 1.37.
    let is_on = |version| given.unwrap_or(version >= KubeletVersion::V1_37);
    let problem = asked_for(typed).and_then(|version| wrong_policy(name, policy, is_on(version)));
    if let Some(message) = problem {
        let hint = "leave it out: evictd does not use it";
        return Err(source.error(&[name], policy, message, hint));
    }
    typed.facts.tiered_reservation = policy == "TieredReservation";
    if !typed.facts.tiered_reservation {
        typed.passed_over.push(name.to_owned());
    }
    Ok(())
}

/// What is wrong with a `memoryReservationPolicy`; an empty text is as good as none.
fn wrong_policy(name: &str, policy: &str, is_on: bool) -> Option<String> {
    match policy {
        "" | "None" => None,
        "TieredReservation" if is_on => None,
        "TieredReservation" => Some(format!(
            "{name} {policy:?} requires MemoryQoS feature gate to be enabled"
        )),
        _ => Some(format!(
            "option {policy:?} specified for {name}. Valid options are \"None\" or \
             \"TieredReservation\""
        )),
    }
}

/// Refuses what the gates cannot be switched to.
pub(super) fn gates(typed: &Typed, gates: &Map<String, Value>, source: &Source) -> Parsed<()> {
    let set = |gate: &str| gates.get(gate).and_then(Value::as_bool);
    let fail = |gate: &str, message: String| {
        let hint = "leave the gate out";
        Err(source.error(&["featureGates", gate], "", message, hint))
    };
    for (gate, locked, since) in LOCKED {
        if set(gate) == Some(!locked) && is_asked_for(typed, since) {
            let message = format!(
                "cannot set feature gate {gate} to {}, feature is locked to {locked}",
                !locked
            );
            return fail(gate, message);
        }
    }
    let (dependent, needed) = DEPENDENT;
    let is_on = set(dependent) != Some(false) && is_asked_for(typed, 36);
    if set(needed) == Some(false) && is_on {
        let message = format!(
            "{dependent} is enabled, but depends on features that are disabled: [{needed}]"
        );
        return fail(needed, message);
    }
    Ok(())
}
