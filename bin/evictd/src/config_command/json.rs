use evictd_config::{Effective, EffectiveThreshold, Origin, Setting};
use serde_json::{Value, json};

/// The settings as scripts read them: one object on one line.
pub(super) fn document(effective: &Effective) -> String {
    let thresholds: Vec<Value> = effective.thresholds.iter().map(threshold).collect();
    let settings: Vec<Value> = effective.settings.iter().map(setting).collect();
    let warnings = effective.warnings.iter();
    let warnings: Vec<String> = warnings.map(ToString::to_string).collect();
    let document = json!({
        "thresholds": thresholds,
        "settings": settings,
        "warnings": warnings,
    });
    format!("{document}\n")
}

fn threshold(threshold: &EffectiveThreshold) -> Value {
    let grace = threshold.grace;
    json!({
        "signal": threshold.signal.name(),
        "condition": threshold.condition.name(),
        "kind": if grace.is_none() { "hard" } else { "soft" },
        "value": threshold.written,
        "amount": threshold.amount,
        "capacity": threshold.capacity,
        "unit": threshold.unit,
        "gracePeriod": grace.map(|grace| grace.to_string()),
        "minimumReclaim": threshold.min_reclaim,
        "clearAt": threshold.clear_at,
        "from": from(threshold.origin),
    })
}

fn setting(setting: &Setting) -> Value {
    json!({
        "flag": setting.name,
        "value": setting.value,
        "from": from(setting.origin),
    })
}

/// `default`, `compat`, `derived`, or the flag with its dashes.
fn from(origin: Origin) -> String {
    match origin {
        Origin::Flag(name) => format!("--{name}"),
        Origin::Default | Origin::Compat | Origin::Derived => origin.to_string(),
    }
}
