//! Thresholds as the vectors write them, beside ours.

use evictd_threshold::{Error, Lists, Threshold, ThresholdValue, parse};
use serde_json::{Map, Value, json};

use crate::case::{list, same, text};

/// The thresholds that a case's four flags give.
pub(crate) fn of(case: &Value) -> Result<Vec<Threshold>, Error> {
    parse(&Lists {
        hard: text(case, "hard"),
        soft: text(case, "soft"),
        soft_grace_period: text(case, "grace"),
        minimum_reclaim: text(case, "minReclaim"),
        enforce_pods: list(case, "enforceNodeAllocatable")
            .iter()
            .any(|key| key == "pods"),
        own_signals: false,
    })
}

/// Compares ours with the case's `thresholds`, in the order that the vectors use.
pub(crate) fn compare(ours: &[Threshold], case: &Value) -> Result<(), String> {
    let mut ours: Vec<Value> = ours.iter().map(written).collect();
    let mut theirs: Vec<Value> = list(case, "thresholds").iter().map(without_shown).collect();
    let key = |v: &Value| {
        let grace = text(v, "gracePeriodNanos").parse::<i64>().unwrap_or(0);
        (text(v, "signal").to_owned(), grace, v.to_string())
    };
    ours.sort_by_key(key);
    theirs.sort_by_key(key);
    same("thresholds", Value::from(ours), Value::from(theirs))
}

/// A threshold in the vectors' form, percentages by their bits alone.
fn written(threshold: &Threshold) -> Value {
    let mut object = Map::new();
    object.insert("signal".into(), threshold.signal.name().into());
    let operator = if threshold.operator.is_some() {
        "LessThan"
    } else {
        ""
    };
    object.insert("operator".into(), operator.into());
    put_value(&mut object, &threshold.value);
    object.insert(
        "gracePeriodNanos".into(),
        threshold.grace.nanos().to_string().into(),
    );
    if let Some(more) = &threshold.min_reclaim {
        let mut reclaim = Map::new();
        put_value(&mut reclaim, more);
        object.insert("minReclaim".into(), reclaim.into());
    }
    object.into()
}

fn put_value(object: &mut Map<String, Value>, value: &ThresholdValue) {
    match value {
        ThresholdValue::Quantity(quantity) => {
            object.insert("quantity".into(), quantity.to_string().into());
        }
        ThresholdValue::Percentage(fraction) if fraction.to_bits() != 0 => {
            object.insert("percentageBits".into(), json!(fraction.to_bits()));
        }
        ThresholdValue::Percentage(_) => {}
    }
}

/// The decimal that is shown beside the bits says nothing more.
fn without_shown(threshold: &Value) -> Value {
    let mut threshold = threshold.clone();
    if let Some(object) = threshold.as_object_mut() {
        object.remove("percentage");
        if let Some(reclaim) = object.get_mut("minReclaim").and_then(Value::as_object_mut) {
            reclaim.remove("percentage");
        }
    }
    threshold
}
