//! What a client's parsers read, before the pods are put together.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::num::NonZeroU64;
use std::path::Path;

use evictd_node::QosClass;

use crate::{ContainerState, ListedContainer, ListedMount, LogFormat, WritableLayer};

/// A container or a sandbox as a runtime lists it, with what its pod is found by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The container as far as the list tells it; `pod` is not known yet. Of a sandbox,
    /// the state is `Running` where it is ready.
    pub container: ListedContainer,
    /// Whether it is a pod's sandbox.
    pub is_sandbox: bool,
    /// The state in the runtime's own words: while they stay the same, so do the
    /// [`Details`].
    pub told: Box<str>,
    /// Its labels. What identifies a pod stands here, also where the API has fields for it.
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// The runtime's own pod that it is in, by id and name: Podman's pod, CRI's sandbox.
    pub group: Option<(String, String)>,
    /// The seconds between its stop signal and SIGKILL that it asks for.
    pub grace_seconds: Option<i64>,
}

impl Found {
    /// Whether it runs.
    pub(crate) fn runs(&self) -> bool {
        self.container.state == ContainerState::Running
    }

    /// A label that is not empty.
    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        let text = self.labels.get(key)?.as_str();
        (!text.is_empty()).then_some(text)
    }

    /// An annotation, else a label.
    pub(crate) fn mark(&self, key: &str) -> Option<&str> {
        let mark = self.annotations.get(key).or_else(|| self.labels.get(key));
        mark.map(String::as_str)
    }
}

/// What a runtime and the kernel tell of one container alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Details {
    /// The state in which it was asked for, as [`Found::told`]; empty when it is to be
    /// asked again.
    pub told: Box<str>,
    /// The process id of its first process; 0 while it does not run.
    pub pid: u32,
    /// When it last ended: nanoseconds since 1970.
    pub finished_nanos: Option<i64>,
    /// How often the runtime itself has started it again.
    pub restarts: u32,
    /// When the runtime itself starts it again, in the runtime's words (`always`); `None`
    /// for never.
    pub restart_policy: Option<String>,
    /// What it may use and was promised.
    pub limits: Limits,
    /// The class that its place in a kubepods tree stands for.
    pub class: Option<QosClass>,
    /// The seconds between its stop signal and SIGKILL that it asks for.
    pub grace_seconds: Option<i64>,
    /// Its cgroup, below the mount point of each hierarchy. Where it has ended and may be
    /// started again, the one that it had.
    pub cgroup: Option<Arc<Path>>,
    /// What it has written.
    pub layer: WritableLayer,
    /// Its log file.
    pub log: Option<Arc<Path>>,
    /// How that is written.
    pub log_format: LogFormat,
    /// Whether its runtime bounds that log.
    pub log_is_bounded: bool,
    /// What is mounted into it where it may write.
    pub mounts: Arc<[ListedMount]>,
    /// The id of its image, where the list does not tell it.
    pub image: Option<Arc<str>>,
    /// The images that are mounted in it: an id, or a name of which no id could be found.
    pub image_volumes: Box<[Arc<str>]>,
    /// What of it could not be found out: the field, or why.
    pub fault: Option<Box<str>>,
}

/// What a container may use and was promised; `None` where that was not said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The promise of memory, in bytes.
    pub memory_request_bytes: Option<NonZeroU64>,
    /// The limit of memory, in bytes.
    pub memory_limit_bytes: Option<NonZeroU64>,
    /// The promise of processors, in thousandths of one.
    pub cpu_request_millis: Option<NonZeroU64>,
    /// The limit of processors, in thousandths of one.
    pub cpu_limit_millis: Option<NonZeroU64>,
}

/// A number that counts only above zero: runtimes write 0 for "not set" and -1 for "no
/// limit".
pub(crate) fn positive(number: i64) -> Option<NonZeroU64> {
    NonZeroU64::new(u64::try_from(number).ok()?)
}

/// Thousandths of a processor that a weight stands for: 1024 shares are a processor.
pub(crate) fn millis_of_shares(shares: NonZeroU64) -> Option<NonZeroU64> {
    NonZeroU64::new(shares.get().saturating_mul(1000).div_ceil(1024))
}

/// What of a container's mounts is kept: a path of this length, and so many of them.
const MOST_PATH_BYTES: usize = 1024;
const MOST_MOUNTS: usize = 32;

/// Keeps what is mounted where a container may write, if there is room for it: what lies
/// beyond counts for nobody.
pub(crate) fn keep_mount<'a>(
    kept: &'a mut Vec<ListedMount>,
    source: &str,
    is_volume: bool,
) -> Option<&'a mut ListedMount> {
    let is_plain = source.starts_with('/') && source.len() <= MOST_PATH_BYTES;
    if !is_plain || kept.len() >= MOST_MOUNTS {
        return None;
    }
    kept.push(ListedMount::new(Path::new(source).into(), is_volume));
    kept.last_mut()
}

/// A path that is there.
pub(crate) fn path(text: &str) -> Option<Arc<Path>> {
    (!text.is_empty()).then(|| Path::new(text).into())
}
