//! A condition outlasts a restart, whatever the wall clock says meanwhile.

use core::time::Duration;

use evictd_evict::Evict;
use evictd_node::{Condition, ConditionSet, Mono};

use crate::feature::Feature;
use crate::violation::Violation;
use crate::world::World;

/// When each condition was observed last, with the time of the last turn.
#[derive(Debug, Default)]
pub(super) struct Observed {
    at: [Option<Mono>; Condition::ALL.len()],
    /// So many rounds there had been.
    rounds: u64,
}

impl Observed {
    pub(super) fn note(&mut self, world: &World, evict: &Evict) {
        if !world.plan.features.has(Feature::ClockSteps) {
            return;
        }
        // Between two rounds nothing is observed.
        let rounds = core::mem::replace(&mut self.rounds, world.given.rounds);
        if rounds == world.given.rounds {
            return;
        }
        let held = evict.conditions();
        // What cannot be read is met on, and not observed.
        let last = world.given.looks.last();
        let was_read = |signal| last.is_some_and(|(_, seen)| seen.get(signal).is_some());
        for (condition, at) in Condition::ALL.into_iter().zip(&mut self.at) {
            let mut met = evict.met().map(|met| met.threshold.signal);
            let is_met = met.any(|signal| signal.condition() == condition && was_read(signal));
            if is_met && held.has(condition) {
                *at = Some(world.now);
            }
        }
    }

    /// A new evictd holds these conditions on, by a state that is whole.
    pub(super) fn judge(&self, world: &mut World, held: ConditionSet, transition: Duration) {
        let has = |feature| world.plan.features.has(feature);
        if has(Feature::TornState) || has(Feature::OldState) || !has(Feature::ClockSteps) {
            return;
        }
        let now = world.now;
        for (condition, at) in Condition::ALL.into_iter().zip(self.at) {
            let ago = at.map(|at| now.since(at));
            // A turn takes its time.
            let is_held = ago.is_some_and(|ago| ago + Duration::from_secs(5) < transition);
            if is_held && !held.has(condition) {
                let text = format!("{condition:?} was observed {ago:?} ago and is not held on");
                world
                    .violations
                    .push(Violation::new("condition-lost", now, text));
            }
        }
    }
}
