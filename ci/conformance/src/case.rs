//! What a check of one case may say, and how cases are read.

use serde_json::Value;

/// The outcome of one case: it passed, or how the answer differed.
pub(crate) type Outcome = Result<(), String>;

/// The text under `key`, or nothing.
pub(crate) fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case.get(key).and_then(Value::as_str).unwrap_or("")
}

/// The flag under `key`; absent is false.
pub(crate) fn flag(case: &Value, key: &str) -> bool {
    case.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// The integer under `key`, written as a number or, beyond 2^53, as a string.
pub(crate) fn integer(case: &Value, key: &str) -> Option<i64> {
    let value = case.get(key)?;
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// The milliseconds under `key`, in nanoseconds; absent is 0.
pub(crate) fn millis(case: &Value, key: &str) -> i64 {
    integer(case, key).map_or(0, |millis| millis.saturating_mul(1_000_000))
}

/// The list under `key`; absent is empty.
pub(crate) fn list<'a>(case: &'a Value, key: &str) -> &'a [Value] {
    case.get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Passes when both are the same, else says what was expected of what.
pub(crate) fn same<T: PartialEq + core::fmt::Debug>(what: &str, ours: T, theirs: T) -> Outcome {
    if ours == theirs {
        Ok(())
    } else {
        Err(format!("{what}: ours {ours:?}, the kubelet's {theirs:?}"))
    }
}
