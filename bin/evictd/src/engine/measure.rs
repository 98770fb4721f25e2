//! What pods use is known before one of them goes for it: of memory no more than is
//! needed to tell who, of disks what is new.

use core::time::Duration;

use evictd_node::{Mono, Resource};
use evictd_stats::DiskScanner;

use super::Engine;
use crate::pods::Depth;

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
            let pods = &self.pods;
            let candidates = pods.candidates();
            let next = self
                .evict
                .to_read_exactly(&candidates, &|index| pods.is_exact(index));
            let Some(next) = next else { return };
            self.pods.read_exactly(next);
        }
    }

    /// Begins to measure what pods hold on disk, where that is wanted. Not done by
    /// [`Engine::open`]: the first decision would wait for the thread.
    ///
    /// # Errors
    /// When the kernel gives no thread.
    pub(crate) fn measure_disk(&mut self) -> Result<(), String> {
        if let Some(dirs) = self.dirs.take() {
            let scanner = DiskScanner::start().map_err(|error| error.to_string())?;
            self.pods.measure_disk(scanner, dirs);
            // What there is to measure it hears when the pods are looked at: now.
            self.next_census = Mono::ZERO;
            self.tick_now();
        }
        Ok(())
    }

    /// The same after the first round, which could not begin it: where pods may have
    /// limits they are listed now, so that they are measured when the next one looks.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn measure_disk_late(&mut self) -> Result<(), String> {
        self.measure_disk()?;
        if self.pods.may_have_limits() {
            self.pods.refresh(Depth::Whole);
        }
        Ok(())
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
        if self.dirs.is_some() {
            // So early that it has not begun.
            self.next_tick = self.next_tick.min(now + AGAIN);
            return true;
        }
        if self.disk_asked.is_none() {
            self.pods.freshen(true);
        }
        let asked = *self.disk_asked.get_or_insert(now);
        let since = Mono::from_nanos(asked.as_nanos().saturating_sub(as_nanos(FRESH)));
        if now.since(asked) >= PATIENCE || self.pods.has_measured_disk(since) {
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
