//! What the machine takes along over a restart or a reload.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use evictd_node::{Condition, Layout, Mono};
use evictd_quantity::GoDuration;

use crate::observe::Watch;

/// What a machine knows that no new observation can tell it: since when its
/// thresholds are met, and when its conditions were last observed.
///
/// The minimum reclaim of a threshold that was met is not part of it: after a
/// restart a threshold counts as left once it is not met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvictState {
    /// How the filesystems lay: it tells which thresholds are derived.
    pub layout: Option<Layout>,
    /// Since when which thresholds are met.
    pub first_met: Vec<FirstMet>,
    /// When each condition was last observed, in the order of [`Condition::ALL`].
    pub last_observed: [Option<Mono>; Condition::ALL.len()],
}

/// Since when a threshold is met. It is known by its text and its grace, because
/// its place in the list may change with the flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMet {
    /// The threshold as it prints: `state.available<100Mi`.
    pub threshold: String,
    /// Its grace period; zero for a hard one.
    pub grace: GoDuration,
    /// Since when.
    pub at: Mono,
}

impl Watch {
    pub(crate) fn state(&self) -> EvictState {
        let first_met = self.met_thresholds().map(|met| FirstMet {
            threshold: met.threshold.to_string(),
            grace: met.threshold.grace,
            at: met.since,
        });
        EvictState {
            layout: self.layout,
            first_met: first_met.collect(),
            last_observed: Condition::ALL.map(|c| self.pressure.last_observed(c)),
        }
    }

    /// Takes it over. A time after `now` counts as `now`, so that nothing is held
    /// longer than from here.
    pub(crate) fn restore(&mut self, now: Mono, state: &EvictState) {
        for (condition, at) in Condition::ALL.into_iter().zip(state.last_observed) {
            if let Some(at) = at {
                self.pressure.restore(condition, at.min(now));
            }
        }
        for watched in &mut self.thresholds {
            let threshold = &watched.threshold;
            if threshold.is_hard() {
                continue; // no grace runs: the first observation decides
            }
            let text = threshold.to_string();
            let same = |of: &&FirstMet| of.grace == threshold.grace && of.threshold == text;
            if let Some(of) = state.first_met.iter().find(same) {
                watched.first_met = Some(of.at.min(now));
                watched.is_unconfirmed = true;
            }
        }
    }
}
