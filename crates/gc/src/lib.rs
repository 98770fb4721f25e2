//! Which leftovers of pods to delete when disk space runs low.
//!
//! Without a container runtime, collecting containers means: logs and emptyDir
//! volumes of pods that are gone, oldest first; then, of living pods, the logs
//! between a container's first start and its newest (decision D7, acceptance
//! rows 110 to 116). [`plan_logs`] decides; it deletes nothing and reads nothing.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod logs;
mod names;

pub use logs::{KnownPod, LogDeletion, LogPolicy, LogReason, Node, Place, Remains, Uid, plan_logs};
pub use names::{PodLogsName, is_uid, parse_log_file, parse_pod_logs_name};

#[cfg(test)]
mod tests;
