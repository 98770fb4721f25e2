//! What memory relief is given, and what it decides.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

/// How short memory is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// It is not.
    #[default]
    None,
    /// There is no room yet: nothing begins, and what is set stays.
    Tight,
    /// A soft threshold is met, or a hard one is near.
    Near,
    /// A hard threshold is met: a pod is being evicted for it.
    Hard,
}

/// Something to be done to a pod, which has that place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Ask for so many bytes of it.
    Reclaim {
        /// The pod.
        pod: usize,
        /// How many.
        bytes: u64,
    },
    /// Let it grow no further than this.
    Brake {
        /// The pod.
        pod: usize,
        /// `memory.high`, in bytes.
        high: u64,
        /// How much it gained in a second.
        gained: u64,
    },
}

/// Why a brake is lifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifted {
    /// There is room again.
    Room,
    /// It has been set for as long as it may be.
    Deadline,
    /// The pod reads back what it needs.
    Thrashes,
    /// The pod is gone.
    Gone,
    /// As is known by now, the pod is critical.
    Critical,
    /// evictd ends, or has other settings.
    Ended,
}

impl fmt::Display for Lifted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Room => "there is room again",
            Self::Deadline => "it may last no longer",
            Self::Thrashes => "the pod reads back what it needs",
            Self::Gone => "the pod is gone",
            Self::Critical => "the pod is critical, as is known by now",
            Self::Ended => "it is switched off, or evictd ends",
        })
    }
}

/// The brake of a pod is over. The pod may be gone: it is named by its uid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lift {
    /// The pod.
    pub uid: String,
    /// Why.
    pub why: Lifted,
    /// How long it was set.
    pub after: Duration,
}

/// What is to be done now: first all that is over, then what begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// What is to be undone.
    pub over: Vec<Lift>,
    /// What is to be done.
    pub begun: Vec<Act>,
}
