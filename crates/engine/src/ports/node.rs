//! What was measured of the node.

use core::fmt;
use core::time::Duration;

use evictd_node::{Filesystem, Layout, Mono, Readings, Signal, SignalSet};

use super::Places;

/// Reads the node.
pub trait Node {
    /// Reads all that is watched. Filesystems may take `fs_wait` to answer; of one that
    /// takes longer the last numbers are returned.
    fn read(&mut self, now: Mono, fs_wait: Duration) -> Sample;

    /// Reads the signals of memory alone, as they are looked at between two rounds:
    /// [`Depth::Bounds`] is what is left at least.
    fn read_memory(&mut self, now: Mono, depth: Depth) -> Readings;

    /// The loop came so much later than it wanted to.
    fn note_late(&mut self, _by: Duration) {}

    /// What could not be read in the last [`Node::read`].
    fn problems(&self) -> Vec<String>;

    /// Whether the signal is not observed only because its filesystem has not answered for
    /// the first time yet.
    fn is_awaited(&self, _signal: Signal, _now: Mono) -> bool {
        false
    }

    /// Whether so little memory was left in the last [`Node::read`] that the kernel's own OOM
    /// killer is near: then no eviction waits for a better picture of the pods.
    fn is_near_oom(&self) -> bool {
        false
    }

    /// Where the filesystem is mounted that a signal is about, for people to read: asked
    /// for when that is told.
    fn mount_point(&self, _signal: Signal) -> Option<String> {
        None
    }

    /// Watches the filesystems at these places from now on, where nobody has named
    /// others. Returns whether that changed what is watched.
    ///
    /// # Errors
    /// Why it cannot; what was watched is watched on.
    fn follow(&mut self, places: Places) -> Result<bool, String>;
}

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// All there is.
    Whole,
    /// What is used of memory at most, and nothing else: see [`Usage::read_exactly`](super::Usage::read_exactly).
    Bounds,
}

/// What was measured of the node in one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Each signal that could be measured.
    pub readings: Readings,
    /// How the filesystems lie; `None` until all of them have been measured.
    pub layout: Option<Layout>,
    /// The filesystem of volumes and logs.
    pub nodefs: Option<Disk>,
    /// The filesystem of images.
    pub imagefs: Option<Disk>,
    /// The filesystem of writable layers.
    pub containerfs: Option<Disk>,
}

impl Sample {
    /// The filesystem that a signal is about, and where it is mounted.
    pub(crate) fn place<N: Node>(&self, signal: Signal, node: &N) -> Option<Place> {
        let mount_point = |disk| Place {
            disk,
            mount_point: node.mount_point(signal),
        };
        self.disk(signal).map(mount_point)
    }

    /// The signals that say of a filesystem what others say with the same threshold: those of
    /// containerfs, where it is nodefs or imagefs.
    pub(crate) fn repeats(&self) -> SignalSet {
        let device = |disk: Option<Disk>| disk.map(|disk| disk.device);
        let of_containerfs = device(self.containerfs);
        let others = [device(self.nodefs), device(self.imagefs)];
        if of_containerfs.is_none() || !others.contains(&of_containerfs) {
            return SignalSet::empty();
        }
        Signal::ContainerfsAvailable.set() | Signal::ContainerfsInodesFree.set()
    }

    /// The filesystem that a signal is about.
    #[must_use]
    pub const fn disk(&self, signal: Signal) -> Option<Disk> {
        match signal.filesystem() {
            Some(Filesystem::Nodefs) => self.nodefs,
            Some(Filesystem::Imagefs) => self.imagefs,
            Some(Filesystem::Containerfs) => self.containerfs,
            None => None,
        }
    }
}

/// A filesystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Major and minor number of its device.
    pub device: (u32, u32),
    /// It does not answer: the numbers are old.
    pub stale: bool,
}

impl fmt::Display for Disk {
    /// `254:1`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.device.0, self.device.1)
    }
}

/// A filesystem that a signal is about, as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its device.
    pub disk: Disk,
    /// Where it is mounted, if that is known.
    pub mount_point: Option<String>,
}

impl fmt::Display for Place {
    /// `/data`, else `device 254:1`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mount_point {
            Some(mount_point) => f.write_str(mount_point),
            None => write!(f, "device {}", self.disk),
        }
    }
}
