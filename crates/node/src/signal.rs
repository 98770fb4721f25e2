use core::fmt;

use crate::{Condition, Resource};

/// What eviction watches, by the kubelet's names.
///
/// Their order is that of [`Signal::ALL`]: memory first, as the kubelet looks
/// at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// `memory.available`: bytes; the node's capacity minus its working set.
    MemoryAvailable,
    /// `allocatableMemory.available`: the same inside the cgroup of all pods.
    AllocatableMemoryAvailable,
    /// `nodefs.available`: bytes free for volumes, logs and, mostly, writable layers.
    NodefsAvailable,
    /// `nodefs.inodesFree`: inodes free there.
    NodefsInodesFree,
    /// `imagefs.available`: bytes free for images.
    ImagefsAvailable,
    /// `imagefs.inodesFree`: inodes free there.
    ImagefsInodesFree,
    /// `containerfs.available`: bytes free for writable layers; never configured by hand.
    ContainerfsAvailable,
    /// `containerfs.inodesFree`: inodes free there; never configured by hand.
    ContainerfsInodesFree,
    /// `pid.available`: process (task) ids that are left.
    PidAvailable,
}

impl Signal {
    /// How many signals there are.
    pub const COUNT: usize = 9;

    /// All signals.
    pub const ALL: [Self; Self::COUNT] = [
        Self::MemoryAvailable,
        Self::AllocatableMemoryAvailable,
        Self::NodefsAvailable,
        Self::NodefsInodesFree,
        Self::ImagefsAvailable,
        Self::ImagefsInodesFree,
        Self::ContainerfsAvailable,
        Self::ContainerfsInodesFree,
        Self::PidAvailable,
    ];

    /// The name that flags and messages use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MemoryAvailable => "memory.available",
            Self::AllocatableMemoryAvailable => "allocatableMemory.available",
            Self::NodefsAvailable => "nodefs.available",
            Self::NodefsInodesFree => "nodefs.inodesFree",
            Self::ImagefsAvailable => "imagefs.available",
            Self::ImagefsInodesFree => "imagefs.inodesFree",
            Self::ContainerfsAvailable => "containerfs.available",
            Self::ContainerfsInodesFree => "containerfs.inodesFree",
            Self::PidAvailable => "pid.available",
        }
    }

    /// The signal with exactly that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.name() == name)
    }

    /// Its place in [`Signal::ALL`], for tables by array.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::MemoryAvailable => 0,
            Self::AllocatableMemoryAvailable => 1,
            Self::NodefsAvailable => 2,
            Self::NodefsInodesFree => 3,
            Self::ImagefsAvailable => 4,
            Self::ImagefsInodesFree => 5,
            Self::ContainerfsAvailable => 6,
            Self::ContainerfsInodesFree => 7,
            Self::PidAvailable => 8,
        }
    }

    /// The set that holds only this signal.
    #[must_use]
    pub const fn set(self) -> SignalSet {
        SignalSet::from_bits_truncate(1 << self.index())
    }

    /// The resource that runs short when this signal starves.
    #[must_use]
    pub const fn resource(self) -> Resource {
        match self {
            Self::MemoryAvailable | Self::AllocatableMemoryAvailable => Resource::Memory,
            Self::NodefsAvailable | Self::ImagefsAvailable | Self::ContainerfsAvailable => {
                Resource::EphemeralStorage
            }
            Self::NodefsInodesFree | Self::ImagefsInodesFree | Self::ContainerfsInodesFree => {
                Resource::Inodes
            }
            Self::PidAvailable => Resource::Pids,
        }
    }

    /// The condition that a met threshold of this signal raises.
    #[must_use]
    pub const fn condition(self) -> Condition {
        match self.resource() {
            Resource::Memory => Condition::MemoryPressure,
            Resource::EphemeralStorage | Resource::Inodes => Condition::DiskPressure,
            Resource::Pids => Condition::PidPressure,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

bitflags::bitflags! {
    /// A set of signals; the bit of each is its [`Signal::index`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct SignalSet: u16 {
        /// See [`Signal::MemoryAvailable`].
        const MEMORY_AVAILABLE = 1;
        /// See [`Signal::AllocatableMemoryAvailable`].
        const ALLOCATABLE_MEMORY_AVAILABLE = 1 << 1;
        /// See [`Signal::NodefsAvailable`].
        const NODEFS_AVAILABLE = 1 << 2;
        /// See [`Signal::NodefsInodesFree`].
        const NODEFS_INODES_FREE = 1 << 3;
        /// See [`Signal::ImagefsAvailable`].
        const IMAGEFS_AVAILABLE = 1 << 4;
        /// See [`Signal::ImagefsInodesFree`].
        const IMAGEFS_INODES_FREE = 1 << 5;
        /// See [`Signal::ContainerfsAvailable`].
        const CONTAINERFS_AVAILABLE = 1 << 6;
        /// See [`Signal::ContainerfsInodesFree`].
        const CONTAINERFS_INODES_FREE = 1 << 7;
        /// See [`Signal::PidAvailable`].
        const PID_AVAILABLE = 1 << 8;
    }
}

impl SignalSet {
    /// Whether `signal` is in the set.
    #[must_use]
    pub const fn has(self, signal: Signal) -> bool {
        self.contains(signal.set())
    }

    /// The signals in the set, in the order of [`Signal::ALL`].
    pub fn each(self) -> impl Iterator<Item = Signal> {
        Signal::ALL
            .into_iter()
            .filter(move |signal| self.has(*signal))
    }
}
