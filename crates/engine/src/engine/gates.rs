//! What holds an eviction back though a threshold acts. A gate is a line in each table here and
//! nothing anywhere else.

use core::fmt;
use core::time::Duration;

use evictd_evict::{Cause, Eviction};
use evictd_node::Mono;

use super::deciding::SECOND_LOOK;
use super::turn::Loop;
use crate::pace::is_disk;
use crate::picture::SOON;
use crate::ports::{Node, Pods, Reclaim};
use crate::timers::Timer;

/// How soon to look again where numbers are read anew.
const AGAIN: Duration = Duration::from_millis(50);

/// How soon to look again where something works that comes before an eviction.
const AT_WORK: Duration = Duration::from_millis(200);

/// What holds an eviction back, in the order in which it is asked. Nothing is noted of an
/// eviction that is held back: after the wait it is decided anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Who describes pods was not heard yet: a critical pod looks like any other.
    Undescribed,
    /// There are no descriptors left to kill with.
    NoDescriptors,
    /// It was decided by old readings, and fresh ones do not bear it out.
    StaleReadings,
    /// What comes before an eviction for a soft threshold is at work.
    ReliefAtWork,
    /// The pods' numbers for a disk are of different age.
    MixedNumbers,
    /// Of a pod that has just begun it is not known yet what it takes from the others.
    NewPod,
    /// The pod's own log gives up its old part, which may be enough for its limit.
    OwnLog,
}

impl Gate {
    /// All of them, in their order. Those that need no candidate come first; they hold back the
    /// answer that no pod is evicted, too.
    pub const ALL: [Self; 7] = [
        Self::Undescribed,
        Self::NoDescriptors,
        Self::StaleReadings,
        Self::ReliefAtWork,
        Self::MixedNumbers,
        Self::NewPod,
        Self::OwnLog,
    ];

    /// How long until it is decided again.
    #[must_use]
    pub const fn wait(self) -> Duration {
        match self {
            Self::Undescribed => SOON,
            Self::NoDescriptors | Self::StaleReadings | Self::MixedNumbers => AGAIN,
            Self::NewPod => SECOND_LOOK,
            Self::ReliefAtWork | Self::OwnLog => AT_WORK,
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Undescribed => "who describes pods was not heard yet",
            Self::NoDescriptors => "no file descriptor is left to kill a pod with",
            Self::StaleReadings => "the readings were old and are read again",
            Self::ReliefAtWork => "what comes before a soft eviction is at work",
            Self::MixedNumbers => "what pods hold on the disk is measured again",
            Self::NewPod => "a pod has just begun, and it is measured what it takes from others",
            Self::OwnLog => "the pod's own log is being cut first",
        })
    }
}

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
