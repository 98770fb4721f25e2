//! The disks of the world, and what lies on them beside the pods' own.

use evictd_node::{Layout, Mono, Reading, Signal, Unit};
use evictd_threshold::Threshold;

use crate::feature::{Feature, Features};
use crate::random::Random;
use crate::world::amount::MIB;
use crate::world::ebb::Beside;
use crate::world::pod::{Growth, Held, What, WorldPod};

/// A filesystem.
#[derive(Clone, Debug)]
pub(crate) struct WorldDisk {
    pub(crate) device: (u32, u32),
    pub(crate) capacity: u64,
    pub(crate) inodes: u64,
    /// What lies there and is nobody's.
    pub(crate) outside: u64,
    pub(crate) growth: Option<Growth>,
    /// It does not answer from then until then.
    pub(crate) hangs: (Mono, Mono),
    /// Its last answer: bytes, inodes,
    pub(crate) answer: Option<[Reading; 2]>,
    /// and what evictd is shown of it.
    pub(crate) shown: Option<[Reading; 2]>,
    /// It is late this time, and counts with its former answer.
    pub(crate) is_late: bool,
}

/// An image that no container uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorldImage {
    pub(crate) bytes: u64,
    pub(crate) inodes: u64,
    pub(crate) in_use: bool,
    pub(crate) only_here: bool,
    pub(crate) last_used: Option<Mono>,
}

/// A container that is dead, and stays until somebody removes it.
#[derive(Clone, Debug)]
pub(crate) struct DeadContainer {
    pub(crate) uid: String,
    pub(crate) is_replaced: bool,
    pub(crate) layer: u64,
    pub(crate) inodes: u64,
    pub(crate) logs: u64,
    pub(crate) died: Mono,
}

/// What lies on the disks beside the pods' own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Things {
    pub(crate) images: Vec<WorldImage>,
    pub(crate) dead: Vec<DeadContainer>,
    /// Of a build cache: what may be pruned, and what is in use.
    pub(crate) builds: (u64, u64),
    /// Of directories: what may be deleted, and what may not.
    pub(crate) directories: (u64, u64),
    pub(crate) reserve: u64,
    pub(crate) reserve_size: u64,
    /// So many bytes have to be left of nodefs, by the thresholds of all disks.
    pub(super) needed: u64,
    /// By which evictd goes.
    pub(crate) thresholds: Vec<Threshold>,
    /// What others hold that comes and goes.
    pub(super) beside: Beside,
    /// What dead pods left: uid, bytes on nodefs.
    pub(crate) leftovers: Vec<(String, u64)>,
}

impl Things {
    pub(crate) fn of(seed: u64, features: Features, disk: u64) -> Self {
        let mut random = Random::new(seed, 3);
        let r = &mut random;
        let has = |feature| features.has(feature);
        let mut things = Self::default();
        if has(Feature::Images) {
            for _ in 0..r.within(1, 6) {
                things.images.push(WorldImage {
                    bytes: r.within(MIB, disk / 30),
                    inodes: r.within(10, 5000),
                    in_use: r.one_in(3),
                    only_here: r.one_in(4),
                    last_used: None,
                });
            }
        }
        if has(Feature::Builds) {
            things.builds = (r.within(0, disk / 10), r.within(0, disk / 40));
        }
        if has(Feature::Directories) {
            things.directories = (r.within(0, disk / 10), r.within(0, disk / 40));
        }
        if has(Feature::Reserve) {
            things.reserve_size = r.within(MIB, disk / 20);
            things.reserve = things.reserve_size;
        }
        things
    }
}

/// Where a filesystem lies among the disks: of volumes and logs, of images, of layers.
pub(crate) const fn places(layout: Layout) -> [usize; 3] {
    match layout {
        Layout::OneFilesystem => [0, 0, 0],
        Layout::DedicatedImagefs => [0, 1, 1],
        Layout::SplitImagefs => [0, 1, 0],
    }
}

/// What is used of a disk: bytes and inodes.
pub(crate) fn used(
    index: usize,
    disk: &WorldDisk,
    [nodefs, imagefs, containerfs]: [usize; 3],
    pods: &[WorldPod],
    things: &Things,
) -> (u64, u64) {
    let (mut bytes, mut inodes) = (disk.outside, 1000);
    bytes += things.beside.bytes.get(index).unwrap_or(&0);
    inodes += things.beside.inodes.get(index).unwrap_or(&0);
    let on = |place: usize| place == index;
    for pod in pods.iter().filter(|pod| pod.runs()) {
        if on(containerfs) {
            bytes += pod.held.layer;
            inodes += pod.held.layer_inodes;
        }
        if on(nodefs) {
            bytes += pod.held.logs + pod.held.volume;
        }
    }
    for dead in &things.dead {
        if on(containerfs) {
            bytes += dead.layer;
            inodes += dead.inodes;
        }
        if on(nodefs) {
            bytes += dead.logs;
        }
    }
    if on(imagefs) {
        bytes += things.images.iter().map(|image| image.bytes).sum::<u64>();
        inodes += things.images.iter().map(|image| image.inodes).sum::<u64>();
        bytes += things.builds.0 + things.builds.1;
    }
    if on(nodefs) {
        bytes += things.directories.0 + things.directories.1 + things.reserve;
        bytes += things.leftovers.iter().map(|(_, bytes)| bytes).sum::<u64>();
    }
    (bytes, inodes)
}

impl WorldDisk {
    pub(crate) fn of(seed: u64, index: usize, features: Features, chaos: Mono) -> Self {
        let number = u64::try_from(index).unwrap_or(0);
        let mut random = Random::new(seed, 10 + number);
        let r = &mut random;
        let capacity = r.within(1, 200) * 1024 * MIB;
        let from = Mono::from_millis(r.within(0, 30_000));
        let fills = features.has(Feature::OutsideDisk) && r.one_in(2);
        let hangs = features.has(Feature::HangingDisk) && r.one_in(2);
        let hang = Mono::from_millis(r.within(0, 40_000));
        let hang_ends = Mono::from_millis(hang.as_nanos() / 1_000_000 + r.within(1, 20_000));
        Self {
            device: (254, u32::try_from(index).unwrap_or(0)),
            capacity,
            inodes: r.within(20_000, 2_000_000),
            outside: r.within(0, capacity / 3),
            growth: fills.then(|| Growth {
                what: What::Layer,
                from,
                until: chaos,
                per_second: capacity / r.within(20, 400),
            }),
            hangs: if hangs {
                (hang, hang_ends.min(chaos))
            } else {
                (Mono::ZERO, Mono::ZERO)
            },
            answer: None,
            shown: None,
            is_late: false,
        }
    }
}

/// How much of what a signal watches a pod holds, by its disk use; `None` where it is none of a disk.
pub(crate) fn held_on_disk(signal: Signal, layout: Layout, held: &Held) -> Option<u64> {
    let [nodefs, imagefs, containerfs] = places(layout);
    let place = match signal.filesystem()? {
        evictd_node::Filesystem::Nodefs => nodefs,
        evictd_node::Filesystem::Imagefs => imagefs,
        evictd_node::Filesystem::Containerfs => containerfs,
    };
    let layer = place == containerfs;
    let rest = place == nodefs;
    Some(match signal.unit() {
        Unit::Bytes => u64::from(layer) * held.layer + u64::from(rest) * (held.logs + held.volume),
        Unit::Inodes | Unit::ProcessIds | Unit::Percent => u64::from(layer) * held.layer_inodes,
    })
}
