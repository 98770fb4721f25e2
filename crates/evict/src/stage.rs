use evictd_node::{Mono, Resource};

/// Where the round stands between two plans.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stage {
    Idle,
    /// The pods are being read, so that one can be chosen for this threshold.
    ReadingPods {
        threshold: usize,
    },
    /// The node gives back what it can.
    Reclaiming {
        threshold: usize,
    },
    /// A pod is being killed: for a threshold, or for one of its limits.
    Killing {
        threshold: Option<usize>,
        graceful: bool,
    },
    /// What a killed pod still holds is awaited, until then at most; after that nothing
    /// that was measured before may count against another.
    CleaningUp {
        until: Mono,
        /// What the pod was evicted for; `None` for a limit of its own.
        resource: Option<Resource>,
    },
}

/// A clean-up that goes on beside a round for another resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CleanUp {
    pub(crate) until: Mono,
    pub(crate) resource: Resource,
}

impl Stage {
    /// The same with other thresholds: `place` says where a former one stands now.
    pub(crate) fn rearranged(self, place: impl Fn(usize) -> Option<usize>) -> Self {
        match self {
            Self::Killing {
                threshold,
                graceful,
            } => Self::Killing {
                threshold: threshold.and_then(place),
                graceful,
            },
            // Its outcome is nobody's where nobody wants it any more.
            Self::ReadingPods { threshold } => {
                place(threshold).map_or(Self::Idle, |threshold| Self::ReadingPods { threshold })
            }
            Self::Reclaiming { threshold } => {
                place(threshold).map_or(Self::Idle, |threshold| Self::Reclaiming { threshold })
            }
            stage @ (Self::Idle | Self::CleaningUp { .. }) => stage,
        }
    }
}
