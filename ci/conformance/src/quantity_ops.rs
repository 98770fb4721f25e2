//! Comparing, adding and subtracting quantities.

use evictd_quantity::Quantity;
use serde_json::Value;

use crate::case::{Outcome, integer, same, text};

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    let a = operand(case, "a")?;
    let b = operand(case, "b")?;
    let cmp = integer(case, "cmp").unwrap_or(0);
    same("cmp", a.cmp(&b) as i64, cmp)?;
    same("cmp turned round", b.cmp(&a) as i64, -cmp)?;
    result(&(&a + &b), case, "add", "addFormat")?;
    result(&(&a - &b), case, "sub", "subFormat")
}

fn operand(case: &Value, key: &str) -> Result<Quantity, String> {
    Quantity::parse(text(case, key)).map_err(|e| format!("{key}: {e}"))
}

fn result(ours: &Quantity, case: &Value, key: &str, format: &str) -> Outcome {
    same(key, &*ours.canonical(), text(case, key))?;
    same(format, ours.format().name(), text(case, format))
}
