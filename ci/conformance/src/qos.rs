//! QoS classes.

use serde_json::Value;

use crate::case::{Outcome, same, text};
use crate::pods::pod;
use crate::rules::Rules;

/// Judges one case.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let pod = pod(&case["pod"])?;
    let policy = rules.policy_of(case);
    same("qos", pod.qos_class(&policy).name(), text(case, "qos"))?;
    let computed = pod.computed_qos_class(&policy).name();
    same("computed", computed, text(case, "computed"))
}
