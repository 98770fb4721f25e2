//! The one model of pods, sandboxes, containers and images. Each client's parsers fill
//! it in.

use alloc::sync::Arc;
use std::path::{Path, PathBuf};

use evictd_node::pod::RuntimePod;

/// All that a runtime holds, at one moment. Indexes lead from sandboxes and
/// containers to their pod. What several have a part in is shared: a node may hold
/// hundreds of containers.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RuntimeListing {
    /// The pods, each once.
    pub pods: Vec<RuntimePod>,
    /// Sandboxes; none where the API knows no such thing.
    pub sandboxes: Vec<ListedSandbox>,
    /// Containers in every state.
    pub containers: Vec<ListedContainer>,
    /// What was odd and was passed over, such as an `evictd.*` label whose value
    /// makes no sense: a line each, fit for a log.
    pub notes: Vec<String>,
}

/// A pod's sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedSandbox {
    /// Its id.
    pub id: Arc<str>,
    /// Which of the pods, as an index.
    pub pod: usize,
    /// Whether it is ready, that is, runs.
    pub ready: bool,
    /// When it was made: nanoseconds since 1970.
    pub created_nanos: i64,
    /// How many there were before it in its pod.
    pub attempt: u32,
}

/// What a container does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContainerState {
    /// Made, never started.
    Created,
    /// Runs, or is paused or about to be restarted.
    Running,
    /// Has ended.
    Exited,
    /// The runtime does not know, or used a word that evictd does not.
    #[default]
    Unknown,
}

/// A container in any state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedContainer {
    /// Its id.
    pub id: Arc<str>,
    /// Its name within its pod.
    pub name: String,
    /// Which of the pods, as an index.
    pub pod: usize,
    /// The sandbox it is in, by id.
    pub sandbox: Option<Arc<str>>,
    /// What it does.
    pub state: ContainerState,
    /// The image it was made from: an id where the API says it, else a name.
    pub image: Arc<str>,
    /// The images that are mounted in it: an id where the API says it, else a name.
    pub image_volumes: Box<[Arc<str>]>,
    /// When it was made: nanoseconds since 1970.
    pub created_nanos: i64,
    /// When it ended: nanoseconds since 1970; `None` where not known.
    pub finished_nanos: Option<i64>,
    /// How often it was started before in its pod.
    pub attempt: u32,
    /// Its own cgroup, below the mount point of each hierarchy.
    pub cgroup: Option<Arc<Path>>,
    /// What it has written beside its volumes.
    pub layer: WritableLayer,
    /// Its log file, or the directory that holds it.
    pub log: Option<Arc<Path>>,
    /// How that is written.
    pub log_format: LogFormat,
    /// Whether its runtime bounds that log.
    pub log_is_bounded: bool,
    /// Whether nothing of that log may be given up for a disk that is short
    /// (`evictd.log-relief=false`).
    pub keeps_log: bool,
    /// Whether its operator has limited what it keeps on disk (`evictd.disk-limit`).
    pub has_disk_limit: bool,
    /// What is mounted into it where it may write.
    pub mounts: Arc<[ListedMount]>,
}

/// How a container's log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LogFormat {
    /// Not known, or in a way that only the runtime can read.
    #[default]
    Unknown,
    /// By Docker's driver `json-file`.
    JsonFile,
    /// By Podman's driver `k8s-file`, that is, by conmon.
    K8sFile,
    /// As CRI says, by a runtime that reopens it when it is told to.
    Cri,
}

/// A directory or file of the node that is mounted into a container where it may write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedMount {
    /// Where it lies on the node.
    pub source: Arc<Path>,
    /// Whether it is a volume that the runtime keeps.
    pub is_volume: bool,
    /// Whether that volume was made for the container alone, by no name.
    pub is_anonymous: bool,
    /// Of what lies in the source, only volumes with these keys
    /// ([`volume_key`](evictd_node::pod::volume_key)), sorted; all of it where `None`.
    pub among: Option<Arc<[u64]>>,
    /// How many mounts of the container were not kept. Where it is not 0 this entry stands for
    /// them, and its source is empty.
    pub left_out: u32,
}

impl ListedMount {
    /// That directory or file.
    #[must_use]
    pub const fn new(source: Arc<Path>, is_volume: bool) -> Self {
        Self {
            source,
            is_volume,
            is_anonymous: false,
            among: None,
            left_out: 0,
        }
    }
}

/// A container's writable layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WritableLayer {
    /// Not known.
    #[default]
    Unknown,
    /// A directory, to be measured.
    Dir(Arc<Path>),
    /// As the runtime measured it.
    Used {
        /// In bytes.
        bytes: u64,
        /// Files and directories, where the runtime counts them.
        inodes: Option<u64>,
    },
}

/// An image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedImage {
    /// Its id: a digest.
    pub id: String,
    /// Its names with tags (`docker.io/library/busybox:1.36`); none for a layer
    /// without a name.
    pub tags: Vec<String>,
    /// Its names by digest (`busybox@sha256:…`): where it can be fetched again.
    pub digests: Vec<String>,
    /// What the runtime says it takes, in bytes; layers that images share count
    /// for each.
    pub size_bytes: u64,
    /// Whether the runtime wants it kept.
    pub pinned: bool,
}

/// A volume of a runtime's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedVolume {
    /// Its name, as the runtime knows it.
    pub name: String,
    /// Where it lies on the node.
    pub path: PathBuf,
    /// Whether nobody gave it that name.
    pub is_anonymous: bool,
    /// When it was made: nanoseconds since 1970; `None` where not known.
    pub created_nanos: Option<i64>,
}

/// Where a runtime keeps what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuntimeDisks {
    /// The directory that holds all that it keeps.
    pub root: Option<PathBuf>,
    /// The directory of the images.
    pub images: Option<PathBuf>,
    /// The directory of the writable layers, if it is another one.
    pub containers: Option<PathBuf>,
    /// What stores them: `overlay2`, `overlayfs`, `vfs`, `devicemapper`.
    pub driver: String,
}
