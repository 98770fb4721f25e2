//! What a pod requests, and its limit of local storage.

use evictd_node::Policy;
use evictd_node::pod::{Pod, Requested};
use evictd_quantity::Quantity;
use serde_json::Value;

use crate::case::{Outcome, same, text};
use crate::pods::pod;
use crate::rules::Rules;

/// The resources of a request, by name.
const RESOURCES: [(&str, Requested); 3] = [
    ("cpu", Requested::Cpu),
    ("memory", Requested::Memory),
    ("ephemeral-storage", Requested::EphemeralStorage),
];

/// Judges one case.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let pod = pod(&case["pod"])?;
    same_requests(&pod, &case["requests"], &rules.policy_of(case))?;
    let limit = pod.local_storage_limit();
    let limit = limit.as_ref().map(Quantity::canonical);
    let theirs = case.pointer("/limits/ephemeral-storage");
    let theirs = theirs.and_then(Value::as_str);
    same("limit of ephemeral-storage", limit.as_deref(), theirs)
}

/// Compares what the whole pod requests, in canonical quantities.
pub(crate) fn same_requests(pod: &Pod, theirs: &Value, policy: &Policy) -> Outcome {
    for (name, what) in RESOURCES {
        let ours = pod.request(what, policy).canonical();
        same(&format!("request of {name}"), &*ours, text(theirs, name))?;
    }
    Ok(())
}
