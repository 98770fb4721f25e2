use alloc::vec::Vec;

use evictd_node::{Filesystem, Layout, Signal};
use evictd_quantity::GoDuration;

use crate::{Threshold, ThresholdValue};

/// Whether a threshold of containerfs was configured by hand. It is overridden
/// by [`derive_containerfs`], which deserves a warning.
#[must_use]
pub fn names_containerfs(thresholds: &[Threshold]) -> bool {
    let mut signals = thresholds.iter().map(|threshold| threshold.signal);
    signals.any(|signal| signal.filesystem() == Some(Filesystem::Containerfs))
}

/// Makes the four containerfs thresholds (bytes and inodes, hard and soft) that
/// a layout implies: copies of nodefs where writable layers lie there, of imagefs
/// where that is dedicated (K: `UpdateContainerFsThresholds`).
///
/// Configured ones are replaced in place, missing ones appended. Where there is
/// no source to copy, the threshold has no operator and is never met.
pub fn derive_containerfs(thresholds: &mut Vec<Threshold>, layout: Layout) {
    let (bytes, inodes) = match layout {
        Layout::OneFilesystem | Layout::SplitImagefs => {
            (Signal::NodefsAvailable, Signal::NodefsInodesFree)
        }
        Layout::DedicatedImagefs => (Signal::ImagefsAvailable, Signal::ImagefsInodesFree),
    };
    for (from, to) in [
        (bytes, Signal::ContainerfsAvailable),
        (inodes, Signal::ContainerfsInodesFree),
    ] {
        for hard in [true, false] {
            let derived = derived(thresholds, from, to, hard);
            match thresholds
                .iter_mut()
                .rfind(|t| t.signal == to && t.is_hard() == hard)
            {
                Some(configured) => *configured = derived,
                None => thresholds.push(derived),
            }
        }
    }
}

/// The copy of the last threshold of `from` that is hard, or soft; the last,
/// because a soft one without grace counts as hard and stands after the hard list.
fn derived(thresholds: &[Threshold], from: Signal, to: Signal, hard: bool) -> Threshold {
    match thresholds
        .iter()
        .rfind(|t| t.signal == from && t.is_hard() == hard)
    {
        Some(source) => Threshold {
            signal: to,
            ..source.clone()
        },
        None => Threshold {
            signal: to,
            operator: None,
            value: ThresholdValue::Percentage(0.0),
            grace: GoDuration::from_nanos(0),
            min_reclaim: None,
        },
    }
}
