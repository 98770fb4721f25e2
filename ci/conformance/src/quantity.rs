//! Parsing and printing quantities.

use evictd_quantity::{ParseQuantityError, ParseQuantityErrorKind, Quantity};
use serde_json::Value;

use crate::case::{Outcome, flag, integer, same, text};

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    match Quantity::parse(text(case, "in")) {
        Err(error) => refused(error, case),
        Ok(quantity) => {
            same("ok", true, flag(case, "ok"))?;
            texts(&quantity, case)?;
            numbers(&quantity, case)
        }
    }
}

fn refused(error: ParseQuantityError, case: &Value) -> Outcome {
    same("ok", false, flag(case, "ok"))?;
    let kind = match error.kind {
        ParseQuantityErrorKind::Format => "format",
        ParseQuantityErrorKind::Suffix => "suffix",
        ParseQuantityErrorKind::Numeric => "numeric",
    };
    same("err", kind, text(case, "err"))
}

fn texts(quantity: &Quantity, case: &Value) -> Outcome {
    same("string", &*quantity.to_string(), text(case, "string"))?;
    let canonical = quantity.canonical();
    same("canonical", &*canonical, text(case, "canonical"))?;
    same("format", quantity.format().name(), text(case, "format"))
}

fn numbers(quantity: &Quantity, case: &Value) -> Outcome {
    let sign = integer(case, "sign").unwrap_or(0);
    same("sign", i64::from(quantity.signum()), sign)?;
    same("isZero", quantity.is_zero(), flag(case, "isZero"))?;
    if flag(case, "valueExact") {
        same("value", Some(quantity.value()), integer(case, "value"))?;
    }
    if flag(case, "milliExact") {
        same(
            "milli",
            Some(quantity.milli_value()),
            integer(case, "milli"),
        )?;
    }
    match case.get("exact").and_then(Value::as_str) {
        Some(exact) => same_decimal(quantity, exact),
        None => Ok(()),
    }
}

/// Compares with a plain decimal number twice: as a quantity of its own, and,
/// where it fits, by its digits, which our parser has no part in.
fn same_decimal(quantity: &Quantity, exact: &str) -> Outcome {
    let reread = Quantity::parse(exact).map_err(|e| format!("exact: {e}"))?;
    same("exact", quantity, &reread)?;
    match nanos(exact) {
        Some(nanos) => same("nanos", quantity.nanos(), nanos),
        None => Ok(()),
    }
}

/// The billionths of a plain decimal number, if they fit and nothing is finer.
fn nanos(exact: &str) -> Option<i128> {
    let (whole, fraction) = exact.split_once('.').unwrap_or((exact, ""));
    let fraction = fraction.trim_end_matches('0');
    let zeros = 9_usize.checked_sub(fraction.len())?;
    format!("{whole}{fraction}{}", "0".repeat(zeros))
        .parse()
        .ok()
}
