use evictd_node::{Filesystem, Layout, Reading, Readings, Signal, Source, Unit};

use crate::filesystem::FsSample;
use crate::memory::{NodeMemory, PodsMemory};
use crate::pids::NodePids;
use crate::stall::MemoryStall;

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
    /// The time that was lost waiting for memory; `None` until some time was observed, and
    /// where the kernel tells neither that nor what was read back of its page cache.
    pub stall: Option<MemoryStall>,
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
        let mut readings = Readings::default();
        for signal in Signal::ALL {
            readings.set(signal, self.reading(signal));
        }
        readings
    }

    fn reading(&self, signal: Signal) -> Option<Reading> {
        let filesystem = match signal.source() {
            Source::Memory => return Some(self.memory?.reading()),
            Source::PodsMemory => return self.pods_memory?.reading(),
            Source::Swap => return self.memory?.swap_reading(),
            Source::Stall => return Some(self.stall?.reading()),
            Source::ProcessIds => return Some(self.pids?.reading()),
            Source::Filesystem(Filesystem::Nodefs) => self.nodefs?,
            Source::Filesystem(Filesystem::Imagefs) => self.imagefs?,
            Source::Filesystem(Filesystem::Containerfs) => self.containerfs?,
        };
        match signal.unit() {
            Unit::Bytes => filesystem.bytes_reading(),
            Unit::Inodes | Unit::ProcessIds | Unit::Percent => filesystem.inodes_reading(),
        }
    }

    /// How the filesystems lie to each other, by `st_dev`; `None` until all
    /// have been measured. Three different filesystems count as split: what containers
    /// write is apart from the images.
    #[must_use]
    pub fn layout(&self) -> Option<Layout> {
        let (nodefs, imagefs) = (self.nodefs.as_ref()?, self.imagefs.as_ref()?);
        Some(if !imagefs.same_filesystem(self.containerfs.as_ref()?) {
            Layout::SplitImagefs
        } else if nodefs.same_filesystem(imagefs) {
            Layout::OneFilesystem
        } else {
            Layout::DedicatedImagefs
        })
    }
}
