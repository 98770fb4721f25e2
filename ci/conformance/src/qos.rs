//! QoS classes.

use serde_json::Value;

use crate::case::{Outcome, flag, same, text};
use crate::pods::pod;

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    let pod = pod(&case["pod"])?;
    let gate = flag(case, "podLevelResourcesGate");
    same("qos", pod.qos_class_with(gate).name(), text(case, "qos"))?;
    same(
        "computed",
        pod.computed_qos_class(gate).name(),
        text(case, "computed"),
    )
}
