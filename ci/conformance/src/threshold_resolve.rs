//! Percentages against capacity.

use serde_json::Value;

use crate::case::{Outcome, integer, same, text};
use evictd_threshold::{Lists, Threshold, parse};

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    let threshold = threshold(text(case, "in"), text(case, "minReclaim"))?;
    let capacity = integer(case, "capacity").ok_or("no capacity")?;
    let amount = threshold.value.against(capacity);
    same("quantity", &*amount.canonical(), text(case, "quantity"))?;
    same("value", Some(amount.value()), integer(case, "value"))?;
    same("format", amount.format().name(), text(case, "format"))?;
    match case.get("sum").and_then(Value::as_str) {
        Some(sum) => same("sum", &*threshold.clear_at(capacity).canonical(), sum),
        None => Ok(()),
    }
}

/// A threshold of some signal with that value and minimum reclaim.
pub(crate) fn threshold(value: &str, reclaim: &str) -> Result<Threshold, String> {
    let hard = format!("memory.available<{value}");
    let minimum_reclaim = if reclaim.is_empty() {
        String::new()
    } else {
        format!("memory.available={reclaim}")
    };
    let lists = Lists {
        hard: &hard,
        minimum_reclaim: &minimum_reclaim,
        ..Lists::default()
    };
    parse(&lists)
        .map_err(|e| e.to_string())?
        .pop()
        .ok_or_else(|| "no threshold".to_owned())
}
