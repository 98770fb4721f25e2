//! Where a round stands between two plans, and what each outcome means there.

use core::fmt;

use evictd_node::{Mono, Resource};
use evictd_rank::Place;

use crate::Outcome;
use crate::evidence::Last;

/// Where the round stands between two plans.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// The round is over.
    Idle,
    /// The pods are being read, so that one can be chosen for this threshold.
    ReadingPods { threshold: usize },
    /// A step of relief is taken for this threshold.
    Relieving { threshold: usize },
    /// It is being told that no pod is evicted for a threshold; then another may act.
    Telling,
    /// A pod is proposed: nothing is known of it but that, until its kill has begun.
    Proposed(Proposal),
    /// A pod is being killed.
    Killing {
        threshold: Option<usize>,
        graceful: bool,
        /// What is learned of it once it is gone.
        last: Option<Last>,
    },
}

/// What a pod is to be evicted for.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    /// `None` for a limit of its own.
    pub(crate) threshold: Option<usize>,
    pub(crate) graceful: bool,
    /// Its place in the order, for a threshold.
    pub(crate) place: Option<Place>,
}

/// The wait for what a dead pod still holds. Until it ends, no pod is evicted for that resource;
/// other resources do not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CleanUp {
    /// At most that long. After that nothing that was measured before may count against another.
    pub(crate) until: Mono,
    /// What the pod was evicted for; `None` for a limit of its own.
    pub(crate) resource: Option<Resource>,
}

impl CleanUp {
    /// Whether the next eviction for that resource waits for it. Bytes and inodes come back with
    /// the same files.
    pub(crate) fn holds(&self, resource: Resource) -> bool {
        let on_disk = [Resource::EphemeralStorage, Resource::Inodes];
        self.resource.is_some_and(|cleaned| {
            resource == cleaned || on_disk.contains(&resource) && on_disk.contains(&cleaned)
        })
    }
}

impl Stage {
    /// This stage with other thresholds: `place` says where a former one stands now.
    pub(crate) fn rearranged(self, place: impl Fn(usize) -> Option<usize>) -> Self {
        match self {
            Self::Killing {
                threshold,
                graceful,
                last,
            } => Self::Killing {
                threshold: threshold.and_then(place),
                graceful,
                last,
            },
            // Its outcome is nobody's where nobody wants it any more.
            Self::ReadingPods { threshold } => {
                place(threshold).map_or(Self::Idle, |threshold| Self::ReadingPods { threshold })
            }
            Self::Relieving { threshold } => {
                place(threshold).map_or(Self::Idle, |threshold| Self::Relieving { threshold })
            }
            Self::Idle | Self::Telling | Self::Proposed(_) => Self::Idle,
        }
    }

    /// Which one it is.
    pub(crate) const fn name(&self) -> StageName {
        match self {
            Self::Idle => StageName::Idle,
            Self::ReadingPods { .. } => StageName::ReadingPods,
            Self::Relieving { .. } => StageName::Relieving,
            Self::Telling => StageName::Telling,
            Self::Proposed(_) => StageName::Proposed,
            Self::Killing { .. } => StageName::Killing,
        }
    }
}

/// Where the state machine stands between two plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageName {
    /// The round is over.
    Idle,
    /// [`Plan::ReadPods`](crate::Plan::ReadPods) is carried out.
    ReadingPods,
    /// [`Plan::Relieve`](crate::Plan::Relieve) is carried out.
    Relieving,
    /// [`Plan::NoCandidate`](crate::Plan::NoCandidate) is told.
    Telling,
    /// [`Plan::Evict`](crate::Plan::Evict) proposes a pod, whose kill has not begun.
    Proposed,
    /// The kill of that pod has begun.
    Killing,
}

impl StageName {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Idle,
        Self::ReadingPods,
        Self::Relieving,
        Self::Telling,
        Self::Proposed,
        Self::Killing,
    ];
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Idle => "idle",
            Self::ReadingPods => "reading pods",
            Self::Relieving => "relieving",
            Self::Telling => "telling",
            Self::Proposed => "proposed",
            Self::Killing => "killing",
        })
    }
}

/// An [`Outcome`], without what it brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeName {
    /// [`Outcome::PodsRead`]
    PodsRead,
    /// [`Outcome::Relieved`]
    Relieved,
    /// [`Outcome::Told`]
    Told,
    /// [`Outcome::Begun`]
    Begun,
    /// [`Outcome::NotBegun`]
    NotBegun,
    /// [`Outcome::Pretended`]
    Pretended,
    /// [`Outcome::Killed`]
    Killed,
    /// [`Outcome::KillFailed`]
    KillFailed,
    /// [`Outcome::CleanedUp`]
    CleanedUp,
}

impl OutcomeName {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::PodsRead,
        Self::Relieved,
        Self::Told,
        Self::Begun,
        Self::NotBegun,
        Self::Pretended,
        Self::Killed,
        Self::KillFailed,
        Self::CleanedUp,
    ];
}

impl From<&Outcome<'_>> for OutcomeName {
    fn from(outcome: &Outcome<'_>) -> Self {
        match outcome {
            Outcome::PodsRead => Self::PodsRead,
            Outcome::Relieved(_) => Self::Relieved,
            Outcome::Told => Self::Told,
            Outcome::Begun => Self::Begun,
            Outcome::NotBegun => Self::NotBegun,
            Outcome::Pretended => Self::Pretended,
            Outcome::Killed => Self::Killed,
            Outcome::KillFailed => Self::KillFailed,
            Outcome::CleanedUp => Self::CleanedUp,
        }
    }
}

impl fmt::Display for OutcomeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::PodsRead => "pods read",
            Self::Relieved => "relieved",
            Self::Told => "told",
            Self::Begun => "begun",
            Self::NotBegun => "not begun",
            Self::Pretended => "pretended",
            Self::Killed => "killed",
            Self::KillFailed => "kill failed",
            Self::CleanedUp => "cleaned up",
        })
    }
}

/// What an outcome means in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The round goes on: with this plan, or it rests.
    GoesOn,
    /// It ends the relief of the disk, which counts as never tried: the rounds went on meanwhile,
    /// and begin it again where it is still needed.
    TooLate,
    /// It cannot happen, because no plan asked for it. It changes nothing and is counted
    /// ([`Evict::never`](crate::Evict::never)).
    Never,
}

/// What an outcome means in a stage. ARCHITECTURE.md shows this table.
#[must_use]
pub const fn reaction(stage: StageName, outcome: OutcomeName) -> Reaction {
    match (stage, outcome) {
        (StageName::ReadingPods, OutcomeName::PodsRead)
        | (StageName::Relieving, OutcomeName::Relieved)
        | (StageName::Telling, OutcomeName::Told)
        | (
            StageName::Proposed,
            OutcomeName::Begun | OutcomeName::NotBegun | OutcomeName::Pretended,
        )
        | (StageName::Killing, OutcomeName::Killed | OutcomeName::KillFailed)
        // What a pod left is awaited beside whatever else goes on.
        | (_, OutcomeName::CleanedUp) => Reaction::GoesOn,
        // A step may take minutes: memory may be short by then, or other settings want none.
        (_, OutcomeName::Relieved) => Reaction::TooLate,
        (_, OutcomeName::PodsRead)
        | (_, OutcomeName::Told)
        | (_, OutcomeName::Begun | OutcomeName::NotBegun | OutcomeName::Pretended)
        | (_, OutcomeName::Killed | OutcomeName::KillFailed) => Reaction::Never,
    }
}
