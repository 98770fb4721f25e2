//! What must never happen, whatever does: short predicates, written from the documents
//! (docs/how-it-decides.md, docs/dev/decisions.md) and not from the code that they judge.

mod brink;
mod case;
mod checks;
mod conditions;
mod down;
mod kill;
mod last;
mod limits;
mod liveness;
mod standstill;
mod unread;
mod watched;

use core::time::Duration;

use evictd_engine::Event;
use evictd_evict::Evict;
use evictd_node::{ConditionSet, Mono, Resource};
use evictd_threshold::Threshold;

use crate::violation::Violation;
use crate::world::World;
use crate::world::pod::Life;

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
    /// What acted after the last turn.
    due: Vec<Threshold>,
    /// How many rounds there had been by then.
    rounds: u64,
    /// A hard threshold is met since that round, beside a pod that has its grace.
    hard_since: Option<u64>,
    /// A threshold was met then, for the last time.
    met_at: Option<Mono>,
    /// What nobody is evicted for held so much memory after the last turn.
    elsewhere: u64,
    /// When memory is to be looked at.
    watching: watched::Watching,
    /// Who is to be down before the next goes for a disk.
    down: down::Down,
    /// Since when the kernel's killer is near.
    brink: brink::Brink,
    /// Who is above a limit of its own.
    above: limits::Above,
    /// When each condition was observed last.
    observed: conditions::Observed,
}

/// More evictions within a minute than that are a run away loop, whatever the reason.
const MOST_A_MINUTE: usize = 60;

/// Twenty milliseconds, beside loops that wake late and turns that take long.
const ENDED_AGAIN: Duration = Duration::from_secs(10);

/// One round sees it, the next is sure after a restart or a reload.
const ROUNDS_TO_END_GRACE: u64 = 3;

/// Two rounds of the longest interval.
const ROUNDS: Duration = Duration::from_secs(60);

impl Oracles {
    pub(crate) fn reloaded(&mut self, now: Mono) {
        self.due.clear();
        self.reloaded = Some(now);
        self.last.clear();
    }

    /// `held` are the conditions that it holds on.
    pub(crate) fn restarted(
        &mut self,
        world: &mut World,
        held: ConditionSet,
        transition: Duration,
    ) {
        self.observed.judge(world, held, transition);
        self.due.clear();
        self.last.clear();
        self.reloaded = None;
        self.watching.restarted();
        self.down.restarted();
        self.above = limits::Above::default();
    }

    /// Judges an event, with the kill that it tells of.
    pub(crate) fn judge(&mut self, world: &mut World, event: &Event) {
        // Nothing is learned of a kill that was not done.
        if let Event::NotBegun { victim, .. } | Event::Stuck { victim, .. } = event {
            self.last.retain(|(_, last)| last.uid != victim.uid);
        }
        self.down.judge(world, event);
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
        let mut met = evict.met().map(|met| met.threshold.signal.resource());
        let held = world.memory_elsewhere();
        // What ended since the last look was still there by it.
        let before = core::mem::replace(&mut self.elsewhere, held);
        if evict.knows_plenty() && !met.any(|of| of == Resource::Memory) {
            let most = world.memory.elsewhere_in_plenty;
            world.memory.elsewhere_in_plenty = most.max(Some(held.max(before)));
        }
        self.judge_left(world, evict);
        self.judge_returned(world);
        self.judge_grace(world, evict);
        self.watching.judge(world, evict);
        self.brink.judge(world, evict, self.of_late.last().copied());
        world.judge_told();
        world.judge_knobs();
        self.above.judge(world);
        self.observed.note(world, evict);
        if let Some(strike) = world.strikes.first() {
            let text = format!("{} is being ended and nobody was told", strike.uid);
            world
                .violations
                .push(Violation::new("told", world.now, text));
        }
    }

    /// A threshold that acts does so until its minimum reclaim is reached.
    fn judge_left(&mut self, world: &mut World, evict: &Evict) {
        let now = world.now;
        let due: Vec<Threshold> = evict.due().cloned().collect();
        let last = world.given.looks.last();
        let round = last.filter(|(at, _)| !world.given.beside.contains(at));
        let left = self.due.iter().find(|former| {
            let reading = round.and_then(|(_, readings)| readings.get(former.signal));
            !due.contains(former) && reading.is_some_and(|reading| former.is_unreclaimed(&reading))
        });
        // Of a turn that took long, or had two rounds, the last look is not all that there was.
        let rounds = core::mem::replace(&mut self.rounds, world.given.rounds);
        let is_one = world.given.rounds == rounds + 1 && !world.stalled;
        let is_clear = is_one && self.reloaded != Some(now);
        if let Some(left) = left.filter(|_| is_clear) {
            let text = format!("{left} acts no more, and its minimum reclaim is not reached");
            world
                .violations
                .push(Violation::new("left-early", now, text));
        }
        self.due = due;
    }

    /// What a runtime starts again of a pod that was evicted is ended again at once.
    fn judge_returned(&self, world: &mut World) {
        let now = world.now;
        let mut late = Vec::new();
        for (uid, at) in &world.kills.returned {
            let pod = world.pods.iter().find(|pod| pod.uid == *uid);
            let runs = pod.is_some_and(|pod| pod.life == Life::Runs);
            // Before evictd saw that it was gone, it has what is left of its grace.
            let is_ending = world.in_flight.as_ref() == Some(uid);
            if runs && !is_ending && now.since(*at) > ENDED_AGAIN {
                late.push(format!("{uid} runs again since {at}"));
            }
        }
        let found = late.into_iter();
        let found = found.map(|text| Violation::new("stays-down", now, text));
        world.violations.extend(found);
    }

    /// A hard threshold cuts the grace that a soft one gave.
    fn judge_grace(&mut self, world: &mut World, evict: &Evict) {
        let rounds = world.given.rounds;
        let last = world.given.looks.last();
        let of_memory = |of: &Threshold| of.is_hard() && of.signal.resource() == Resource::Memory;
        let mut hard = evict.thresholds().filter(|of| of_memory(of));
        let is_met = last.is_some_and(|(_, readings)| {
            hard.any(|of| readings.get(of.signal).is_some_and(|now| of.is_met(&now)))
        });
        if !is_met || world.kills.graceful.is_none() || self.reloaded == Some(world.now) {
            self.hard_since = None;
            return;
        }
        let since = *self.hard_since.get_or_insert(rounds);
        if rounds > since + ROUNDS_TO_END_GRACE {
            let text = "a hard threshold is met, and the victim has its grace".into();
            let found = Violation::new("grace-cut", world.now, text);
            world.violations.push(found);
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
