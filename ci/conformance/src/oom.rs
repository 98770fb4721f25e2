//! oom_score_adj.

use evictd_oom::{ContainerRef, GuaranteedScore, score_adj};
use serde_json::Value;

use crate::case::{Outcome, flag, integer, same, text};
use crate::pods::pod;

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    let pod = pod(&case["pod"])?;
    let container = ContainerRef::find(&pod, text(case, "container"), flag(case, "init"))
        .ok_or("no such container")?;
    let capacity = integer(case, "memoryCapacity")
        .and_then(|bytes| u64::try_from(bytes).ok())
        .ok_or("no memoryCapacity")?;
    let gate = flag(case, "podLevelResourcesGate");
    let ours = score_adj(&pod, container, capacity, GuaranteedScore::KUBELET, gate);
    same("score", Some(i64::from(ours)), integer(case, "score"))
}
