use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use evictd_quantity::Quantity;

use super::clean;

const PRIORITY: &str = "evictd.priority";
const MEMORY_REQUEST: &str = "evictd.memory-request";
const PROTECT: &str = "evictd.protect";

/// The priority of what is protected: the least that makes a pod critical.
const PROTECTED: i32 = 2_000_000_000;

/// What an operator asks of evictd by labels or annotations.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Wishes {
    pub(crate) priority: Option<i32>,
    pub(crate) memory_request: Option<Quantity>,
}

/// Reads them; what makes no sense goes into `notes` and counts as not there.
/// `label` gives the value of one.
pub(crate) fn read_wishes<'a>(
    label: &dyn Fn(&str) -> Option<&'a String>,
    who: &str,
    notes: &mut Vec<String>,
) -> Wishes {
    let mut odd = |key: &str, value: &str, right: &str| {
        let (who, value) = (clean(who), clean(value));
        notes.push(format!("{who}: label {key}={value} is ignored: {right}"));
    };
    let mut wishes = Wishes::default();
    if let Some(text) = label(PRIORITY) {
        wishes.priority = text.parse().ok();
        if wishes.priority.is_none() {
            odd(PRIORITY, text, "not a whole number of 32 bits");
        }
    }
    if let Some(text) = label(MEMORY_REQUEST) {
        let quantity = Quantity::parse(text.as_bytes()).ok();
        wishes.memory_request = quantity.filter(|quantity| quantity.signum() >= 0);
        if wishes.memory_request.is_none() {
            odd(MEMORY_REQUEST, text, "not a quantity such as 64Mi");
        }
    }
    match label(PROTECT).map(String::as_str) {
        Some("true") => wishes.priority = wishes.priority.max(Some(PROTECTED)),
        None | Some("false") => {}
        Some(text) => odd(PROTECT, text, "neither true nor false"),
    }
    wishes
}
