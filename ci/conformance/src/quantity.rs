//! Parsing and printing quantities.

use serde_json::Value;

use crate::case::Outcome;

/// Judges one case.
pub(crate) fn check(_case: &Value) -> Outcome {
    Err("no check written yet".to_owned())
}
