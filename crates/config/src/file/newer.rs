//! What kubelets refuse since Kubernetes v1.36, of settings that evictd has no use for. With
//! `--compat` of such a kubelet a file that it would not start with is an error here too;
//! otherwise it is none of evictd's business.

use evictd_node::KubeletVersion;
use serde_json::{Map, Value};

use super::kubelet::{integer, string};
use crate::source::Source;
use crate::values::Parsed;
use crate::{Compat, Typed};

/// Gates that cannot be switched any more, and where they are locked.
const LOCKED: [(&str, bool); 3] = [
    ("AllowOverwriteTerminationGracePeriodSeconds", false),
    ("ImageMaximumGCAge", true),
    ("KubeletPSI", true),
];

/// A gate that is on by default, and one without which it cannot be.
const DEPENDENT: (&str, &str) = (
    "InPlacePodLevelResourcesVerticalScaling",
    "PodLevelResources",
);

fn is_asked_for(typed: &Typed) -> bool {
    match typed.compat() {
        Compat::Evictd => false,
        Compat::Kubelet(version) => version >= KubeletVersion::V1_36,
    }
}

/// A field that is passed over, unless the kubelet would not start with it.
pub(super) fn check(
    typed: &mut Typed,
    (name, value): (&str, &Value),
    document: &Map<String, Value>,
    source: &Source,
) -> Parsed<()> {
    let (offending, problem) = if name == "containerLogMaxFiles" {
        let files = integer(&[name], value, source)?;
        let message = || format!("{name} must be greater than 1");
        (files.to_string(), (files <= 1).then(message))
    } else {
        let option = string(&[name], value, "None", source)?;
        (option.to_owned(), wrong_policy(name, option, document))
    };
    let problem = problem.filter(|_| is_asked_for(typed));
    typed.passed_over.push(name.to_owned());
    problem.map_or(Ok(()), |message| {
        let hint = "leave it out: evictd does not use it";
        Err(source.error(&[name], &offending, message, hint))
    })
}

/// What is wrong with a `memoryReservationPolicy`; an empty text is as good as none.
fn wrong_policy(name: &str, option: &str, document: &Map<String, Value>) -> Option<String> {
    const GATE: &str = "MemoryQoS";
    let gates = document.get("featureGates");
    let is_on = gates.and_then(|gates| gates.get(GATE)) == Some(&Value::Bool(true));
    match option {
        "" | "None" => None,
        "TieredReservation" if is_on => None,
        "TieredReservation" => Some(format!(
            "{name} {option:?} requires {GATE} feature gate to be enabled"
        )),
        _ => Some(format!(
            "option {option:?} specified for {name}. Valid options are \"None\" or \
             \"TieredReservation\""
        )),
    }
}

/// Refuses what the gates cannot be switched to.
pub(super) fn gates(typed: &Typed, gates: &Map<String, Value>, source: &Source) -> Parsed<()> {
    if !is_asked_for(typed) {
        return Ok(());
    }
    let set = |gate: &str| gates.get(gate).and_then(Value::as_bool);
    let fail = |gate: &str, message: String| {
        let hint = "leave the gate out";
        Err(source.error(&["featureGates", gate], "", message, hint))
    };
    for (gate, locked) in LOCKED {
        if set(gate) == Some(!locked) {
            let message = format!(
                "cannot set feature gate {gate} to {}, feature is locked to {locked}",
                !locked
            );
            return fail(gate, message);
        }
    }
    let (dependent, needed) = DEPENDENT;
    if set(needed) == Some(false) && set(dependent) != Some(false) {
        let message = format!(
            "{dependent} is enabled, but depends on features that are disabled: [{needed}]"
        );
        return fail(needed, message);
    }
    Ok(())
}
