//! A kill completely, as the loop drives it: whatever the pod, its runtime and memory do, in
//! all combinations of when.

use core::time::Duration;

use evictd_threshold::{Lists, parse};

use super::script::*;
use crate::event::Victim;
use crate::fake::{FakePod, FakePods};
use crate::ports::News;
use crate::{Event, Settings};

/// The kill begins then, in milliseconds, and has so much grace.
const BEGINS: u64 = 1000;
const GRACE: u64 = 4000;

/// As long as the loop may take to see that memory runs short.
const SEEN: u64 = 200;

/// What its container runtime, if it has one, says of it a second after it was to ask it to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runtime {
    None,
    Begins,
    Fails,
    Silent,
}

/// A world, in milliseconds since the kill began.
#[derive(Clone, Copy, Debug)]
struct World {
    runtime: Runtime,
    /// How long after SIGTERM it ends.
    ends_after: Option<u64>,
    /// How long after SIGKILL it is gone.
    dies_after: Option<u64>,
    /// When a hard threshold is met.
    hard: Option<u64>,
    /// Memory goes on running out after SIGKILL.
    falls: bool,
}

impl World {
    /// When it has ended by itself, where SIGTERM is sent from here: nobody is asked any more
    /// who was sent SIGKILL.
    fn ends(&self, killed: u64) -> Option<u64> {
        let heard = match self.runtime {
            Runtime::None => Some(0),
            Runtime::Begins => None,
            Runtime::Fails => Some(1000),
            Runtime::Silent => (BEGINS + 2000 < killed).then_some(2000),
        };
        Some(BEGINS + heard?.max(self.ends_after?))
    }

    /// When it is gone, which is sent SIGKILL then.
    fn gone(&self, killed: u64) -> Option<u64> {
        let dies = self.dies_after.map(|after| killed + after);
        self.ends(killed).into_iter().chain(dies).min()
    }
}

fn settings() -> Settings {
    let lists = Lists {
        hard: "memory.available<100Mi",
        soft: "memory.available<200Mi",
        soft_grace_period: "memory.available=1s",
        ..Lists::default()
    };
    let mut settings = Settings::default();
    settings.evict.thresholds = parse(&lists).unwrap();
    settings.evict.max_pod_grace_seconds = 60;
    settings
}

fn pods(world: &World) -> FakePods {
    let mut victim = FakePod::new("victim", 700 << 20);
    victim.pod.spec.termination_grace_period_seconds = Some(4);
    victim.ends_after = world.ends_after.map(Duration::from_millis);
    victim.dies_after = world.dies_after.map(Duration::from_millis);
    let mut next = FakePod::new("next", 600 << 20);
    next.pod.spec.priority = Some(1);
    let mut pods = FakePods::of([victim, next]);
    pods.has_runtime = world.runtime != Runtime::None;
    pods
}

/// What was told, and when.
#[derive(Debug, Default)]
struct Told {
    cut: Option<u64>,
    gone: Option<u64>,
    stuck: Option<u64>,
    /// The next pod is being killed.
    next: Option<u64>,
}

fn live(world: &World) -> Told {
    let mut engine = engine(settings(), pods(world));
    let mut told = Told::default();
    let mut now = 0;
    let says_at = BEGINS + 1000;
    let mut says = true;
    while now < BEGINS + 20_000 && told.next.is_none() {
        let since = now.saturating_sub(BEGINS);
        let is_hard = now >= BEGINS && world.hard.is_some_and(|at| since >= at);
        let killed = told.cut.unwrap_or(BEGINS + GRACE);
        let memory = match world.gone(killed) {
            Some(gone) if now >= gone => WHOLE,
            _ if told.gone.is_some() => WHOLE,
            _ if world.falls && now >= killed + 500 => 20 * MIB,
            _ if is_hard => 50 * MIB,
            _ => 150 * MIB,
        };
        set(&mut engine, memory, WHOLE);
        if now >= says_at && core::mem::take(&mut says) {
            let (uid, error) = (String::from("victim"), String::from("refused"));
            let news = match world.runtime {
                Runtime::Begins => Some(News::Ending(uid)),
                Runtime::Fails => Some(News::NotEnded { uid, error }),
                Runtime::None | Runtime::Silent => None,
            };
            engine.pods_mut().news.extend(news);
        }
        for event in events(&mut engine, now) {
            let is_victims = |of: &Victim| of.uid == "victim";
            let place = if matches!(&event, Event::GraceCut(of) if is_victims(of)) {
                &mut told.cut
            } else if matches!(&event, Event::Killed { victim, .. } if is_victims(victim)) {
                &mut told.gone
            } else if matches!(&event, Event::Stuck { .. }) {
                &mut told.stuck
            } else if matches!(&event, Event::Evicting(_)) && now > BEGINS {
                &mut told.next
            } else {
                continue;
            };
            assert_eq!(place.replace(now), None, "told twice in {world:?}: {event}");
        }
        assert!(engine.pods().in_flight() <= 1, "two at a time in {world:?}");
        let changes = [
            world.hard.map(|at| BEGINS + at),
            Some(killed + 500),
            Some(says_at),
        ];
        let changes = changes.into_iter().flatten().filter(|at| *at > now);
        let wake = engine.wake_at(at(now)).as_nanos().div_ceil(1_000_000);
        now = changes.chain([wake.max(now + 1)]).min().unwrap_or(wake);
    }
    assert_eq!(
        engine.pods().killed().first().map(String::as_str),
        Some("victim")
    );
    assert_eq!(engine.pods().kills.borrow()[0].at, at(BEGINS));
    told
}

/// Whether it was told, within that time, or not at all.
fn is_about(told: Option<u64>, expected: Option<u64>, slack: u64) -> bool {
    match (told, expected) {
        (Some(told), Some(expected)) => (expected..=expected + slack).contains(&told),
        (told, expected) => told == expected,
    }
}

fn judge(world: &World, told: &Told) {
    let over = world
        .ends(BEGINS + GRACE)
        .unwrap_or(u64::MAX)
        .min(BEGINS + GRACE);
    let hard = world.hard.map(|after| BEGINS + after);
    let cut = hard.filter(|at| at + SEEN < over);
    assert!(is_about(told.cut, cut, SEEN), "grace: {world:?} {told:?}");
    let killed = told.cut.unwrap_or(BEGINS + GRACE);
    let gone = world.gone(killed);
    assert!(is_about(told.gone, gone, 0), "its end: {world:?} {told:?}");
    // Where memory runs out meanwhile it is waited for a second, else for ten.
    let runs_out = world.falls || hard.is_some_and(|at| at > killed);
    let patience = if runs_out { 1000 } else { 10_000 };
    let stuck = (gone.is_none()).then_some(killed + patience);
    assert!(is_about(told.stuck, stuck, SEEN), "{world:?} {told:?}");
    // Another goes only in the place of one that cannot be killed.
    let next = told.stuck;
    assert!(is_about(told.next, next, 0), "the next: {world:?} {told:?}");
}

/// Acceptance row 386.
#[test]
fn a_kill_has_its_grace_its_end_and_its_patience_in_all_worlds() {
    const ENDS: [Option<u64>; 4] = [None, Some(300), Some(1500), Some(3000)];
    const DIES: [Option<u64>; 3] = [None, Some(0), Some(1500)];
    const RUNTIMES: [Runtime; 4] = [
        Runtime::None,
        Runtime::Begins,
        Runtime::Fails,
        Runtime::Silent,
    ];
    let hard = [
        None,
        Some(700),
        Some(1200),
        Some(2300),
        Some(3300),
        Some(4500),
    ];
    let mut worlds = 0;
    for runtime in RUNTIMES {
        for ends_after in ENDS {
            for dies_after in DIES {
                for hard in hard {
                    for falls in [false, true] {
                        let world = World {
                            runtime,
                            ends_after,
                            dies_after,
                            hard,
                            falls,
                        };
                        judge(&world, &live(&world));
                        worlds += 1;
                    }
                }
            }
        }
    }
    assert_eq!(worlds, 4 * 4 * 3 * 6 * 2);
}
