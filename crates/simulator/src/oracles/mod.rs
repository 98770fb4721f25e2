//! What must never happen, whatever does: short predicates, written from the documents
//! (docs/how-it-decides.md, docs/decisions.md) and not from the code that they judge.

mod case;
mod checks;
mod kill;
mod last;
mod liveness;

use core::time::Duration;

use evictd_engine::Event;
use evictd_evict::Evict;
use evictd_node::{ConditionSet, Mono, Resource};
use evictd_state::State;

use crate::violation::Violation;
use crate::world::World;

/// What oracles keep between two looks.
#[derive(Debug, Default)]
pub(crate) struct Oracles {
    /// The last eviction for each signal that was carried out, by this process: when, what was left,
    /// what the pod was known to hold.
    last: last::Lasts,
    /// How many evictions there were, of late.
    of_late: Vec<Mono>,
    /// Settings were changed then.
    reloaded: Option<Mono>,
    /// A threshold was met then, for the last time.
    met_at: Option<Mono>,
}

/// More evictions within a minute than that are a run away loop, whatever the reason.
const MOST_A_MINUTE: usize = 60;

/// Two rounds of the longest interval.
const ROUNDS: Duration = Duration::from_secs(60);

impl Oracles {
    pub(crate) fn reloaded(&mut self, now: Mono) {
        self.reloaded = Some(now);
        self.last.clear();
    }

    pub(crate) fn restarted(&mut self, _now: Mono, _state: &State) {
        self.last.clear();
        self.reloaded = None;
    }

    /// Judges an event, with the kill that it tells of.
    pub(crate) fn judge(&mut self, world: &mut World, event: &Event) {
        // Nothing is learned of a kill that was not done.
        if let Event::NotBegun { victim, .. } | Event::Stuck { victim, .. } = event {
            self.last.retain(|(_, last)| last.uid != victim.uid);
        }
        let Event::Evicting(decision) = event else {
            return;
        };
        if world.strikes.is_empty() {
            let text = format!("{} is told and was not begun", decision.victim.uid);
            let found = Violation::new("told", world.now, text);
            world.violations.push(found);
            return;
        }
        let strike = world.strikes.remove(0);
        let found = kill::judge(&mut self.last, world, &strike, decision);
        world.violations.extend(found);
        let signal = decision.threshold.as_ref().map(|of| of.signal);
        if signal.is_some_and(|signal| signal.resource() == Resource::Memory) {
            world.memory.elsewhere_at_kill = world.memory_elsewhere();
        }
        world.most_held.retain(|(of, _)| Some(*of) != signal);
        self.of_late.push(strike.at);
        self.of_late
            .retain(|at| strike.at.since(*at) < Duration::from_secs(60));
        if self.of_late.len() > MOST_A_MINUTE {
            let text = format!("{} evictions in a minute", self.of_late.len());
            let found = Violation::new("too-many", world.now, text);
            world.violations.push(found);
        }
    }

    /// Judges the world after a turn.
    pub(crate) fn after_turn(&mut self, world: &mut World, evict: &Evict) {
        if evict.met().next().is_some() {
            self.met_at = Some(world.now);
        }
        if let Some(strike) = world.strikes.first() {
            let text = format!("{} is being ended and nobody was told", strike.uid);
            world
                .violations
                .push(Violation::new("told", world.now, text));
        }
    }

    /// Judges how it ended, long after the last fault.
    pub(crate) fn at_the_end(&self, world: &mut World, evict: &Evict, transition: Duration) {
        if let Some(text) = liveness::unrelieved(world, evict) {
            world
                .violations
                .push(Violation::new("unrelieved", world.now, text));
        }
        let held: ConditionSet = evict.conditions();
        let lately = transition + ROUNDS;
        let is_short = self.met_at.is_some_and(|at| world.now.since(at) < lately);
        if !is_short && !held.is_empty() {
            let text = format!("{held:?} holds, and nothing is short for {lately:?}");
            world
                .violations
                .push(Violation::new("conditions", world.now, text));
        }
    }
}
