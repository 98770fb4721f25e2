//! What a pod does under what is set of it: it grows, waits, gives memory back and reads it again.

use core::time::Duration;

use evictd_node::Mono;

use super::amount::take;
use super::pod::{Life, WorldPod};

impl WorldPod {
    /// Time passes for it.
    pub(crate) fn grow(&mut self, from: Mono, to: Mono, slows: bool) {
        if slows {
            return;
        }
        let before = self.held.memory();
        for growth in &self.growths {
            let more = growth.between(from, to);
            let place = self.held.place(growth.what);
            *place = place.saturating_add(more);
        }
        self.feel(to.since(from), before);
    }

    /// It was asked to end, and does so in its time, if ever.
    pub(crate) fn end_by_itself(&mut self, now: Mono) {
        if let (Life::Runs, Some(after)) = (self.life, self.ends_after) {
            self.life = Life::Dies(Some(now + after));
        }
    }

    /// What was taken from it comes back, and what is above its `memory.high` does not stay.
    pub(super) fn feel(&mut self, lasts: Duration, before: u64) {
        if self.knobs.away == 0 && self.knobs.high.is_none() {
            return;
        }
        let nanos = u64::try_from(lasts.as_nanos()).unwrap_or(u64::MAX);
        let nanos = nanos.min(1_000_000_000);
        let back = u128::from(self.knobs.away) * u128::from(nanos) / 1_000_000_000;
        let back = u64::try_from(back).unwrap_or(0);
        self.knobs.away -= back;
        self.knobs.read_back += back;
        self.held.active += back;
        if back > 0 {
            self.knobs.waited += lasts / 20;
        }
        let Some(high) = self.knobs.high else {
            return;
        };
        let memory = self.held.memory();
        // It still gets a little.
        let grown = memory.saturating_sub(before);
        let mut over = memory.saturating_sub(high).saturating_sub(grown / 32);
        if over > 0 {
            self.knobs.waited += lasts / 2;
        }
        take(&mut self.held.inactive, &mut over);
        self.take_active(&mut over);
        let mut over = over.min(grown);
        take(&mut self.held.anon, &mut over);
        take(&mut self.held.tmpfs, &mut over);
    }

    fn take_active(&mut self, over: &mut u64) {
        let there = self.held.active;
        take(&mut self.held.active, over);
        let taken = there - self.held.active;
        self.knobs.away += taken / 1000 * self.knobs.hot;
    }

    /// The kernel gives back so much of its memory, with that room in swap.
    pub(super) fn give_back(&mut self, mut bytes: u64, room: u64) {
        take(&mut self.held.inactive, &mut bytes);
        self.take_active(&mut bytes);
        let swapped = self.held.anon.min(bytes).min(room);
        self.held.anon -= swapped;
        self.held.swap += swapped;
    }
}
