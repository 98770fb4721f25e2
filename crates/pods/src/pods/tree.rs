//! The pods' cgroups, and what reads them.

use std::path::PathBuf;

use evictd_cgroup::{CgroupConfig, CgroupRuntime};
use evictd_stats::{Hierarchies, PodReader};

/// Where the pods' cgroups are, and how they are listed, read and ended.
pub(super) struct Tree {
    pub(super) runtime: CgroupRuntime,
    pub(super) hierarchies: Hierarchies,
    pub(super) reader: PodReader,
    /// Where procfs is mounted.
    pub(super) proc: PathBuf,
    /// Whether a flag says where pods are.
    pub(super) is_told: bool,
}

impl Tree {
    pub(super) fn open(cgroup: CgroupConfig) -> Result<Self, String> {
        Ok(Self {
            hierarchies: cgroup.hierarchies.clone(),
            reader: PodReader::new(&cgroup.hierarchies),
            proc: cgroup.proc.clone(),
            is_told: !cgroup.pod_cgroup_roots.is_empty() || cgroup.services.of.is_some(),
            runtime: CgroupRuntime::new(cgroup).map_err(|error| error.to_string())?,
        })
    }
}
