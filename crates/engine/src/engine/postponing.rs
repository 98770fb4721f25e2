//! Why an eviction that was decided is not begun, and is decided again in a moment.

use core::time::Duration;

use evictd_evict::{Cause, Eviction};
use evictd_node::Mono;

use super::{Engine, FS_WAIT, STANDSTILL};
use crate::ports::{Node, Pods, Reclaim};

/// How soon to decide again where an eviction was held back.
pub(super) const HELD_BACK: Duration = Duration::from_millis(200);

impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// Whether evictions wait for those who describe pods and were not heard yet.
    #[must_use]
    pub fn awaits_picture(&self) -> bool {
        self.picture.is_awaited()
    }

    /// Whether a decision was made before all that describes pods was heard, and can wait for
    /// it a little: a critical pod may look like any other, and a pod may be missing.
    pub(super) fn is_too_early(&self) -> bool {
        self.picture.is_awaited() && !self.node.is_near_oom()
    }

    /// Says who was not waited for any longer.
    pub(super) fn tell_unheard(&mut self, now: Mono) {
        if !self.picture.is_whole() && !self.is_too_early() {
            self.telling.unheard(now, &self.pods);
        }
    }

    /// Whether an eviction was decided by a reading that is old by now, as the process was
    /// stopped meanwhile or got no processor, and one that is fresh does not bear it out.
    pub(super) fn is_outdated(&mut self, eviction: &Eviction) -> bool {
        let Cause::Threshold { threshold, .. } = &eviction.cause else {
            return false;
        };
        let now = (self.settings.clock)();
        if now.since(self.sampled_at) < STANDSTILL {
            return false;
        }
        self.sample = self.node.read(now, FS_WAIT);
        self.sampled_at = now;
        let threshold = self.evict.thresholds().get(*threshold);
        !threshold.is_some_and(|threshold| {
            let reading = self.sample.readings.get(threshold.signal);
            reading.is_some_and(|reading| {
                let is_fresh = reading.sampled.is_none_or(|at| at >= now);
                is_fresh && threshold.is_unreclaimed(&reading)
            })
        })
    }

    /// Whether an eviction for a soft threshold is to wait for what comes before it.
    pub(super) fn is_held_back(&mut self, now: Mono, eviction: &Eviction) -> bool {
        let Cause::Threshold { threshold, .. } = &eviction.cause else {
            return false;
        };
        let threshold = self.evict.thresholds().get(*threshold);
        let is_soft = threshold.is_some_and(|threshold| !threshold.is_hard());
        is_soft && !self.settings.dry_run && !self.pods.may_evict(now, eviction.candidate)
    }
}
