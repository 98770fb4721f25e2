//! Which filesystem a file lies on.

use evictd_engine::ports::Relief;
use rustix::fs::{major, minor};

/// Whether a file's device, as `stat` gives it, is that of the filesystem that is short.
pub(crate) fn is_on(relief: &Relief, device: u64) -> bool {
    (major(device), minor(device)) == relief.device
}
