use std::path::{Path, PathBuf};

use evictd_node::MemorySource;

use crate::Hierarchies;

/// What [`NodeReader`](crate::NodeReader) reads, and by which rules.
#[derive(Clone, Debug)]
pub struct NodeSettings {
    /// The root of procfs.
    pub proc: PathBuf,
    /// Where the controllers are.
    pub hierarchies: Hierarchies,
    /// The cgroup that holds all pods, by its path from the root of each
    /// hierarchy. It may appear later, which is seen within five seconds, and vanish
    /// again.
    pub pods_cgroup: Option<PathBuf>,
    /// Memory in bytes that is kept from pods: their cgroup counts as limited to the rest of
    /// the machine's memory, where its own limit is not smaller. 0: its own limit alone counts.
    pub kept_from_pods: u64,
    /// From what `memory.available` is taken.
    pub memory_source: MemorySource,
    /// Memory in pools of huge pages is not available.
    pub hugepage_aware: bool,
    /// The time that is lost waiting for memory is read too.
    pub stall: bool,
    /// A directory on the filesystem of volumes and logs.
    pub nodefs: PathBuf,
    /// A directory on the filesystem of images; nodefs where `None`.
    pub imagefs: Option<PathBuf>,
    /// A directory on the filesystem of writable layers; imagefs where `None`.
    pub containerfs: Option<PathBuf>,
}

impl NodeSettings {
    /// The kubelet's rules and evictd's defaults, no pods cgroup, and one filesystem.
    #[must_use]
    pub fn new(proc: &Path, hierarchies: Hierarchies, nodefs: &Path) -> Self {
        Self {
            proc: proc.to_owned(),
            hierarchies,
            pods_cgroup: None,
            kept_from_pods: 0,
            memory_source: MemorySource::Kubelet,
            hugepage_aware: true,
            stall: false,
            nodefs: nodefs.to_owned(),
            imagefs: None,
            containerfs: None,
        }
    }
}
