use evictd_quantity::{Format, Quantity};

use crate::Threshold;

/// The memory of a cgroup, as far as it is known, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// What may still be taken.
    pub available: Option<i64>,
    /// Everything charged to the cgroup, page cache included.
    pub usage: Option<i64>,
    /// Usage without the inactive file cache.
    pub working_set: Option<i64>,
}

/// The usage at which the kernel should notify, so that it does when the
/// working set reaches capacity minus threshold: capacity - threshold + inactive
/// file cache (K: `UpdateThreshold` of the memory notifier; written to
/// `cgroup.event_control` on cgroup v1).
///
/// `None` while any of the three numbers is missing.
#[must_use]
pub fn notification_usage(threshold: &Threshold, memory: &MemoryUsage) -> Option<i64> {
    let (available, usage) = (memory.available?, memory.usage?);
    let working_set = memory.working_set?;
    let capacity = available.saturating_add(working_set);
    let inactive_file = usage.saturating_sub(working_set);
    let whole = |bytes| Quantity::from_int(bytes, Format::BinarySi);
    let limit = whole(capacity) - threshold.value.against(capacity) + whole(inactive_file);
    Some(limit.value())
}
