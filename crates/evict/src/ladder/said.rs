//! What the loop says to who climbs the ladder beside it, and when.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::time::Duration;

use evictd_node::{MemoryRung, MemoryRungs, Mono, Readings};
use evictd_threshold::Threshold;

use super::Need;
use super::need::{Filling, stalls};

/// How often it is said anew while memory is short: as often as pods are looked at.
const EVERY: Duration = Duration::from_millis(900);

/// So long is believed what the loop said.
const BELIEVED: Duration = Duration::from_secs(5);

/// What the loop says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// As of then.
    pub at: Mono,
    /// How short memory is.
    pub need: Need,
    /// Time is lost waiting for memory, and that matters (`--start-storm`).
    pub stalls: bool,
    /// Which rungs there may be.
    pub allowed: MemoryRungs,
    /// The pod that is being evicted.
    pub ending: Option<String>,
}

impl Said {
    /// How short memory is as far as is known now: of a loop that stands still nobody knows.
    #[must_use]
    pub fn need_at(&self, now: Mono) -> Need {
        if self.is_old(now) {
            Need::None
        } else {
            self.need
        }
    }

    /// The same of lost time.
    #[must_use]
    pub fn stalls_at(&self, now: Mono) -> bool {
        self.stalls && !self.is_old(now)
    }

    fn is_old(&self, now: Mono) -> bool {
        now.since(self.at) >= BELIEVED
    }

    fn wants_nothing(&self) -> bool {
        self.need == Need::None && !self.stalls
    }
}

/// What the loop knows.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The thresholds,
    pub thresholds: &'a [Threshold],
    /// and what they are held against.
    pub readings: &'a Readings,
    /// Whether those who describe pods were not heard yet: a critical one may look like any
    /// other, so that nothing begins.
    pub awaits_picture: bool,
    /// The pod that is being evicted.
    pub ending: Option<&'a str>,
    /// Whether anything is set.
    pub holds_any: bool,
}

/// Finds out what is to be said.
#[derive(Debug, Default)]
pub struct Saying {
    filling: Filling,
    last: Option<Said>,
}

impl Saying {
    /// What is to be said now, if anything is.
    pub fn next(&mut self, now: Mono, allowed: MemoryRungs, known: &Known<'_>) -> Option<Said> {
        let need = self.need(now, allowed, known);
        let stalls = allowed.has(MemoryRung::StartStorm)
            && !known.awaits_picture
            && stalls(known.thresholds, known.readings);
        let wants_nothing = need == Need::None && !stalls;
        let last = self.last.as_ref();
        let is_idle = last.is_none_or(Said::wants_nothing) && !known.holds_any;
        let is_due = if is_idle {
            need == Need::Near || stalls
        } else {
            last.is_none_or(|last| {
                let is_soon = wants_nothing || now.since(last.at) < EVERY;
                let is_same = (last.need, last.stalls, last.allowed) == (need, stalls, allowed)
                    && last.ending.as_deref() == known.ending;
                !(is_same && is_soon)
            })
        };
        is_due.then(|| Said {
            at: now,
            need,
            stalls,
            allowed,
            ending: known.ending.map(ToOwned::to_owned),
        })
    }

    /// It was said.
    pub fn note(&mut self, said: Said) {
        self.last = Some(said);
    }

    fn need(&mut self, now: Mono, allowed: MemoryRungs, known: &Known<'_>) -> Need {
        if allowed.is_none() {
            return Need::None;
        }
        let need = self.filling.need(now, (known.thresholds, known.readings));
        let need = if need == Need::Near && known.awaits_picture {
            Need::Tight
        } else {
            need
        };
        // Where nothing is set, nothing is looked at for want of room alone.
        if need == Need::Tight && !known.holds_any {
            Need::None
        } else {
            need
        }
    }
}
