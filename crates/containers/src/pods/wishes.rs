use evictd_quantity::Quantity;

use super::Found;
use crate::notes::note;
use crate::text::clean;

pub(super) const PRIORITY: &str = "evictd.priority";
pub(super) const MEMORY_REQUEST: &str = "evictd.memory-request";
pub(crate) const PROTECT: &str = "evictd.protect";
pub(super) const DISK_LIMIT: &str = "evictd.disk-limit";
pub(super) const LOG_RELIEF: &str = "evictd.log-relief";

/// The priority of what is protected: the least that makes a pod critical.
const PROTECTED: i32 = 2_000_000_000;

/// What an operator asks of evictd by labels or annotations.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Wishes {
    pub(super) priority: Option<i32>,
    pub(super) memory_request: Option<Quantity>,
    pub(super) disk_limit: Option<Quantity>,
    pub(super) is_protected: bool,
    pub(super) keeps_log: bool,
}

/// Reads them; what makes no sense goes into `notes` and counts as not there.
pub(super) fn read_wishes(found: &Found, pod: &str, notes: &mut Vec<String>) -> Wishes {
    let mut odd = |key: &str, value: &str, right: &str| {
        let name = &found.container.name;
        let of = if *name == pod {
            name.clone()
        } else {
            format!("{pod}/{name}")
        };
        let value = clean(value);
        note(notes, || {
            format!("{of}: label {key}={value} is ignored: {right}")
        });
    };
    let mut wishes = Wishes::default();
    if let Some(text) = found.mark(PRIORITY) {
        wishes.priority = text.parse().ok();
        if wishes.priority.is_none() {
            odd(PRIORITY, text, "not a whole number of 32 bits");
        }
    }
    for (label, least, wish) in [
        (MEMORY_REQUEST, 0, &mut wishes.memory_request),
        (DISK_LIMIT, 1, &mut wishes.disk_limit),
    ] {
        if let Some(text) = found.mark(label) {
            let quantity = Quantity::parse(text).ok();
            *wish = quantity.filter(|quantity| quantity.value() >= least);
            if wish.is_none() {
                odd(label, text, "not a quantity such as 64Mi");
            }
        }
    }
    match found.mark(PROTECT) {
        Some("true") => {
            wishes.priority = wishes.priority.max(Some(PROTECTED));
            wishes.is_protected = true;
        }
        None | Some("false") => {}
        Some(text) => odd(PROTECT, text, "neither true nor false"),
    }
    match found.mark(LOG_RELIEF) {
        None | Some("true") => {}
        Some("false") => wishes.keeps_log = true,
        Some(text) => odd(LOG_RELIEF, text, "neither true nor false"),
    }
    wishes
}
