//! Node conditions over time.

use evictd_condition::{NodeCondition, Status};
use evictd_node::Condition;
use serde_json::Value;

use crate::case::{Outcome, flag, integer, list, same, text};

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    let condition = Condition::from_name(text(case, "condition")).ok_or("unknown condition")?;
    let mut ours = match case.get("initialStatus").and_then(Value::as_str) {
        None => NodeCondition::unknown(condition),
        Some(name) => {
            let all = [Status::True, Status::False, Status::Unknown];
            let status = all
                .into_iter()
                .find(|s| s.name() == name)
                .ok_or("unknown status")?;
            // A condition that is there exists since second 0.
            let mut known = NodeCondition::with_status(condition, status);
            known.last_transition = Some(0);
            known
        }
    };
    for step in list(case, "steps") {
        let now = integer(step, "atSeconds").ok_or("no time")?;
        let event = ours.update(now, flag(step, "pressure"));
        compare(&ours, event, step.get("expect").ok_or("no expectation")?)
            .map_err(|difference| format!("at {now} s: {difference}"))?;
    }
    Ok(())
}

fn compare(ours: &NodeCondition<i64>, event: Option<&str>, expect: &Value) -> Outcome {
    same("type", ours.condition.name(), text(expect, "type"))?;
    same("status", ours.status.name(), text(expect, "status"))?;
    same("reason", ours.reason, text(expect, "reason"))?;
    same("message", ours.message, text(expect, "message"))?;
    let heartbeat = integer(expect, "heartbeatSeconds").unwrap_or(0);
    same("heartbeat", ours.last_heartbeat.unwrap_or(0), heartbeat)?;
    let transition = integer(expect, "transitionSeconds").unwrap_or(0);
    same("transition", ours.last_transition.unwrap_or(0), transition)?;
    let event = event.map_or_else(String::new, |event| format!("Normal {event}"));
    same("event", &*event, text(expect, "event"))
}
