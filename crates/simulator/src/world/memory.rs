//! The world's memory: how much there is, and what is no pod's.

use evictd_node::Mono;

use super::amount::MIB;
use super::pod::{Growth, What};
use crate::feature::{Feature, Features};
use crate::random::Random;

/// Memory that is no pod's, and how much there is.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) total: u64,
    /// The kernel's and that of processes outside all pods.
    pub(crate) outside: u64,
    /// So much the kernel sets aside at that time, as huge pages that are reserved,
    aside: Option<(Mono, u64)>,
    /// and has set aside: it counts no more as memory of the machine.
    pub(crate) set_aside: u64,
    growth: Option<Growth>,
    pub(crate) swap: u64,
    /// What others held than pods that may be evicted, at the last kill for memory.
    pub(crate) elsewhere_at_kill: u64,
    /// The most that they held while evictd saw no memory short.
    pub(crate) elsewhere_in_plenty: Option<u64>,
    /// What dead pods left in memory, by their uids.
    pub(crate) left: Vec<(String, u64)>,
}

/// File pages that the kernel is asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Pages {
    /// So many are given back then.
    pub(super) coming: Option<(Mono, u64)>,
    /// When they were asked for lately,
    pub(super) asked: Vec<Mono>,
    /// and when they were given.
    pub(super) given: Option<Mono>,
}

impl Memory {
    pub(super) fn of(seed: u64, features: Features, chaos_ends: Mono) -> Self {
        let mut random = Random::new(seed, 4);
        let r = &mut random;
        let total = r
            .pick(&[256, 512, 1024, 4096, 16_384, 65_536])
            .unwrap_or(1024)
            * MIB;
        let grows = features.has(Feature::OutsideMemory) && r.one_in(2);
        let from = Mono::from_millis(r.within(0, 40_000));
        let until = Mono::from_millis(from.as_nanos() / 1_000_000 + r.within(100, 30_000));
        // A stream of its own: a world without such memory stays what it is.
        let mut of_pages = Random::new(seed, 8);
        let aside = features.has(Feature::SetAside) && of_pages.one_in(2);
        let at = Mono::from_millis(of_pages.within(0, 40_000)).min(chaos_ends);
        Self {
            total,
            aside: aside.then(|| (at, total / of_pages.within(2, 8) * 2)),
            set_aside: 0,
            outside: r.within(total / 50, total / 4),
            growth: grows.then(|| Growth {
                what: What::Anon,
                from,
                until: until.min(chaos_ends),
                per_second: total / r.within(10, 300),
            }),
            swap: if features.has(Feature::Swap) {
                r.within(1, total / MIB) * MIB
            } else {
                0
            },
            elsewhere_at_kill: u64::MAX,
            elsewhere_in_plenty: None,
            left: Vec::new(),
        }
    }

    pub(super) fn grow(&mut self, from: Mono, to: Mono) {
        let more = self.growth.map_or(0, |growth| growth.between(from, to));
        self.outside = self.outside.saturating_add(more).min(self.total * 9 / 10);
    }

    /// The kernel sets memory aside once its time has come, nearly all that is left at most.
    pub(super) fn set_aside(&mut self, now: Mono, used: u64) {
        let left = self.total.saturating_sub(used);
        if let Some((_, wanted)) = self.aside.take_if(|(at, _)| *at <= now) {
            let bytes = wanted.min(left - left / 16);
            self.total -= bytes;
            self.set_aside += bytes;
        }
    }

    pub(super) fn left_behind(&self) -> u64 {
        self.left.iter().map(|(_, bytes)| bytes).sum()
    }
}
