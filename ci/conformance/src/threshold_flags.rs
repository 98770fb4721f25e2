//! Eviction flags to thresholds.

use evictd_threshold::{Error, ErrorKind};
use serde_json::Value;

use crate::case::{Outcome, flag, list, same, text};
use crate::thresholds;

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    let result = thresholds::of(case);
    same("ok", result.is_ok(), flag(case, "ok"))?;
    match result {
        Ok(ours) => thresholds::compare(&ours, case),
        Err(error) => same("stage", stage(&error), text(case, "stage")).and_then(|()| {
            // Which of several errors comes first is random in the kubelet. Ours
            // may go on after its text, to say where.
            let message = error.to_string();
            let mut theirs = list(case, "errs").iter().filter_map(Value::as_str);
            if theirs.any(|text| message.starts_with(text)) {
                return Ok(());
            }
            Err(format!("ours {message:?} is none of the kubelet's texts"))
        }),
    }
}

fn stage(error: &Error) -> &'static str {
    if error.kind == ErrorKind::MalformedPair {
        "flag"
    } else {
        "parse"
    }
}
