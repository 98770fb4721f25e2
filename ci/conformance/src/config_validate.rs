//! Configurations: which the kubelet takes, and what it says of the others.

use serde_json::{Map, Value};

use crate::case::{Outcome, flag, list, same, text};
use crate::config;
use crate::rules::Rules;

/// The kubelet validates what its defaulting left, where a file's `0s` has become
/// the default already. Flags are not defaulted any more: so these go by flag.
const BY_FLAG: [(&str, &str); 3] = [
    (
        "evictionPressureTransitionPeriod",
        "eviction-pressure-transition-period",
    ),
    ("imageMinimumGCAge", "minimum-image-ttl-duration"),
    ("imageMaximumGCAge", "maximum-image-gc-age"),
];

/// Judges one case: the verdict, and that the words of an error are among the
/// kubelet's.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let mut fields = case["fields"].as_object().cloned().unwrap_or_default();
    let durations = take_durations(&mut fields);
    let durations: Vec<(&str, &str)> = durations
        .iter()
        .map(|(flag, text)| (*flag, text.as_str()))
        .chain([("compat", rules.version.name())])
        .collect();
    let mut errors: Vec<&str> = list(case, "errs")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    errors.extend(Some(text(case, "startErr")).filter(|error| !error.is_empty()));
    let starts = flag(case, "ok") && errors.is_empty();
    match config::resolved(&fields, &durations) {
        Ok(_) => same("starts", true, starts),
        Err(error) if starts => Err(format!("refused: {error}")),
        Err(error) => {
            let ours = &*error.message;
            let said = |theirs: &&str| {
                theirs
                    .strip_prefix("invalid configuration: ")
                    .unwrap_or(theirs)
                    == ours
            };
            if errors.iter().any(said) {
                return Ok(());
            }
            Err(format!("ours {ours:?}, the kubelet's {errors:?}"))
        }
    }
}

fn take_durations(fields: &mut Map<String, Value>) -> Vec<(&'static str, String)> {
    let mut taken = Vec::new();
    for (field, flag) in BY_FLAG {
        if let Some(Value::String(text)) = fields.remove(field) {
            taken.push((flag, text));
        }
    }
    taken
}
