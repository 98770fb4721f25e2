#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use core::time::Duration;

mod backoff;
mod containers;
mod deletion;
mod images;
mod keep;
mod live_logs;
mod logs;
mod names;
mod old_files;
mod records;
mod reserve;
mod volumes;

pub use backoff::Backoff;
pub use containers::{
    Container, ContainerPolicy, ContainerRun, ContainerState, Fate, FoundContainers, OwningPod,
    Sandbox, plan_containers,
};
pub use deletion::{Deletion, Kind};
pub use images::{
    Enough, FsUsage, Held, Image, ImageGcError, ImageJob, ImagePolicy, ImageRecord, ImageRun,
    ImageSummary, Kept, KeptImage, Removal, Shortage, TOO_OLD, collect_images,
};
pub use keep::{KeepPattern, KeepPatternError};
pub use live_logs::{
    ContainerLog, LOG_SLACK, LogKind, LogPlan, LogWriter, MOST_NOTICE, RecordFormat, Stays,
    Technique, is_rotated, notice, record_after, rotated_name, technique, time_of,
};
pub use logs::{KnownPod, Leftover, Node, Uid, plan_logs};
pub use names::{PodLogsName, is_uid, parse_log_file, parse_pod_logs_name};
pub use old_files::{MOST_FILES, OldFile, OldFiles, OldFilesPlan, OldFilesRun};
pub use records::{ImageRecords, MOST_IMAGES};
pub use reserve::reserve_fits;
pub use volumes::may_delete_volume;

/// A duration in nanoseconds, at most 292 years.
pub(crate) fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
