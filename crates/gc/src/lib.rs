//! Which containers, images and leftovers of pods to delete when disk space runs
//! low.
//!
//! - [`collect_images`]: images that nothing uses, least recently used first, down
//!   to a low threshold or before an eviction, as the kubelet's image manager;
//!   [`ImageRecords`] remembers when each was used, [`KeepPattern`] is
//!   `--keep-image`.
//! - [`plan_containers`]: dead containers and sandboxes, as the kubelet's container
//!   GC (`pkg/kubelet/kuberuntime`).
//! - [`plan_logs`]: without a container runtime, logs and emptyDir volumes of pods
//!   that are gone, then, of living pods, the logs between a container's first
//!   start and its newest (decision D7, acceptance rows 110 to 116).
//!
//! Everything here decides; it deletes nothing, reads nothing and knows no runtime. Time is
//! an argument. With [`evictd_node::Policy::kubelet`] it decides as the kubelet.
//!
//! ```
//! use evictd_gc::{Kind, Node, Remains, plan_logs};
//!
//! let remains = Remains {
//!     kind: Kind::PodLogs,
//!     pod: b"default_web_0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
//!     container: b"",
//!     file: b"",
//!     modified_seconds: 1000,
//! };
//! let node = Node { pods: &[], ended: &[], now_seconds: 1100 };
//! let deletions = plan_logs(&[remains], &node);
//! assert_eq!((deletions[0].index, &*deletions[0].reason), (0, "the pod is gone"));
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod backoff;
mod containers;
mod deletion;
mod images;
mod keep;
mod logs;
mod names;
mod records;
mod time;

pub use backoff::Backoff;
pub use containers::{
    Container, ContainerPolicy, ContainerRun, ContainerState, Fate, FoundContainers, OwningPod,
    Sandbox, plan_containers,
};
pub use deletion::{Deletion, Kind};
pub use images::{
    Enough, FsUsage, Held, Image, ImageGcError, ImageJob, ImagePolicy, ImageRecord, ImageRun,
    ImageSummary, Kept, KeptImage, Removal, Shortage, collect_images,
};
pub use keep::{KeepPattern, KeepPatternError};
pub use logs::{KnownPod, Node, Remains, Uid, plan_logs};
pub use names::{PodLogsName, is_uid, parse_log_file, parse_pod_logs_name};
pub use records::{ImageRecords, MOST_IMAGES};

use time::nanos;

#[cfg(test)]
mod tests;
