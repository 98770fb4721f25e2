//! The settings in groups: what belongs to one subject is one struct.

use core::net::SocketAddr;
use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_gc::{ContainerPolicy, ImagePolicy, KeepPattern};
use evictd_node::MemorySource;
use evictd_oom::GuaranteedScore;

use crate::{LogFormat, LogTarget, MemoryRelief, PodsOf, Reserved};

/// How the daemon runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Daemon {
    /// How often the signals are measured, apart from wake-ups by the kernel:
    /// 100 ms at least (decision D6).
    pub housekeeping_interval: Duration,
    /// The kernel wakes the loop when memory crosses a threshold (not
    /// `--debug=no-kernel-notices`).
    pub kernel_notices: bool,
    /// The loop runs before all others (not `--debug=no-realtime`).
    pub realtime: bool,
    /// The daemon gives up the privileges that it does not need (not
    /// `--debug=no-sandbox`).
    pub sandbox: bool,
}

/// How memory is counted, and what is tried before a pod is evicted for it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Memory {
    /// From what `memory.available` is taken.
    pub source: MemorySource,
    /// Memory in pools of huge pages is not available (decision D44).
    pub hugepage_aware: bool,
    /// Whether relief is tried before a pod is evicted for memory (`--memory-relief`).
    pub relief: MemoryRelief,
    /// Services that keep their pages and processor (`--keep-alive`).
    pub keep_alive: Vec<String>,
}

/// Where things are on this node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Paths {
    /// A directory on the filesystem of volumes and logs. Where it does not
    /// exist, its nearest parent that does stands for it.
    pub nodefs: PathBuf,
    /// A directory on the filesystem of images, if it is another.
    pub imagefs: Option<PathBuf>,
    /// A directory on the filesystem of writable layers, if it is another.
    pub containerfs: Option<PathBuf>,
    /// Where the pods' directories lie: `pods/UID` below it.
    pub root_dir: Directory,
    /// Where the pods' logs lie.
    pub pod_logs_dir: Directory,
    /// The directory of what outlives a restart; `None` keeps it in memory.
    pub state_dir: Option<PathBuf>,
}

/// A directory that has a usual place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Directory {
    /// Its path.
    pub path: PathBuf,
    /// Whether a flag named it. What lies in a directory that no flag
    /// named may be read, but never deleted.
    pub given: bool,
}

impl Directory {
    /// The directory if something may be deleted in it.
    #[must_use]
    pub fn deletable(&self) -> Option<&Path> {
        self.given.then_some(self.path.as_path())
    }
}

/// Where pods are found, and which are never evicted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PodSources {
    /// The directory of pod manifests.
    pub manifest_path: Option<PathBuf>,
    /// Cgroups whose children are pods: paths from the hierarchies' root, without
    /// `/` in front. The kubepods tree is looked at in any case.
    pub cgroup_roots: Vec<PathBuf>,
    /// The init system whose services are pods (`--pods-of`).
    pub of_services: Option<PodsOf>,
    /// Whether login sessions are pods (`--pods-of=sessions`).
    pub of_sessions: bool,
    /// Patterns of names that are never evicted.
    pub never_evict: Vec<String>,
}

/// Which container runtimes are asked, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContainerRuntimes {
    /// Their sockets. `None`: look at the usual places; an empty list: ask none.
    pub endpoints: Option<Vec<PathBuf>>,
    /// Whether a compose project is one pod; else each of its containers is one.
    pub compose_projects_are_pods: bool,
}

/// What is kept from pods: the kubelet's node allocatable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeAllocatable {
    /// What is kept for the system's daemons.
    pub system_reserved: Reserved,
    /// What is kept for the daemons that run pods.
    pub kube_reserved: Reserved,
    /// Whether the pods' cgroup is watched against the hard memory threshold
    /// (`--enforce-node-allocatable=pods`).
    pub enforce_pods: bool,
}

/// The pods' `oom_score_adj`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct OomScoreAdj {
    /// That of Guaranteed pods (decision D1).
    pub guaranteed: GuaranteedScore,
    /// Whether to keep the pods' processes at their `oom_score_adj`.
    pub apply: bool,
}

/// Which images, dead containers and volumes are deleted, and when.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GarbageCollection {
    /// When images are deleted.
    pub images: ImageGc,
    /// Which dead containers are kept.
    pub containers: ContainerPolicy,
    /// Dead containers are removed also where no controller would replace them
    /// (`--collect-dead-containers=all`, decision D0).
    pub all_containers: bool,
    /// Volumes without a name that no container has are removed
    /// (`--collect-anonymous-volumes`).
    pub anonymous_volumes: bool,
}

/// When images are deleted, and which never are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageGc {
    /// When they are.
    pub policy: ImagePolicy,
    /// Before pods are evicted, delete every unused one, as the kubelet; else only until the
    /// signal is clear, unless there is a kubepods tree (decision D15).
    pub reclaims_all: bool,
    /// Names that are never deleted.
    pub keep: Vec<KeepPattern>,
    /// Never delete an image without the digest by which to fetch it again (not
    /// `--compat=collect-local-images`).
    pub keep_local: bool,
}

/// What evictd writes of itself, and where.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// How much is logged, as klog counts: 0 events, 2 and more details.
    pub verbosity: u8,
    /// How a log line is written.
    pub log_format: LogFormat,
    /// Where log lines are written.
    pub log_target: LogTarget,
    /// Where metrics are written (`--metrics-file`).
    pub metrics_file: Option<PathBuf>,
    /// Where metrics are served over HTTP (`--metrics-listen`).
    pub metrics_listen: Option<SocketAddr>,
}

/// The operator's programs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hooks {
    /// The program that is run for each event (`--on-event`).
    pub on_event: Option<PathBuf>,
    /// The program that is run before a pod is evicted for a soft threshold
    /// (`--before-kill`).
    pub before_kill: Option<PathBuf>,
}

/// What may be given back of a disk that is short, beyond dead containers and images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relief {
    /// Whether build caches are pruned (not `--compat=keep-build-cache`).
    pub build_cache: bool,
    /// How much is kept of each log of a container that runs, in bytes (`--log-relief`);
    /// `None` leaves logs alone.
    pub log_keep_bytes: Option<u64>,
    /// Directories whose old files may be deleted (`--relief-dir`).
    pub directories: Vec<ReliefDir>,
    /// The size of the file that is kept for when the disk is full (`--reserve-file`).
    pub reserve_bytes: Option<u64>,
}

/// A directory whose old files may be deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReliefDir {
    /// The directory.
    pub path: PathBuf,
    /// How much of it stays, in bytes.
    pub keep_bytes: u64,
    /// How long ago a file must have been written to.
    pub older_than: Duration,
}

impl Relief {
    /// Whether none of it is wanted.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        !self.build_cache
            && self.log_keep_bytes.is_none()
            && self.directories.is_empty()
            && self.reserve_bytes.is_none()
    }
}
