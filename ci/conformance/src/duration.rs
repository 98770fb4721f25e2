//! Go durations.

use evictd_quantity::GoDuration;
use serde_json::Value;

use crate::case::{Outcome, flag, integer, same, text};

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    let duration = GoDuration::parse(text(case, "in"));
    same("ok", duration.is_ok(), flag(case, "ok"))?;
    match duration {
        Err(_) => Ok(()),
        Ok(duration) => {
            same("nanos", Some(duration.nanos()), integer(case, "nanos"))?;
            same("string", &*duration.to_string(), text(case, "string"))
        }
    }
}
