//! containerfs thresholds by layout.

use evictd_node::Layout;
use evictd_threshold::{derive_containerfs, names_containerfs};
use serde_json::Value;

use crate::case::{Outcome, flag, same};
use crate::thresholds;

/// The layout of a case; split without dedicated is none.
pub(crate) fn layout(case: &Value) -> Option<Layout> {
    match (
        flag(case, "dedicatedImageFs"),
        flag(case, "splitContainerImageFs"),
    ) {
        (false, false) => Some(Layout::OneFilesystem),
        (true, false) => Some(Layout::DedicatedImagefs),
        (true, true) => Some(Layout::SplitImagefs),
        (false, true) => None,
    }
}

/// Judges one case.
pub(crate) fn check(case: &Value) -> Outcome {
    let mut ours = thresholds::of(case).map_err(|error| error.to_string())?;
    same("warn", names_containerfs(&ours), flag(case, "warn"))?;
    if let Some(layout) = layout(case) {
        derive_containerfs(&mut ours, layout);
    }
    thresholds::compare(&ours, case)
}
