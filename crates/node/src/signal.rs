use core::time::Duration;

use crate::{Condition, Layout, Resource};

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
    /// `swap.available`: bytes of swap that are left; evictd's own, which the kubelet does
    /// not have.
    SwapAvailable,
    /// `memory.stall`: the share of time in which all tasks that could run waited for memory;
    /// evictd's own too. Its readings say how much of the time was lost, in percent: it alone
    /// is worse the more there is.
    MemoryStall,
}

impl Signal {
    /// How many signals there are.
    pub const COUNT: usize = 11;

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
        Self::SwapAvailable,
        Self::MemoryStall,
    ];

    /// All that is known of each signal: to add one, add its variant, its place in
    /// [`Signal::ALL`] and its row here, and have its source read.
    #[rustfmt::skip]
    const fn row(self) -> Row {
        use Filesystem::{Containerfs, Imagefs, Nodefs};
        use Resource::{EphemeralStorage as Storage, Inodes, Memory, Pids};
        use Source::{Filesystem as Fs, PodsMemory, ProcessIds};
        match self {
            //                                      name                           resource source           ranked by         unit              message
            Self::MemoryAvailable =>            Row("memory.available",            Memory,  Source::Memory,  Usage::Memory,    Unit::Bytes,      "memory"),
            Self::AllocatableMemoryAvailable => Row("allocatableMemory.available", Memory,  PodsMemory,      Usage::Memory,    Unit::Bytes,      "memory"),
            Self::NodefsAvailable =>            Row("nodefs.available",            Storage, Fs(Nodefs),      Usage::Disk,      Unit::Bytes,      "ephemeral-storage"),
            Self::NodefsInodesFree =>           Row("nodefs.inodesFree",           Inodes,  Fs(Nodefs),      Usage::Inodes,    Unit::Inodes,     "inodes"),
            Self::ImagefsAvailable =>           Row("imagefs.available",           Storage, Fs(Imagefs),     Usage::Disk,      Unit::Bytes,      "ephemeral-storage"),
            Self::ImagefsInodesFree =>          Row("imagefs.inodesFree",          Inodes,  Fs(Imagefs),     Usage::Inodes,    Unit::Inodes,     "inodes"),
            Self::ContainerfsAvailable =>       Row("containerfs.available",       Storage, Fs(Containerfs), Usage::Disk,      Unit::Bytes,      "ephemeral-storage"),
            Self::ContainerfsInodesFree =>      Row("containerfs.inodesFree",      Inodes,  Fs(Containerfs), Usage::Inodes,    Unit::Inodes,     "inodes"),
            Self::PidAvailable =>               Row("pid.available",               Pids,    ProcessIds,      Usage::Processes, Unit::ProcessIds, "pids"),
            Self::SwapAvailable =>              Row("swap.available",              Memory,  Source::Swap,    Usage::MemoryAndSwap, Unit::Bytes,  "swap"),
            Self::MemoryStall =>                Row("memory.stall",                Memory,  Source::Stall,   Usage::MemoryAndSwap, Unit::Percent, "memory"),
        }
    }

    /// The name that flags and messages use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The signal with exactly that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.name() == name)
    }

    /// Its place in [`Signal::ALL`], for tables by array.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The set that holds only this signal.
    #[must_use]
    pub const fn set(self) -> SignalSet {
        SignalSet::from_bits_retain(1 << self.index())
    }

    /// The resource that runs short when a threshold of this signal is met.
    #[must_use]
    pub const fn resource(self) -> Resource {
        self.row().1
    }

    /// Where its readings come from.
    #[must_use]
    pub const fn source(self) -> Source {
        self.row().2
    }

    /// The filesystem that it watches, if it watches one.
    #[must_use]
    pub const fn filesystem(self) -> Option<Filesystem> {
        match self.source() {
            Source::Filesystem(filesystem) => Some(filesystem),
            Source::Memory
            | Source::PodsMemory
            | Source::ProcessIds
            | Source::Swap
            | Source::Stall => None,
        }
    }

    /// The signal that stands for all of its kind that watch the same disk: two filesystems of
    /// three lie on one disk in each layout but one, where all three do.
    #[must_use]
    pub const fn of_disk(self, layout: Layout) -> Self {
        match (self, layout) {
            (Self::ImagefsAvailable | Self::ContainerfsAvailable, Layout::OneFilesystem)
            | (Self::ContainerfsAvailable, Layout::SplitImagefs) => Self::NodefsAvailable,
            (Self::ImagefsInodesFree | Self::ContainerfsInodesFree, Layout::OneFilesystem)
            | (Self::ContainerfsInodesFree, Layout::SplitImagefs) => Self::NodefsInodesFree,
            (Self::ContainerfsAvailable, Layout::DedicatedImagefs) => Self::ImagefsAvailable,
            (Self::ContainerfsInodesFree, Layout::DedicatedImagefs) => Self::ImagefsInodesFree,
            _ => self,
        }
    }

    /// Whether the kubelet has it, too.
    #[must_use]
    pub const fn is_known_to_kubelet(self) -> bool {
        match self.source() {
            Source::Memory | Source::PodsMemory | Source::Filesystem(_) | Source::ProcessIds => {
                true
            }
            Source::Swap | Source::Stall => false,
        }
    }

    /// Whether its amount grows with the trouble, so that a threshold says how much is too much
    /// (`memory.stall>40%`) and not, as the kubelet's do, how little is too little.
    #[must_use]
    pub const fn grows_with_trouble(self) -> bool {
        matches!(self.source(), Source::Stall)
    }

    /// Over how much time before it was sampled a reading of it is taken; of most it is of that
    /// moment. The kernel's own averages of lost time are of ten seconds and more: a machine
    /// that stands still shows there too late. A decision is promised two seconds after a machine
    /// began to thrash, so the time looked at is shorter than that.
    #[must_use]
    pub const fn window(self) -> Duration {
        Duration::from_millis(if matches!(self.source(), Source::Stall) {
            1500
        } else {
            0
        })
    }

    /// What pods are ranked by when a threshold of it is met.
    #[must_use]
    pub const fn usage(self) -> Usage {
        self.row().3
    }

    /// What its amounts count.
    #[must_use]
    pub const fn unit(self) -> Unit {
        self.row().4
    }

    /// What the node was low on, as the message of an eviction names it.
    #[must_use]
    pub const fn message(self) -> &'static str {
        self.row().5
    }

    /// Whether a threshold of it may be configured by hand: those of containerfs are
    /// derived from other filesystems, that of `allocatableMemory.available` from
    /// `memory.available`.
    #[must_use]
    pub const fn is_configured(self) -> bool {
        !matches!(
            self.source(),
            Source::PodsMemory | Source::Filesystem(Filesystem::Containerfs)
        )
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

/// A row of the table of signals: name, resource, source, what pods are ranked by, unit,
/// message.
struct Row(&'static str, Resource, Source, Usage, Unit, &'static str);

/// Where the readings of a signal come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The node's memory.
    Memory,
    /// The memory of the cgroup of all pods.
    PodsMemory,
    /// A filesystem.
    Filesystem(Filesystem),
    /// The process ids of the node.
    ProcessIds,
    /// The node's swap.
    Swap,
    /// The time that was lost waiting for memory.
    Stall,
}

/// A filesystem of the node, by the kubelet's name; two names may be one filesystem, see
/// [`Layout`](crate::Layout).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filesystem {
    /// Volumes and logs.
    Nodefs,
    /// Images.
    Imagefs,
    /// The writable layers of containers.
    Containerfs,
}

/// What pods are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Usage {
    /// Their working set of memory.
    Memory,
    /// Their working set and what of them is in swap.
    MemoryAndSwap,
    /// Their bytes on a filesystem.
    Disk,
    /// Their inodes there.
    Inodes,
    /// Their processes.
    Processes,
}

/// What an amount counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bytes, written in powers of 1024.
    Bytes,
    /// Inodes, written in powers of 1000.
    Inodes,
    /// Process (task) ids, written in powers of 1000.
    ProcessIds,
    /// Hundredths of the time.
    Percent,
}

impl Unit {
    /// Its name: `bytes`, `inodes`, `process ids`, `percent`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Inodes => "inodes",
            Self::ProcessIds => "process ids",
            Self::Percent => "percent",
        }
    }
}

bitflags::bitflags! {
    /// A set of signals; the bit of each is its [`Signal::index`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct SignalSet: u16 {
        /// One bit for each signal, see [`Signal::set`].
        const _ = !0;
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
