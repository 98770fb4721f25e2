//! What the loop says to the helper that relieves memory beside it, and when.

use core::time::Duration;

use evictd_node::{Mono, Readings};

use super::Need;
use super::need::Filling;
use crate::Thresholds;

/// How often it is said anew while memory is short: as often as pods are looked at.
const EVERY: Duration = Duration::from_millis(900);

/// So long is believed what the loop said.
const BELIEVED: Duration = Duration::from_secs(5);

/// What the loop says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// As of then.
    pub at: Mono,
    /// How short memory is.
    pub need: Need,
    /// Whether relief is on.
    pub is_on: bool,
}

impl Said {
    /// How short memory is as far as is known now: of a loop that stands still nobody knows.
    #[must_use]
    pub fn need_at(&self, now: Mono) -> Need {
        let is_old = now.since(self.at) >= BELIEVED;
        if is_old { Need::None } else { self.need }
    }

    fn wants_nothing(&self) -> bool {
        self.need == Need::None
    }
}

/// What the loop knows.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    /// The thresholds,
    pub thresholds: Thresholds<'a>,
    /// and what they are held against.
    pub readings: &'a Readings,
    /// Whether those who describe pods were not heard yet: a critical one may look like any
    /// other, so that nothing begins.
    pub awaits_picture: bool,
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
    pub fn next(&mut self, now: Mono, is_on: bool, known: &Known<'_>) -> Option<Said> {
        let need = self.need(now, is_on, known);
        let last = self.last.as_ref();
        let is_idle = last.is_none_or(Said::wants_nothing) && !known.holds_any;
        let is_due = if is_idle {
            need == Need::Near
        } else {
            last.is_none_or(|last| {
                let is_soon = need == Need::None || now.since(last.at) < EVERY;
                let is_same = (last.need, last.is_on) == (need, is_on);
                !(is_same && is_soon)
            })
        };
        is_due.then_some(Said {
            at: now,
            need,
            is_on,
        })
    }

    /// It was said.
    pub fn note(&mut self, said: Said) {
        self.last = Some(said);
    }

    fn need(&mut self, now: Mono, is_on: bool, known: &Known<'_>) -> Need {
        if !is_on {
            return Need::None;
        }
        let need = self
            .filling
            .need(now, known.thresholds.clone(), known.readings);
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
