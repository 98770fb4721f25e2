//! When each gate holds an eviction back. The gates are in `gate.rs` beside.

use evictd_evict::{Cause, Eviction};
use evictd_node::Mono;

use super::gate::Gate;
use super::turn::Loop;
use crate::pace::is_disk;
use crate::ports::{Node, Pods, Reclaim};
use crate::timers::Timer;

impl<N: Node, P: Pods, R: Reclaim<P>> Loop<N, P, R> {
    /// Whether an eviction, or the answer that there is none, is held back: by the first gate
    /// that holds. Then it is decided again after its wait.
    pub(super) fn is_held_back(&mut self, now: Mono, eviction: Option<&Eviction>) -> bool {
        let mut gates = Gate::ALL.into_iter();
        self.held_back_by = gates.find(|gate| self.holds(*gate, now, eviction));
        let Some(gate) = self.held_back_by else {
            return false;
        };
        let at = now + gate.wait();
        match gate {
            // A round may be due before.
            Gate::Undescribed | Gate::NoDescriptors => self.timers.set_earlier(Timer::Round, at),
            Gate::StaleReadings
            | Gate::ReliefAtWork
            | Gate::MixedNumbers
            | Gate::NewPod
            | Gate::OwnLog => self.timers.set(Timer::Round, at),
        }
        true
    }

    fn holds(&mut self, gate: Gate, now: Mono, eviction: Option<&Eviction>) -> bool {
        match (gate, eviction) {
            (Gate::Undescribed, _) => self.is_too_early(),
            // It is told with the other problems of the pods.
            (Gate::NoDescriptors, _) => self.deciding.pods.lacks_descriptors(),
            (Gate::StaleReadings, Some(eviction)) => self.is_by_old_readings(eviction),
            (Gate::ReliefAtWork, Some(eviction)) => {
                !self.settings.dry_run && self.deciding.awaits_what_comes_before(now, eviction)
            }
            (Gate::MixedNumbers, Some(eviction)) => self.must_choose_again(now, eviction),
            (Gate::NewPod, Some(eviction)) => self.deciding.awaits_who_stalls(now, eviction),
            (Gate::OwnLog, Some(eviction)) => self.gives_up_its_log_first(now, eviction),
            (
                Gate::StaleReadings
                | Gate::ReliefAtWork
                | Gate::MixedNumbers
                | Gate::NewPod
                | Gate::OwnLog,
                None,
            ) => false,
        }
    }

    /// Whether a decision was made before all that describes pods was heard, and can wait for
    /// it a little: a critical pod may look like any other, and a pod may be missing.
    pub(super) fn is_too_early(&self) -> bool {
        self.deciding.picture.is_awaited() && !self.sampled.node.is_near_oom()
    }

    /// Whether an eviction was decided by an old reading, and a fresh one does not bear it out.
    fn is_by_old_readings(&mut self, eviction: &Eviction) -> bool {
        let Cause::Threshold { threshold, .. } = &eviction.cause else {
            return false;
        };
        let now = (self.settings.clock)();
        let Some(again) = self.sampled.read_where_old(now) else {
            return false;
        };
        self.deciding.evict.read_again(&again);
        let threshold = self.deciding.evict.threshold(*threshold);
        !threshold.is_some_and(|threshold| self.sampled.bears_out(now, threshold))
    }

    /// Whether a pod was chosen for a disk by numbers of different age.
    fn must_choose_again(&mut self, now: Mono, eviction: &Eviction) -> bool {
        let Cause::Threshold { place, .. } = &eviction.cause else {
            return false;
        };
        is_disk(place.signal.resource())
            && self
                .listings
                .must_choose_again(now, &mut self.deciding.pods, &mut self.timers)
    }
}
