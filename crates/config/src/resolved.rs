use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_evict::Config;
use evictd_gc::{ContainerPolicy, ImagePolicy, KeepPattern};
use evictd_node::{MemorySource, Policy};
use evictd_oom::GuaranteedScore;
use evictd_quantity::Quantity;

use crate::{Compat, Origin, Setting, Warning};

/// Amounts by resource: what is kept back from pods, or left to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved([Option<Quantity>; Self::NAMES.len()]);

impl Reserved {
    /// The names of the resources, as flags write them: cores, bytes, bytes and process ids.
    pub const NAMES: [&'static str; 4] = ["cpu", "memory", "ephemeral-storage", "pid"];

    /// The amount of the resource with that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Quantity> {
        let place = Self::NAMES.iter().position(|of| *of == name)?;
        self.0.get(place)?.as_ref()
    }

    /// Puts the amount of a resource; one of another name is left out.
    pub fn put(&mut self, name: &str, amount: Quantity) {
        let mut all = Self::NAMES.iter().zip(&mut self.0);
        if let Some((_, of)) = all.find(|(of, _)| **of == name) {
            *of = Some(amount);
        }
    }
}

impl fmt::Display for Reserved {
    /// As the flag writes it: `cpu=100m,memory=1Gi`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = Self::NAMES.into_iter();
        let given = given.filter_map(|name| Some(format!("{name}={}", self.get(name)?)));
        f.write_str(&given.collect::<Vec<_>>().join(","))
    }
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

impl LogFormat {
    pub(crate) const WORDS: [(&'static str, Self); 2] =
        [("text", Self::Text), ("json", Self::Json)];
}

/// Where log lines are written (`--log-target`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogTarget {
    /// Standard error.
    Stderr,
    /// The system's log, by `/dev/log`.
    Syslog,
    /// systemd's journal, by its own protocol.
    Journald,
    /// The kernel's log, `/dev/kmsg`.
    Kmsg,
}

impl LogTarget {
    pub(crate) const WORDS: [(&'static str, Self); 4] = [
        ("stderr", Self::Stderr),
        ("syslog", Self::Syslog),
        ("journald", Self::Journald),
        ("kmsg", Self::Kmsg),
    ];
}

/// Whether relief is tried before a pod is evicted for memory (`--memory-relief`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryRelief {
    /// Where it pays: see [`Resolved::settle_memory_relief`].
    #[default]
    Auto,
    /// It is.
    On,
    /// It is not.
    Off,
}

impl MemoryRelief {
    pub(crate) const WORDS: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("on", Self::On), ("off", Self::Off)];
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

/// An init system whose services are pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodsOf {
    /// OpenRC.
    Openrc,
    /// systemd.
    Systemd,
}

impl fmt::Display for PodsOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Openrc => "OpenRC",
            Self::Systemd => "systemd",
        })
    }
}

/// How a log line is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Time, level and a sentence.
    #[default]
    Text,
    /// An object in JSON: time, level, event, message, and the event's own fields.
    Json,
}

/// All settings: checked, defaults filled in, nothing asked of the machine yet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Resolved {
    /// What the state machine needs: thresholds, policy, grace and transition.
    pub evict: Config,
    /// Where each of [`Config::thresholds`] came from, in the same order.
    pub threshold_origins: Vec<Origin>,
    /// Whose behaviour the policy started from.
    pub compat: Compat,
    /// The default threshold of `memory.stall` was taken away, as the kernel counts no lost time.
    pub lost_time_is_left_out: bool,
    /// Decide and report, but kill and delete nothing.
    pub dry_run: bool,
    /// How often the signals are measured, apart from wake-ups by the kernel:
    /// 100 ms at least (decision D6).
    pub housekeeping_interval: Duration,
    /// The kernel wakes the loop when memory crosses a threshold (not
    /// `--debug=no-kernel-notices`).
    pub kernel_notices: bool,
    /// From what `memory.available` is taken.
    pub memory_source: MemorySource,
    /// Memory in pools of huge pages is not available (decision D44).
    pub hugepage_aware: bool,
    /// The loop runs before all others (not `--debug=no-realtime`).
    pub realtime: bool,
    /// The daemon gives up the privileges that it does not need (not
    /// `--debug=no-sandbox`).
    pub sandbox: bool,
    /// A directory on the filesystem of volumes and logs. Where it does not
    /// exist, its nearest parent that does stands for it.
    pub nodefs_path: PathBuf,
    /// A directory on the filesystem of images, if it is another.
    pub imagefs_path: Option<PathBuf>,
    /// A directory on the filesystem of writable layers, if it is another.
    pub containerfs_path: Option<PathBuf>,
    /// The directory of pod manifests.
    pub pod_manifest_path: Option<PathBuf>,
    /// Cgroups whose children are pods: paths from the hierarchies' root, without
    /// `/` in front. The kubepods tree is looked at in any case.
    pub pod_cgroup_roots: Vec<PathBuf>,
    /// Whose services are pods.
    pub pods_of: Option<PodsOf>,
    /// Whether login sessions are pods.
    pub pods_of_sessions: bool,
    /// Patterns of names that are never evicted.
    pub never_evict: Vec<String>,
    /// Whether relief is tried before a pod is evicted for memory (`--memory-relief`).
    pub memory_relief: MemoryRelief,
    /// Services that keep their pages and processor (`--keep-alive`).
    pub keep_alive: Vec<String>,
    /// `oom_score_adj` of Guaranteed pods (decision D1).
    pub guaranteed_oom_score_adj: GuaranteedScore,
    /// Whether to keep the pods' processes at their `oom_score_adj`.
    pub apply_oom_score_adj: bool,
    /// Where the pods' directories lie: `pods/UID` below it.
    pub root_dir: Directory,
    /// Where the pods' logs lie.
    pub pod_logs_dir: Directory,
    /// What is kept for the system's daemons.
    pub system_reserved: Reserved,
    /// What is kept for the daemons that run pods.
    pub kube_reserved: Reserved,
    /// Whether the pods' cgroup is watched against the hard memory threshold
    /// (`--enforce-node-allocatable=pods`).
    pub enforce_pods: bool,
    /// The sockets of the container runtimes. `None`: look at the usual places;
    /// an empty list: ask none.
    pub runtime_endpoints: Option<Vec<PathBuf>>,
    /// Whether a compose project is one pod; else each of its containers is one.
    pub compose_projects_are_pods: bool,
    /// When images are deleted.
    pub image_gc: ImageGc,
    /// Which dead containers are kept.
    pub container_gc: ContainerPolicy,
    /// What is given back of a disk before a pod is evicted for it.
    pub relief: Relief,
    /// Dead containers are removed also where no controller would replace them
    /// (`--collect-dead-containers=all`, decision D0).
    pub collects_all_containers: bool,
    /// Volumes without a name that no container has are removed
    /// (`--collect-anonymous-volumes`).
    pub collects_anonymous_volumes: bool,
    /// How much is logged, as klog counts: 0 events, 2 and more details.
    pub verbosity: u8,
    /// How a log line is written.
    pub log_format: LogFormat,
    /// The directory of what outlives a restart; `None` keeps it in memory.
    pub state_dir: Option<PathBuf>,
    /// Where log lines are written.
    pub log_target: LogTarget,
    /// Where metrics are written (`--metrics-file`).
    pub metrics_file: Option<PathBuf>,
    /// Where metrics are served over HTTP (`--metrics-listen`).
    pub metrics_listen: Option<SocketAddr>,
    /// The program that is told of each event (`--on-event`).
    pub on_event: Option<PathBuf>,
    /// The program that is run before a pod is evicted for a soft threshold
    /// (`--before-kill`).
    pub before_kill: Option<PathBuf>,
    /// The settings as text, apart from the threshold lists, in the order of the
    /// help.
    pub settings: Vec<Setting>,
    /// What is odd, but allowed.
    pub warnings: Vec<Warning>,
}

impl Resolved {
    /// The switches between evictd and the kubelet.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.evict.policy
    }
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
