//! Admission under pressure.

use evictd_condition::{Rejection, admit};
use evictd_node::Condition;
use serde_json::Value;

use crate::case::{Outcome, flag, list, same, text};
use crate::pods;
use crate::rules::Rules;

/// Judges one case.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let policy = rules.policy_of(case);
    let pod = pods::pod(case.get("pod").ok_or("no pod")?)?;
    let named = list(case, "conditions").iter().filter_map(Value::as_str);
    let conditions: Vec<Condition> = named.filter_map(Condition::from_name).collect();
    same(
        "conditions",
        conditions.len(),
        list(case, "conditions").len(),
    )?;
    same("qos", pod.qos_class(&policy).name(), text(case, "qos"))?;
    same("critical", pod.is_critical(), flag(case, "critical"))?;
    let rejection = admit(&conditions, &pod, &policy).err();
    same("admit", rejection.is_none(), flag(case, "admit"))?;
    let message = rejection
        .as_ref()
        .map_or_else(String::new, Rejection::to_string);
    same("message", &*message, text(case, "message"))?;
    let reason = if rejection.is_some() {
        Rejection::REASON
    } else {
        ""
    };
    same("reason", reason, text(case, "reason"))
}
