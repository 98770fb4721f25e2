//! What comes and goes in a world as time passes.

use core::time::Duration;

use evictd_node::Mono;

use super::bounds::{Bounds, of};
use super::disk::WorldDisk;
use super::machine::World;
use crate::feature::Feature;
use crate::random::Random;

/// For so long the numbers differ by the same amount.
const SAME_FOR: u64 = 100_000_000;

impl World {
    /// It comes and goes, up to that time.
    pub(super) fn ebb(&mut self, from: Mono, to: Mono) {
        self.things.beside = self.ebb.beside(to);
        self.ebb.free(to);
        for pod in self.pods.iter_mut().filter(|pod| pod.runs()) {
            self.ebb.give_back((from, to), pod.number, &mut pod.held);
        }
    }

    /// Of memory that a dead pod held some is free only later.
    pub(super) fn free_later(&mut self, bytes: u64) {
        if !self.has(Feature::LateFree) || !self.random.one_in(2) {
            return;
        }
        let most = u64::try_from(Bounds::WORLDS.freed_after.as_millis()).unwrap_or(0);
        let after = Duration::from_millis(self.random.within(1, most));
        let bytes = of(self.random.within(1, 10_000), bytes);
        self.ebb.free_later(self.now + after, bytes);
    }

    /// Some filesystems, as XFS, have the fewer inodes the fewer bytes are left.
    pub(super) fn inodes_where(&self, bytes_used: u64, disk: &WorldDisk) -> u64 {
        let is_so = self.plan.features.has(Feature::Ebb) && self.plan.seed.is_multiple_of(2);
        if !is_so {
            return disk.inodes;
        }
        let used = bytes_used.min(disk.capacity) / (disk.capacity / 10_000).max(1);
        disk.inodes
            - of(
                used.min(10_000),
                of(Bounds::WORLDS.inodes_resized, disk.inodes),
            )
    }

    /// By so much two looks at the same memory differ at most.
    pub(crate) fn may_disagree_by(&self) -> u64 {
        let may = self.plan.features.has(Feature::Disagree);
        u64::from(may) * 2 * of(Bounds::WORLDS.disagree, self.memory.total)
    }

    /// So much less than is available is shown, as it is read at another moment; below 0 more.
    pub(super) fn disagrees_by(&self) -> i64 {
        if !self.has(Feature::Disagree) {
            return 0;
        }
        let moment = self.now.as_nanos() / SAME_FOR;
        let mut random = Random::new(self.plan.seed.rotate_left(17) ^ moment, 21);
        // Seldom much: where memory goes while it is read.
        let seldom = if random.one_in(50) { 1 } else { 8 };
        let most = of(Bounds::WORLDS.disagree / seldom, self.memory.total);
        let by = random.within(0, most * 2);
        by.cast_signed() - most.cast_signed()
    }
}
