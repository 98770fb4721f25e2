//! What others than pods take and give back again, what pods give back by themselves, memory that
//! is free later than its pod is gone, and numbers that do not agree: as on real machines, whose
//! recordings are compared with this (docs/dev/simulation.md).

use core::time::Duration;

use evictd_node::Mono;

use super::bounds::{Bounds, of};
use super::pod::Held;
use crate::feature::{Feature, Features};
use crate::random::Random;

/// Memory, bytes and inodes of each disk, process ids: what others hold that comes and goes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Beside {
    pub(crate) memory: u64,
    pub(crate) bytes: [u64; 2],
    pub(crate) inodes: [u64; 2],
    pub(crate) pids: u64,
}

/// It is taken then, and given back then.
#[derive(Clone, Copy, Debug)]
struct Take {
    from: Mono,
    until: Mono,
    what: Beside,
}

/// The pod of that number gives back such a share of it then.
#[derive(Clone, Copy, Debug)]
struct Give {
    at: Mono,
    number: u32,
    share: u64,
    place: fn(&mut Held) -> &mut u64,
}

/// What comes and goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ebb {
    takes: Vec<Take>,
    gives: Vec<Give>,
    /// Memory of pods that are gone, and when it is free.
    freeing: Vec<(Mono, u64)>,
}

const PLACES: [fn(&mut Held) -> &mut u64; 7] = [
    |held| &mut held.anon,
    |held| &mut held.active,
    |held| &mut held.inactive,
    |held| &mut held.layer,
    |held| &mut held.logs,
    |held| &mut held.volume,
    |held| &mut held.pids,
];

impl Ebb {
    /// Of a machine with so much memory, such disks and process ids.
    pub(super) fn of(
        seed: u64,
        features: Features,
        (memory, disks, pids): (u64, [(u64, u64); 2], u64),
        chaos_ends: Mono,
    ) -> Self {
        let mut ebb = Self::default();
        if !features.has(Feature::Ebb) {
            return ebb;
        }
        let mut random = Random::new(seed, 20);
        let r = &mut random;
        let chaos = chaos_ends.as_nanos() / 1_000_000;
        let Bounds {
            others_move,
            others_fork,
            pod_gives,
            ..
        } = Bounds::WORLDS;
        for _ in 0..r.within(1, 6) {
            let from = Mono::from_millis(r.within(0, chaos));
            let until = from + Duration::from_millis(r.within(1, 20_000));
            let mut what = Beside::default();
            // Together they do not take more than one may.
            let some = |r: &mut Random, whole, most| r.within(0, of(most / 6, whole));
            let [(bytes, inodes), (more_bytes, more_inodes)] = disks;
            match r.within(0, 3) {
                0 => what.memory = some(r, memory, others_move),
                1 => {
                    what.bytes = [
                        some(r, bytes, others_move),
                        some(r, more_bytes, others_move),
                    ];
                }
                2 => {
                    let [first, second] = [inodes, more_inodes];
                    what.inodes = [some(r, first, others_move), some(r, second, others_move)];
                }
                _ => what.pids = some(r, pids, others_fork),
            }
            let until = until.min(chaos_ends);
            ebb.takes.push(Take { from, until, what });
        }
        for _ in 0..r.within(1, 8) {
            ebb.gives.push(Give {
                at: Mono::from_millis(r.within(0, chaos)),
                number: u32::try_from(r.within(0, 11)).unwrap_or(0),
                share: r.within(1, pod_gives),
                place: r.pick(&PLACES).unwrap_or(|held| &mut held.anon),
            });
        }
        ebb
    }

    /// Memory of pods that are gone which is not free yet.
    pub(super) fn freeing(&self) -> u64 {
        self.freeing.iter().map(|(_, bytes)| bytes).sum()
    }

    /// So much is free only then.
    pub(super) fn free_later(&mut self, at: Mono, bytes: u64) {
        self.freeing.push((at, bytes));
    }

    /// What others hold at that time.
    pub(super) fn beside(&self, at: Mono) -> Beside {
        let mut beside = Beside::default();
        let taken = self.takes.iter();
        for take in taken.filter(|take| take.from <= at && at < take.until) {
            beside.memory += take.what.memory;
            beside.pids += take.what.pids;
            for (sum, more) in beside.bytes.iter_mut().zip(take.what.bytes) {
                *sum += more;
            }
            for (sum, more) in beside.inodes.iter_mut().zip(take.what.inodes) {
                *sum += more;
            }
        }
        beside
    }

    /// What is due by then is free.
    pub(super) fn free(&mut self, by: Mono) {
        self.freeing.retain(|(at, _)| *at > by);
    }

    /// What the pod of that number gives back between two times is taken from what it holds.
    pub(super) fn give_back(&self, (from, to): (Mono, Mono), number: u32, held: &mut Held) {
        let due = self.gives.iter();
        let due = due.filter(|give| from < give.at && give.at <= to);
        for give in due.filter(|give| give.number == number) {
            let place = (give.place)(held);
            *place -= of(give.share, *place);
        }
    }

    /// When something comes or goes next.
    pub(super) fn next(&self, now: Mono) -> Option<Mono> {
        let takes = self.takes.iter().flat_map(|take| [take.from, take.until]);
        let gives = self.gives.iter().map(|give| give.at);
        let due = takes.chain(gives).filter(|at| *at > now);
        due.chain(self.freeing.iter().map(|(at, _)| *at)).min()
    }
}
