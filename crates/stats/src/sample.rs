use evictd_node::{Layout, Readings, Signal};

use crate::filesystem::{FsSample, layout};
use crate::memory::{NodeMemory, PodsMemory};
use crate::pids::NodePids;

/// What one round of reading found, as raw numbers. What could not be read is
/// `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeSample {
    /// The node's memory.
    pub memory: Option<NodeMemory>,
    /// The memory of the cgroup of all pods; `None` while there is no such
    /// cgroup.
    pub pods_memory: Option<PodsMemory>,
    /// The process ids.
    pub pids: Option<NodePids>,
    /// The filesystem of volumes and logs.
    pub nodefs: Option<FsSample>,
    /// The filesystem of images; that of nodefs where none was named.
    pub imagefs: Option<FsSample>,
    /// The filesystem of writable layers; that of imagefs where none was named.
    pub containerfs: Option<FsSample>,
}

impl NodeSample {
    /// The signals as the kubelet derives them (v1.32:
    /// `makeSignalObservations`), without a reading for what is missing, for a
    /// filesystem that claims a size of 0, and for one that has no fixed number
    /// of inodes.
    ///
    /// The pods' memory gives a reading only below a limit.
    #[must_use]
    pub fn readings(&self) -> Readings {
        use Signal::{
            AllocatableMemoryAvailable, ContainerfsAvailable, ContainerfsInodesFree,
            ImagefsAvailable, ImagefsInodesFree, MemoryAvailable, NodefsAvailable,
            NodefsInodesFree, PidAvailable,
        };
        let mut readings = Readings::default();
        readings.set(MemoryAvailable, self.memory.map(|memory| memory.reading()));
        let pods = self.pods_memory.and_then(|memory| memory.reading());
        readings.set(AllocatableMemoryAvailable, pods);
        readings.set(PidAvailable, self.pids.map(|pids| pids.reading()));
        for (bytes, inodes, sample) in [
            (NodefsAvailable, NodefsInodesFree, self.nodefs),
            (ImagefsAvailable, ImagefsInodesFree, self.imagefs),
            (
                ContainerfsAvailable,
                ContainerfsInodesFree,
                self.containerfs,
            ),
        ] {
            readings.set(bytes, sample.and_then(|fs| fs.bytes_reading()));
            readings.set(inodes, sample.and_then(|fs| fs.inodes_reading()));
        }
        readings
    }

    /// How the filesystems lie to each other, by `st_dev`; `None` until all
    /// have been measured.
    #[must_use]
    pub fn layout(&self) -> Option<Layout> {
        Some(layout(
            self.nodefs.as_ref()?,
            self.imagefs.as_ref()?,
            self.containerfs.as_ref()?,
        ))
    }
}
