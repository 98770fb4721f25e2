//! What pods may have of a node.

use serde_json::{Map, Value};

use evictd_config::{Reserved, allocatable};
use evictd_quantity::Quantity;

use crate::case::{Outcome, flag, same, text};
use crate::config::resolved;

/// Judges one case. Amounts are compared exactly; how they print depends on the
/// notation of the capacity, which the vectors do not say.
pub(crate) fn check(case: &Value) -> Outcome {
    let flags = [("eviction-hard", text(case, "evictionHard"))];
    let settings = resolved(&Map::new(), &flags).map_err(|error| error.to_string())?;
    let ours = allocatable(
        &amounts(case, "capacity")?,
        &amounts(case, "systemReserved")?,
        &amounts(case, "kubeReserved")?,
        &settings.evict.thresholds,
    );
    for (key, ours) in [
        ("reservation", &ours.reservation),
        ("allocatable", &ours.allocatable),
        ("absolute", &ours.absolute),
        ("podsCgroup", &ours.pods_cgroup),
    ] {
        same(key, ours, &amounts(case, key)?)?;
    }
    same("valid", ours.valid, flag(case, "valid"))
}

fn amounts(case: &Value, key: &str) -> Result<Reserved, String> {
    let mut amounts = Reserved::default();
    for name in Reserved::NAMES {
        if let Some(text) = case[key].get(name).and_then(Value::as_str) {
            let amount = Quantity::parse(text);
            amounts.put(
                name,
                amount.map_err(|error| format!("{key} {name}: {error}"))?,
            );
        }
    }
    Ok(amounts)
}
