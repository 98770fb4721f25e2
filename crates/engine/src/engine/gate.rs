//! What holds an eviction back though a threshold acts: the gates, their waits, their words. When
//! each holds is in `gates.rs` beside.

use core::fmt;
use core::time::Duration;

use super::deciding::SECOND_LOOK;
use crate::picture::SOON;

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
