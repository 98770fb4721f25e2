//! oom_score_adj.

use evictd_oom::{ContainerRef, GuaranteedScore, Scale, score_adj};
use serde_json::Value;

use crate::case::{Outcome, flag, integer, same, text};
use crate::pods::pod;
use crate::rules::Rules;

/// Judges one case.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let pod = pod(&case["pod"])?;
    let container = ContainerRef::find(&pod, text(case, "container"), flag(case, "init"))
        .ok_or("no such container")?;
    let capacity = integer(case, "memoryCapacity")
        .and_then(|bytes| u64::try_from(bytes).ok())
        .ok_or("no memoryCapacity")?;
    let scale = Scale {
        memory_capacity_bytes: capacity,
        guaranteed: GuaranteedScore::KUBELET,
        policy: rules.policy_of(case),
    };
    let ours = score_adj(&pod, container, &scale);
    same("score", Some(i64::from(ours)), integer(case, "score"))
}
