use alloc::string::String;
use evictd_node::{Readings, Resource, Signal};
use evictd_quantity::Quantity;
use evictd_rank::Place;

use crate::{NoPod, Step};

/// What the caller is to do now.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Nothing; the round is over. Step again when something changes, or at
    /// [`Evict::next_deadline`](crate::Evict::next_deadline).
    Rest,
    /// Read the pods and their stats, then hand in [`Outcome::PodsRead`]. Upper bounds of
    /// what they use may do, see [`Evict::takes_bounds`](crate::Evict::takes_bounds).
    ReadPods,
    /// A disk is short: take this step, measure again, hand in [`Outcome::Relieved`]. It may take
    /// minutes: go on with the rounds meanwhile. Those that still want it propose it again.
    Relieve(Step),
    /// This pod is to be evicted. It is a proposal: hand in [`Outcome::Begun`] once its kill has
    /// begun and then what came of it, or [`Outcome::NotBegun`]. Whoever lets it be begins the
    /// next round: nothing of it was noted.
    Evict(Eviction),
    /// A pod is ending within its grace period, and a hard threshold is met
    /// meanwhile: kill it at once. Its outcome is still awaited.
    KillNow,
    /// A threshold of this signal is met, and no pod is evicted for it: why. Tell it, then
    /// hand in [`Outcome::Told`].
    NoCandidate(Signal, NoPod),
}

/// What came of a plan.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// The pods are handed in with it.
    PodsRead,
    /// The step was taken, whether it succeeded or not.
    Relieved(Relieved<'a>),
    /// It was told that no pod is evicted: another threshold may act.
    Told,
    /// The proposed pod was sent SIGTERM or SIGKILL. The pods are those that it was chosen from.
    Begun,
    /// The kill of the proposed pod could not begin: another may be proposed.
    NotBegun,
    /// Of a dry run: nothing was killed. The pod counts as gone from now on, with what it
    /// uses, so that the plans that follow rehearse the whole episode.
    Pretended,
    /// The pod's processes are gone; what it left may still be cleaned up.
    Killed,
    /// The pod could not be killed, or not before the deadline.
    KillFailed,
    /// Nothing of the pod is left.
    CleanedUp,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Relieved<'a> {
    /// Whether anything was deleted.
    pub gave: bool,
    /// What was measured after it; `None` where that failed.
    pub again: Option<&'a Readings>,
}

/// A pod that is to be evicted. What is said of it takes memory, which may be short
/// until it is gone: [`Evict::message`](crate::Evict::message).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Eviction {
    /// Which pod: its index in the list that was handed in.
    pub candidate: usize,
    /// Why it is evicted.
    pub cause: Cause,
    /// Seconds between asking and killing; zero kills at once. Negative only
    /// with the kubelet's policy and a negative maximum.
    pub grace_seconds: i64,
}

impl Eviction {
    /// The phase that the evicted pod's status gets.
    pub const PHASE: &'static str = "Failed";
    /// The reason that the evicted pod's status gets.
    pub const REASON: &'static str = "Evicted";
    /// The type of the pod condition that a threshold eviction adds.
    pub const DISRUPTION_CONDITION: &'static str = "DisruptionTarget";
    /// The reason of that condition.
    pub const DISRUPTION_REASON: &'static str = "TerminationByKubelet";
}

/// Why a pod is evicted.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// A threshold is met and the pod ranks first.
    Threshold {
        /// The index of the threshold in [`Evict::thresholds`](crate::Evict::thresholds).
        threshold: usize,
        /// Its place in the order, with the numbers that put it there.
        place: Place,
        /// How many pods were ranked before it and passed over.
        passed_over: usize,
    },
    /// One of its emptyDir volumes is above its size limit.
    EmptyDirLimit,
    /// Its containers together are above the sum of their limits.
    PodLimit,
    /// One of its containers is above its limit.
    ContainerLimit,
}

/// What is said of an eviction, in the kubelet's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The message of pod status and event.
    pub text: String,
    /// The annotations of the event; `None` where stats are missing, and for
    /// local storage limits.
    pub annotations: Option<Annotations>,
}

/// The annotations of an eviction event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Annotations {
    /// `offending_pod` and `offending_pod_usage`: its name and what it used of memory, where
    /// the pod requests memory as a whole.
    pub offending_pod: Option<(String, Quantity)>,
    /// `offending_containers`: those above their request, separated by commas.
    pub offending_containers: String,
    /// `offending_containers_usage`: what each of them used.
    pub offending_containers_usage: String,
    /// `starved_resource`: what ran short.
    pub starved_resource: Resource,
}
