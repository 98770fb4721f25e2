//! The pods of the cgroup tree, as they are listed, and how one is to end.

use alloc::sync::Arc;
use core::fmt;
use core::time::Duration;
use std::path::Path;

use evictd_node::pod::Pod;
use rustix::io::Errno;
use rustix::process::Pid;

/// How a pod is to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grace {
    /// How long it may take to end by itself.
    pub length: Duration,
    /// Whether its container runtime sends the stop signal, as only it knows
    /// which: then no SIGTERM is sent here, unless
    /// [`KillInFlight::ask`](evictd_node::kill::KillInFlight::ask) says so.
    pub asked_by_runtime: bool,
}

impl Grace {
    /// So long, with SIGTERM from here.
    #[must_use]
    pub const fn of(length: Duration) -> Self {
        Self {
            length,
            asked_by_runtime: false,
        }
    }
}

/// A pod that runs on this node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundPod {
    /// What is known of it. From its manifest if it has one, else from its
    /// cgroup's own numbers.
    pub pod: Arc<Pod>,
    /// Its cgroup, a path below the mount point of each hierarchy, without `/`
    /// in front; see [`evictd_stats::Hierarchy::open`].
    pub cgroup: Arc<Path>,
    /// The inode of that cgroup in the first hierarchy there is of memory, pids, unified and
    /// freezer: another one may get its path. `None` where it is not in that one.
    pub inode: Option<u64>,
    /// Further cgroups of it, where no single one holds all of its containers.
    pub more_cgroups: Arc<[Arc<Path>]>,
    /// Where it was found.
    pub origin: Origin,
    /// Which of the manifests describes it, as an index.
    pub manifest: Option<usize>,
    /// Which of the container runtimes' pods it is, as an index.
    pub runtime: Option<usize>,
}

impl FoundPod {
    /// A pod in one cgroup, that neither a manifest nor a container runtime describes.
    #[must_use]
    pub fn new(pod: Arc<Pod>, cgroup: &Path, origin: Origin) -> Self {
        Self {
            pod,
            cgroup: cgroup.into(),
            inode: None,
            more_cgroups: Arc::default(),
            origin,
            manifest: None,
            runtime: None,
        }
    }

    /// All its cgroups.
    pub fn cgroups(&self) -> impl Iterator<Item = &Path> {
        let more = self.more_cgroups.iter().map(|cgroup| &**cgroup);
        core::iter::once(&*self.cgroup).chain(more)
    }
}

/// Where a pod was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// In a kubepods tree.
    Kubepods,
    /// As a child of a `--pod-cgroup-root`.
    PodCgroupRoot,
    /// As a service of the init system (`--pods-of`).
    Service,
    /// By a container runtime alone.
    Runtime,
}

/// The pods of a node at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The pods, in the order of their cgroups' paths within each root, then those
    /// that only a container runtime knows.
    pub pods: Vec<FoundPod>,
    /// Cgroups that are no candidates, and why.
    pub skipped: Vec<Skipped>,
    /// Indexes of manifests of which nothing runs.
    pub not_running: Vec<usize>,
}

/// A cgroup that is no candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its path below the mount point.
    pub cgroup: Arc<Path>,
    /// Why.
    pub reason: SkipReason,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cgroup.display(), self.reason)
    }
}

/// Why a cgroup is no candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// This process is in it or below: the caller itself, an ancestor of it, or
    /// process 1.
    Protected(Pid),
    /// Nothing runs in it: killing it would free nothing.
    NoProcesses,
    /// Other pods, or another pod cgroup root, are below it.
    HoldsPods,
    /// A pattern of [`Services`](crate::Services) names it.
    Spared,
    /// It could not be read.
    Failed(Errno),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protected(pid) => write!(
                f,
                "holds process {}: this program, an ancestor of it, or process 1",
                pid.as_raw_nonzero()
            ),
            Self::NoProcesses => f.write_str("nothing runs in it"),
            Self::HoldsPods => f.write_str("other pods are below it"),
            Self::Spared => f.write_str("named by --never-evict"),
            Self::Failed(errno) => write!(f, "{errno}"),
        }
    }
}
