//! What pods use is known before one of them goes for it: of memory no more than is
//! needed to tell who, of disks what is new.

use core::time::Duration;
use std::io;

use evictd_node::{Mono, Resource, Signal};
use evictd_stats::DiskScanner;

use super::Engine;
use crate::pods::{Depth, emptied};

/// Numbers that old may choose a pod; older ones are measured anew first.
const FRESH: Duration = Duration::from_secs(10);

/// How long they may take. Then what is known decides: a pod that has not been
/// measured counts as holding nothing.
const PATIENCE: Duration = Duration::from_secs(10);

/// How soon to look whether they are there. Memory has its own looks meanwhile.
const AGAIN: Duration = Duration::from_millis(50);

impl Engine {
    /// How much of each pod is to be read for the plan that is carried out.
    pub(super) fn depth(&self) -> Depth {
        if self.evict.takes_bounds() {
            Depth::Bounds
        } else {
            Depth::Whole
        }
    }

    /// Reads what some pods use exactly, until nobody else can be the next to go.
    pub(super) fn read_what_counts(&mut self) {
        loop {
            let (pods, room) = (&self.pods, core::mem::take(&mut self.room));
            let candidates = pods.candidates(room);
            let next = self
                .evict
                .to_read_exactly(&candidates, &|index| pods.is_exact(index));
            self.room = emptied(candidates);
            let Some(next) = next else { return };
            self.pods.read_exactly(next);
        }
    }

    /// Begins to measure what pods hold on disk, where that is wanted. Not done by
    /// [`Engine::open`]: the first decision would wait for the thread.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later.
    pub(crate) fn measure_disk(&mut self) -> io::Result<()> {
        if self.dirs.is_none() {
            return Ok(());
        }
        let scanner = DiskScanner::start()?;
        if let Some(dirs) = self.dirs.take() {
            self.pods.measure_disk(scanner, dirs);
            // What there is to measure it hears when the pods are looked at: now.
            self.next_census = Mono::ZERO;
            self.tick_now();
        }
        Ok(())
    }

    /// Lists the pods once the start is over: where they may have limits, so that what they
    /// hold is measured when the next round looks; else so that the list is there when one
    /// has to go.
    pub(crate) fn list_early(&mut self, now: Mono) {
        let depth = if self.pods.may_have_limits() {
            Depth::Whole
        } else {
            Depth::Bounds
        };
        self.list_pods(now, depth);
    }

    /// Lists the pods, and makes the room that showing them to the state machine takes.
    pub(super) fn list_pods(&mut self, now: Mono, depth: Depth) {
        self.pods.refresh(now, depth);
        self.room.reserve(self.pods.found().len());
    }

    /// While nothing is short, the list of pods waits for when a pod has to go, as there may
    /// be no memory to make it then; while memory gets short it is looked at now and then.
    /// What a container runtime holds takes more, and asking it takes memory anyway: of
    /// that no list is kept before memory gets short.
    pub(super) fn keep_list(&mut self, now: Mono) {
        const EVERY: Duration = Duration::from_secs(10);
        const NEAR: i64 = 8;
        let readings = self.sample.readings();
        let memory = readings.get(Signal::MemoryAvailable);
        let left = self.headroom(&readings);
        let gets_short = memory
            .zip(left)
            .is_some_and(|(memory, left)| left < memory.capacity / NEAR);
        if gets_short && now >= self.next_listing {
            self.next_listing = now + EVERY;
            self.list_pods(now, Depth::Bounds);
        }
        if gets_short || self.pods.runtimes.is_empty() {
            self.pods.rest();
        } else {
            self.pods.forget();
        }
    }

    /// Whether a pod would be chosen for disk now by numbers that are not there yet,
    /// or old: then they are measured without rests, and the next round, which comes
    /// soon, chooses.
    pub(super) fn must_measure_disk(&mut self, now: Mono) -> bool {
        let acting = self.evict.acting_on();
        let resource = acting.map(|threshold| threshold.signal.resource());
        if !matches!(
            resource,
            Some(Resource::EphemeralStorage | Resource::Inodes)
        ) {
            return false;
        }
        if self.disk_asked.is_none() {
            self.pods.freshen(true);
        }
        let asked = *self.disk_asked.get_or_insert(now);
        let since = Mono::from_nanos(asked.as_nanos().saturating_sub(as_nanos(FRESH)));
        let has_begun = self.dirs.is_none();
        if now.since(asked) >= PATIENCE || has_begun && self.pods.has_measured_disk(since) {
            self.disk_asked = None;
            return false;
        }
        self.next_tick = self.next_tick.min(now + AGAIN);
        true
    }
}

fn as_nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
