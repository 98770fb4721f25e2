//! A run: evictd's engine in a world, turn by turn, with SIGKILL, restarts and reloads.

use alloc::rc::Rc;
use core::time::Duration;

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use evictd_engine::{Engine, Event};
use evictd_node::Mono;
use evictd_state::{self as state, Outcome, State};

use crate::coverage::Coverage;
use crate::feature::Feature;
use crate::on_disk::OnDisk;
use crate::oracles;
use crate::plan::Plan;
use crate::ports::{Shared, WorldNode, WorldPods, WorldReclaim, say};
use crate::random::Random;
use crate::recorded::Recorder;
use crate::story::{Report, Watched};
use crate::thresholds::{relieves, settings};
use crate::violation::Violation;
use crate::world::{World, seconds, wall_clock};

type Sim = Engine<WorldNode, WorldPods, WorldReclaim>;

/// How long it goes on once chaos is over: more than the longest rest, wait and transition.
const CALM: Duration = Duration::from_secs(240);

/// More turns than that without an end are a loop that spins.
const MOST_TURNS: u64 = 400_000;

/// A loop that is that late has stood still.
const STANDSTILL: Duration = Duration::from_secs(1);

/// One boot, all the time.
const BOOT: &str = "world";

/// Runs a plan to its end. With `tells` its story is kept.
#[must_use]
pub fn run(plan: &Plan, tells: bool) -> Report {
    let report = catch_unwind(AssertUnwindSafe(|| run_to_the_end(plan, tells)));
    report.unwrap_or_else(|_| Report::of_no_world(plan, "panic", "something panicked"))
}

fn run_to_the_end(plan: &Plan, tells: bool) -> Report {
    let mut run = Run::new(plan, tells);
    let mut turns = 0;
    while run.goes_on() {
        turns += 1;
        if turns > MOST_TURNS {
            run.violates("spins", format!("{MOST_TURNS} turns"));
            break;
        }
        run.turn();
    }
    run.end(turns)
}

/// Runs a plan to its end, and returns all that can be seen of it.
#[must_use]
pub fn watch(plan: &Plan) -> Option<Watched> {
    let mut run = Run::new(plan, true);
    let mut recorder = Recorder::new(plan, &run.world)?;
    let mut held = Vec::new();
    let mut turns = 0;
    while run.goes_on() && turns < MOST_TURNS {
        turns += 1;
        if recorder.look() {
            held.push(run.engine.evict().conditions());
        }
        run.turn();
    }
    Some(Watched {
        recording: recorder.lines,
        held,
        report: run.end(turns),
    })
}

struct Run {
    plan: Plan,
    world: Shared,
    engine: Sim,
    random: Random,
    /// What evictd keeps, as it knows it, and as it is on the disk.
    state: State,
    on_disk: OnDisk,
    reloads: u64,
    /// When the last turn was, and what the wall clock said.
    turned: (Mono, u64),
    ends: Mono,
    coverage: Coverage,
    evictions: Vec<(Mono, String)>,
    /// When the operator or chaos strikes next.
    strikes_at: Mono,
    oracles: oracles::Oracles,
}

fn engine(world: &Shared, plan: &Plan, reloads: u64) -> Sim {
    let ports = (
        WorldNode(Rc::clone(world)),
        WorldPods::new(Rc::clone(world)),
        WorldReclaim::new(Rc::clone(world)),
    );
    let settings = settings(plan, reloads);
    world.borrow_mut().evictd_begins();
    world.borrow_mut().relieve(relieves(plan, reloads));
    world
        .borrow_mut()
        .take_thresholds(&settings.evict.thresholds);
    Engine::new(settings, ports)
}

impl Run {
    fn new(plan: &Plan, tells: bool) -> Self {
        let world = Rc::new(core::cell::RefCell::new(World::new(plan, tells)));
        let mut random = Random::new(plan.seed, 6);
        let chaos_ends = world.borrow().chaos_ends;
        let engine = engine(&world, plan, 0);
        let state = State {
            boot_id: BOOT.into(),
            ..State::default()
        };
        let strikes_at = Mono::from_millis(random.within(100, 30_000));
        Self {
            plan: plan.clone(),
            world,
            engine,
            random,
            on_disk: OnDisk::default(),
            state,
            reloads: 0,
            turned: (Mono::ZERO, wall_clock()),
            ends: chaos_ends + CALM,
            coverage: Coverage::default(),
            evictions: Vec::new(),
            strikes_at,
            oracles: oracles::Oracles::default(),
        }
    }

    fn goes_on(&self) -> bool {
        let world = self.world.borrow();
        world.violations.is_empty() && world.now < self.ends
    }

    fn violates(&self, oracle: &'static str, text: String) {
        let world = &mut *self.world.borrow_mut();
        let violation = Violation::new(oracle, world.now, text);
        world.violations.push(violation);
    }

    fn now(&self) -> Mono {
        self.world.borrow().now
    }

    fn turn(&mut self) {
        let now = self.now();
        self.engine.run_due(now);
        say(self.now(), &self.engine, &self.world);
        self.take_events();
        self.turned = (self.now(), wall_clock());
        self.keep();
        let evict = self.engine.evict();
        self.oracles.after_turn(&mut self.world.borrow_mut(), evict);
        let wake = self.engine.wake_at(self.now());
        self.sleep(wake);
        self.meddle();
    }

    /// Until the engine wants to wake, or something wakes it.
    fn sleep(&mut self, wake: Mono) {
        let world = &mut *self.world.borrow_mut();
        (world.stalled, world.given.is_late) = (false, false);
        let wanted = wake;
        let news = world.wakes_at().filter(|at| *at > world.now);
        let wake = news.map_or(wake, |at| at.min(wake));
        let wake = wake.min(self.ends).min(self.strikes_at.max(world.now));
        // It takes at least as long as a system call.
        let mut wake = wake.max(world.now + Duration::from_micros(50));
        if world.now_and_then(Feature::LateLoop, 0, 40) {
            let late = world.dice(Feature::LateLoop, 1).within(1, 4000);
            let late = Duration::from_millis(late);
            world.tell(|| format!("the loop wakes {late:?} late"));
            wake = wake + late;
            world.given.is_late = true;
            if wake.since(wanted.max(world.now)) >= STANDSTILL {
                world.given.stood_still_until = Some(wake);
            }
            self.coverage.late_wakes += 1;
        }
        world.advance(wake);
        world.upset_clocks();
        let now = world.now;
        world.turn_began = now;
        world.given.trim(now);
    }

    fn take_events(&mut self) {
        let events: Vec<(Mono, Event)> = self.engine.take_events().collect();
        for (_, event) in events {
            self.coverage.note(&event);
            let world = &mut *self.world.borrow_mut();
            if world.tells && event.level() <= log::Level::Debug {
                let line = format!("{:>12.3} evictd {event}", seconds(world.now));
                world.story.push(line);
            }
            self.oracles.judge(world, &event);
            if let Event::Evicting(decision) = &event {
                self.state.push(decision.record.clone());
                let victim = decision.victim.to_string();
                self.evictions.push((world.now, victim));
            } else if let Event::Killed { victim, .. } = &event {
                self.state.end(&victim.uid, Outcome::Killed, "", None);
            } else if let Event::Stuck { victim, .. } | Event::NotBegun { victim, .. } = &event {
                self.state.end(&victim.uid, Outcome::Stuck, "", None);
            }
        }
    }

    /// The state is written after each turn; what was there before stays beside it.
    fn keep(&mut self) {
        let kills = self.plan.features.has(Feature::Sigkill);
        if !kills || self.now() + Duration::from_secs(1) < self.strikes_at {
            return; // nobody will read it
        }
        self.write();
    }

    /// As it was after the last turn.
    fn write(&mut self) {
        let (now, wall) = self.turned;
        self.state.update(now, wall, self.engine.evict());
        let describing = &self.world.borrow().describing;
        let known = describing.remembered.protected();
        self.state.protected.clone_from(known);
        let text = state::to_json(&self.state);
        self.on_disk.write(text, &describing.shown);
    }

    /// Operators, and who kills evictd.
    fn meddle(&mut self) {
        let now = self.now();
        if now < self.strikes_at {
            return;
        }
        self.strikes_at = now + Duration::from_millis(self.random.within(100, 40_000));
        // Another time may have become due meanwhile.
        self.world.borrow_mut().given.stood_still_until = None;
        if self.world.borrow().is_calm() {
            self.strikes_at = self.ends;
            self.engine.guard(true); // so that memory is looked at more seldom
            return;
        }
        let has = |feature| self.plan.features.has(feature);
        if has(Feature::Guard) {
            let guarded = self.random.one_in(2);
            self.engine.guard(guarded);
        }
        self.world.borrow_mut().update();
        if has(Feature::Reload) && self.random.one_in(3) {
            self.reloads += 1;
            let new = settings(&self.plan, self.reloads);
            let mut world = self.world.borrow_mut();
            world.take_thresholds(&new.evict.thresholds);
            world.relieve(relieves(&self.plan, self.reloads));
            drop(world);
            self.engine.reconfigure(new);
            self.coverage.reloads += 1;
            self.oracles.reloaded(now);
        } else if has(Feature::Sigkill) && self.random.one_in(2) {
            self.sigkill();
        }
    }

    /// evictd is killed, and started again later by what it left.
    fn sigkill(&mut self) {
        self.coverage.restarts += 1;
        if self.plan.features.has(Feature::ClockSteps) {
            self.write(); // what it says of conditions is judged
        }
        let away = Duration::from_millis(self.random.within(10, 20_000));
        {
            let world = &mut *self.world.borrow_mut();
            world.tell(|| format!("SIGKILL of evictd; it starts again after {away:?}"));
            if relieves(&self.plan, 0) && self.random.one_in(4) {
                world.reliever_ends(); // it ends by itself
                world.judge_left_set();
            }
            world.reliever_dies();
            let back = world.now + away;
            world.advance(back);
            world.upset_clocks();
        }
        let features = self.plan.features;
        let (text, spared) = self.on_disk.read(features, &mut self.random);
        self.state = state::parse(text.as_bytes()).unwrap_or_else(|_| State {
            boot_id: BOOT.into(),
            ..State::default()
        });
        self.engine = engine(&self.world, &self.plan, self.reloads);
        let now = self.now();
        let transition = settings(&self.plan, self.reloads).evict.transition_period;
        self.state.rebase(BOOT, now, wall_clock(), transition);
        self.engine
            .restore(now, &self.state.evict_state(now), self.state.returns());
        let held = self.state.held_on(now, transition);
        self.engine.hold_on(held);
        let mut world = self.world.borrow_mut();
        world.restore_protected(&self.state.protected, spared);
        world.fill_to_the_brim();
        self.oracles.restarted(&mut world, held, transition);
    }

    fn end(mut self, turns: u64) -> Report {
        if self.world.borrow().violations.is_empty() {
            let transition = settings(&self.plan, self.reloads).evict.transition_period;
            let (world, evict) = (&mut self.world.borrow_mut(), self.engine.evict());
            self.oracles.at_the_end(world, evict, transition);
            world.reliever_ends();
            world.judge_left_set();
        }
        let world = &mut *self.world.borrow_mut();
        self.coverage.turns = turns;
        self.coverage.oom_strikes = world.oom_strikes;
        self.coverage.note_relief(world.reliever.climbed);
        self.coverage.count("clocks upset", world.clocks.upset);
        self.coverage.count("updates", world.updated);
        Report {
            plan: self.plan.clone(),
            violation: world.violations.first().cloned(),
            story: core::mem::take(&mut world.story),
            coverage: self.coverage.clone(),
            evictions: core::mem::take(&mut self.evictions),
        }
    }
}
