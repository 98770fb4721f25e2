use alloc::string::String;
use core::fmt;

use evictd_node::Mono;
use smallvec::SmallVec;

use crate::rehearsal::Rehearsal;

/// More pods than that are hardly ever tried in a round.
const FEW: usize = 2;

/// The pods that are not chosen now, by their uids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skipped {
    /// Those that were tried in this round.
    tried: SmallVec<[String; FEW]>,
    /// Those that could not be killed, and until when.
    stuck: SmallVec<[(String, Mono); FEW]>,
    /// Those that a dry run has evicted so far.
    pub(crate) rehearsal: Rehearsal,
}

impl Skipped {
    pub(crate) fn begin_round(&mut self, now: Mono) {
        self.tried.clear();
        self.try_again(now);
    }

    /// Those that were left alone long enough may be chosen again.
    pub(crate) fn try_again(&mut self, now: Mono) {
        self.stuck.retain(|(_, until)| now < *until);
    }

    pub(crate) fn has_tried(&mut self, uid: &str) {
        self.tried.push(uid.into());
    }

    pub(crate) fn is_stuck_until(&mut self, uid: &str, until: Mono) {
        self.stuck.push((uid.into(), until));
    }

    pub(crate) fn is_stuck(&self, uid: &str) -> bool {
        self.stuck.iter().any(|(stuck, _)| stuck == uid)
    }

    pub(crate) fn has(&self, uid: &str) -> bool {
        self.tried.iter().any(|tried| tried == uid) || self.is_stuck(uid) || self.rehearsal.has(uid)
    }
}

/// Why a pod is not the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skip {
    /// It is protected, or critical: by what.
    Protected(&'static str),
    /// It could not be killed a while ago.
    Stuck,
    /// It was evicted in this round.
    Tried,
    /// This dry run has named it.
    Rehearsed,
    /// Its eviction would give back next to nothing of what is short.
    NotWorthIt,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Protected(by) => by,
            Self::Stuck => "could not be killed",
            Self::Tried => "tried in this round",
            Self::Rehearsed => "named by this dry run",
            Self::NotWorthIt => "its eviction would give back next to nothing",
        })
    }
}
