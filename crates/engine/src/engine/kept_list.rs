//! The list of pods that is kept for when memory is short, and what they hold while it is
//! plentiful.

use core::time::Duration;

use evictd_node::{Mono, Signal};

use super::Engine;
use crate::pace::is_memory;
use crate::ports::{Depth, Node, Pods, Reclaim};
use crate::timers::Timer;

/// How often the list of pods is made anew that is kept for when memory is short.
const LISTING_EVERY: Duration = Duration::from_secs(10);

impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// Lists the pods once the start is over: where they may have limits, so that what they
    /// hold is measured when the next round looks; else so that the list is there when one
    /// has to be evicted.
    pub fn list_early(&mut self, now: Mono) {
        let depth = if self.pods.may_have_limits() {
            Depth::Whole
        } else {
            Depth::Bounds
        };
        self.list_pods(now, depth);
        self.timers.set(Timer::Listing, now + LISTING_EVERY);
        let of_memory = |met: evictd_evict::Met<'_>| is_memory(met.threshold);
        if !self.evict.met().any(of_memory) {
            self.note_plenty(now);
        }
    }

    /// While nothing is short, the list of pods waits for when a pod has to be evicted, as
    /// there may be no memory to make it then; while memory gets short it is looked at now
    /// and then, and else for what the pods hold while there is plenty. What a container
    /// runtime holds takes more, and asking it takes memory anyway: of that no list is kept
    /// before memory gets short.
    pub(super) fn keep_list(&mut self, now: Mono, left: Option<i64>) {
        const NEAR: i64 = 8;
        let memory = self.sample.readings.get(Signal::MemoryAvailable);
        let gets_short = memory
            .zip(left)
            .is_some_and(|(memory, left)| left < memory.capacity / NEAR);
        let is_new = !self.evict.knows_plenty();
        if (gets_short && self.timers.is_due(Timer::Listing, now))
            || (is_new && self.timers.is_expired(Timer::Listing, now))
        {
            self.timers.set(Timer::Listing, now + LISTING_EVERY);
            self.list_pods(now, Depth::Bounds);
            if is_new {
                self.note_plenty(now);
            }
        }
        if gets_short || !self.pods.has_runtimes() {
            self.pods.rest();
        } else {
            self.pods.forget();
        }
    }

    /// Notes what the pods that were just listed hold while there is memory, each read
    /// exactly.
    fn note_plenty(&mut self, now: Mono) {
        let count = self.with_candidates(|_, _, pods| pods.len());
        // The last first, as one that has vanished meanwhile is taken out.
        for index in (0..count).rev() {
            if !self.pods.is_exact(index) {
                self.pods.read_exactly(index);
            }
        }
        let readings = self.sample.readings;
        self.with_candidates(|evict, _, pods| evict.note_plenty(now, &readings, pods));
    }
}
