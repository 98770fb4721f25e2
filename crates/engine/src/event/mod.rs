//! What happens, as records: the log, the history, metrics, the self-test and the tests
//! all read the same ones.

mod eviction_loop;
mod fields;
pub(crate) mod leftovers;
mod name;
mod oom_killed;
mod text;
mod volume;

use core::time::Duration;

use evictd_evict::{NoPod, NodeReclaim, Verdict};
use evictd_node::kill::KillReport;
use evictd_node::{Condition, Filesystem, Layout, Reading, Resource, Signal};
use evictd_state::Record;
use evictd_threshold::Threshold;
use log::Level;

pub use eviction_loop::EvictionLoop;
pub use name::full_name;
pub use oom_killed::OomKilled;
pub use text::summary;
pub use volume::Volume;

use crate::ports::{Collected, Holder, Place};

/// A pod that was chosen, by its names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Victim {
    /// Its namespace; empty where it has none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// How many seconds it may take to end by itself.
    pub grace_seconds: i64,
    /// What ran short; `None` for a limit of its own.
    pub resource: Option<Resource>,
    /// The disk that it was, if any.
    pub disk: Option<Filesystem>,
    /// The restart policy that its container keeps (`always`), where a runtime has one for it.
    pub restart_policy: Option<String>,
    /// A disk ran short, and the containers stay with all that they wrote.
    pub files_stay: bool,
    /// So much they come to, where that is known.
    pub files_bytes: Option<u64>,
    /// The command that would remove the container: `docker rm web`.
    pub removal: Option<String>,
    /// A disk ran short, and this is mounted into its containers and stays.
    pub volume: Option<Volume>,
    /// How often a pod of that name was evicted lately for the same signal, this time
    /// included,
    pub times: u32,
    /// and within how many seconds.
    pub within_seconds: u64,
}

impl Victim {
    const fn again(&self) -> bool {
        self.times > 1
    }
}

/// Why a pod was chosen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// Which pod.
    pub victim: Victim,
    /// What led to it, in one word.
    pub cause: &'static str,
    /// The threshold that was met; `None` for a limit of the pod's own.
    pub threshold: Option<Threshold>,
    /// What was measured of its signal.
    pub reading: Option<Reading>,
    /// The filesystem that its signal is about.
    pub disk: Option<Place>,
    /// How many pods before it were passed over: protected, or not to be killed.
    pub passed_over: usize,
    /// What is kept of it over a restart; in it, the pod's place in the order.
    pub record: Record,
    /// How much of what its signal watches the pod was known to hold, which would be free.
    pub frees: Option<u64>,
    /// Nothing will be done.
    pub dry_run: bool,
}

/// Something that happened. Its text is one log line that can be understood alone: which
/// threshold, which numbers, which filesystem, which pod, and why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A threshold began to be met.
    ThresholdMet {
        /// Which.
        threshold: Threshold,
        /// What was measured of its signal.
        reading: Option<Reading>,
        /// The filesystem that its signal is about.
        disk: Option<Place>,
        /// The last pod was evicted for the same again and again.
        again: bool,
    },
    /// No threshold of the signal is met any more.
    ThresholdCleared {
        /// Which signal.
        signal: Signal,
        /// What was measured of it.
        reading: Option<Reading>,
        /// The last pod was evicted for the same again and again.
        again: bool,
    },
    /// A condition came or went.
    Condition {
        /// Which.
        condition: Condition,
        /// Whether it holds now.
        holds: bool,
    },
    /// How the filesystems lie was found out.
    Layout(Layout),
    /// The node is to give back what it can.
    Reclaiming {
        /// Of what.
        resource: Resource,
        /// In this order.
        calls: &'static [NodeReclaim],
    },
    /// What the node gave back.
    Reclaimed(Collected),
    /// Deleting what dead pods left takes long.
    Deleting {
        /// Files and directories that are gone by now.
        deleted: u64,
    },
    /// A pod was chosen.
    Evicting(Box<Decision>),
    /// A kill could not begin.
    NotBegun {
        /// Of which pod.
        victim: Victim,
        /// Why.
        error: String,
    },
    /// The grace of a pod was cut short.
    GraceCut(Victim),
    /// The container runtime of a pod that it is to end does not answer.
    RuntimeSilent(Victim),
    /// A pod is gone.
    Killed {
        /// Which.
        victim: Victim,
        /// What was done to it.
        report: KillReport,
    },
    /// A pod runs again, as its container runtime had not noted yet that it is to stay
    /// down; what runs is ended at once.
    CameBack {
        /// Which.
        victim: Victim,
        /// How long after it was gone.
        after: Duration,
    },
    /// A pod could not be killed, or not in time.
    Stuck {
        /// Which.
        victim: Victim,
        /// What was done to it, and what is left of it.
        report: KillReport,
    },
    /// A threshold is met and no pod is evicted for it.
    NoCandidate(Box<Verdict>),
    /// Memory is short, no pod is evicted, and of what is no pod, or none that may be evicted,
    /// this holds the most of it.
    Holder(Holder),
    /// A pod comes back after each eviction, or does so no more.
    Loop(EvictionLoop),
    /// The kernel's own OOM killer has struck.
    OomKilled(Box<OomKilled>),
    /// A signal with a threshold can be observed, or not any more.
    Observed {
        /// Which.
        signal: Signal,
        /// Whether it can.
        observed: bool,
    },
    /// A container runtime answers.
    Runtime {
        /// Its name and version.
        version: String,
        /// Its socket.
        endpoint: String,
    },
    /// Something could not be read or done.
    Problem {
        /// What it is about, in one word.
        about: &'static str,
        /// What it is.
        text: String,
    },
    /// Everything can be read again.
    Recovered,
}

impl Event {
    pub(crate) fn problem(about: &'static str, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Problem { about, text }
    }

    /// What kind of event it is: one word for all of a kind, and for ever the same.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.kind().0
    }

    /// How loud it is.
    #[must_use]
    pub fn level(&self) -> Level {
        self.kind().1
    }

    const fn kind(&self) -> (&'static str, Level) {
        match self {
            // Of a pod that something starts anew each time, the eviction and its end are told.
            Self::ThresholdMet { again: true, .. } => ("met", Level::Debug),
            Self::ThresholdMet { .. } => ("met", Level::Warn),
            Self::ThresholdCleared { again: true, .. } => ("cleared", Level::Debug),
            Self::ThresholdCleared { .. } => ("cleared", Level::Info),
            Self::Condition { holds: true, .. } => ("condition", Level::Warn),
            Self::Condition { holds: false, .. } => ("condition", Level::Info),
            Self::Layout(_) => ("layout", Level::Info),
            Self::Reclaiming { .. } => ("reclaiming", Level::Debug),
            Self::Reclaimed(_) => ("reclaimed", Level::Info),
            Self::Deleting { .. } => ("deleting", Level::Info),
            Self::Evicting(decision) if decision.dry_run => ("would_evict", Level::Warn),
            Self::Evicting(_) => ("evicting", Level::Warn),
            Self::NotBegun { .. } => ("kill_refused", Level::Error),
            Self::GraceCut(_) => ("grace_cut", Level::Warn),
            Self::RuntimeSilent(_) => ("runtime_silent", Level::Warn),
            Self::Killed { .. } => ("killed", Level::Info),
            Self::CameBack { .. } => ("came_back", Level::Warn),
            Self::Stuck { .. } => ("stuck", Level::Error),
            // A rehearsal that has come to its end.
            Self::NoCandidate(verdict) => match verdict.next {
                Err(NoPod::Rehearsed | NoPod::RehearsedMost) => ("no_candidate", Level::Info),
                _ => ("no_candidate", Level::Error),
            },
            Self::Holder(_) => ("holder", Level::Error),
            Self::Loop(EvictionLoop { holds: true, .. }) => ("eviction_loop", Level::Warn),
            Self::Loop(_) => ("eviction_loop", Level::Info),
            Self::OomKilled(_) => ("oom_killed", Level::Warn),
            Self::Observed { signal, observed } => match (observed, signal) {
                // Without a limit on the pods' cgroup there is nothing to observe there,
                // and nobody asked for it: the threshold is a copy.
                (true, Signal::AllocatableMemoryAvailable) => ("observed", Level::Debug),
                (false, Signal::AllocatableMemoryAvailable) => ("unobserved", Level::Debug),
                (true, _) => ("observed", Level::Info),
                (false, _) => ("unobserved", Level::Warn),
            },
            Self::Runtime { .. } => ("runtime", Level::Info),
            Self::Problem { .. } => ("problem", Level::Warn),
            Self::Recovered => ("recovered", Level::Info),
        }
    }
}
