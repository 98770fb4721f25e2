//! A kill for a threshold, and what its numbers mean.

use core::time::Duration;

use evictd_node::{Mono, Resource, Signal};
use evictd_threshold::Threshold;

use crate::strike::{Rival, Strike};
use crate::world::World;
use crate::world::pod::Held;

/// What every container holds anyway (docs/dev/decisions.md, D0).
const TRIFLE_BYTES: u64 = 1 << 20;
const TRIFLE_INODES: u64 = 100;

/// Who could not be killed is left alone for so long, by clocks that may differ a little.
pub(super) const STUCK_FOR: Duration = Duration::from_secs(30);
pub(super) const MARGIN: Duration = Duration::from_secs(5);

/// A kill for a threshold.
pub(super) struct Case<'a> {
    pub(super) strike: &'a Strike,
    pub(super) victim: &'a Rival,
    pub(super) threshold: &'a Threshold,
    pub(super) world: &'a World,
}

impl Case<'_> {
    pub(super) fn signal(&self) -> Signal {
        self.threshold.signal
    }

    pub(super) fn is_disk(&self) -> bool {
        self.signal().filesystem().is_some()
    }

    pub(super) fn last_look(&self) -> Option<(Mono, evictd_node::Reading)> {
        let looks = self.world.given.looks.get(..self.strike.looks)?;
        let (at, readings) = looks.last()?;
        Some((*at, readings.get(self.signal())?))
    }

    pub(super) fn level(&self, capacity: i64) -> i64 {
        self.threshold.value.against(capacity).value()
    }

    pub(super) fn clear_level(&self, capacity: i64) -> i64 {
        let more = self.threshold.min_reclaim.as_ref();
        self.level(capacity) + more.map_or(0, |more| more.against(capacity).value())
    }

    /// What is known of a rival: of a disk what was measured, else what it holds now.
    pub(super) fn used(&self, rival: &Rival) -> Option<u64> {
        let held: &Held = if self.is_disk() {
            rival.measured.as_ref().map(|(_, held)| held)?
        } else {
            &rival.held
        };
        let mut held = *held;
        if !rival.is_described {
            held.volume = 0; // nobody has said that it is its own
        }
        let held = self.world.held_of(self.signal(), &held);
        rival.is_readable.then_some(held)
    }

    pub(super) fn exceeds(&self, rival: &Rival) -> bool {
        let knows_request = self.signal().resource() != Resource::Pids;
        let used = self.used(rival);
        knows_request && used.is_some_and(|used| used > rival.request(self.signal()))
    }

    /// What all hold together that are not critical.
    pub(super) fn held_by_all(&self) -> u64 {
        let all = self.strike.rivals.iter();
        let all = all.filter(|rival| !rival.looks_sacred);
        all.filter_map(|rival| self.used(rival)).sum()
    }

    /// Whether evicting it would give back what is short.
    pub(super) fn helps(&self, rival: &Rival) -> bool {
        let trifle = match self.signal().resource() {
            Resource::Memory | Resource::EphemeralStorage => TRIFLE_BYTES,
            Resource::Inodes => TRIFLE_INODES,
            Resource::Pids => 0,
        };
        self.used(rival).is_some_and(|used| used >= trifle)
    }

    /// Others that may be evicted. Who was tried in a round is not tried again in it, however
    /// long it takes; who runs again after its eviction is ended without another.
    pub(super) fn others(&self) -> impl Iterator<Item = &Rival> {
        let all = self.strike.rivals.iter();
        all.filter(|rival| {
            rival.uid != self.victim.uid
                && !rival.looks_sacred
                && !rival.was_tried
                && !rival.has_returned
                && rival.stuck.is_none_or(|ago| ago > STUCK_FOR + MARGIN)
        })
    }

    /// Those rivals that would help.
    pub(super) fn helpful(&self) -> impl Iterator<Item = &Rival> {
        self.others().filter(|rival| self.helps(rival))
    }
}
