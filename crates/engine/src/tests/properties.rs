//! What holds whatever happens: a machine that behaves as randomly as it can.

use core::time::Duration;

use evictd_node::Mono;
use evictd_threshold::{Lists, parse};
use proptest::prelude::*;

use super::script::*;
use crate::fake::{FakePod, FakePods};
use crate::ports::{Collected, News};
use crate::{Event, Settings};

/// What a pod does when it is killed.
fn pod(index: usize) -> impl Strategy<Value = FakePod> {
    let times = proptest::option::weighted(0.8, (0_u64..4000).prop_map(Duration::from_millis));
    (0_u64..500, times.clone(), times, any::<bool>(), 0_i64..5).prop_map(
        move |(mib, ends_after, dies_after, is_refused, grace)| {
            let mut pod = FakePod::new(&format!("pod-{index}"), mib << 20);
            pod.pod.spec.termination_grace_period_seconds = Some(grace);
            FakePod {
                ends_after,
                dies_after,
                is_refused: is_refused && mib % 3 == 0,
                ..pod
            }
        },
    )
}

fn pods() -> impl Strategy<Value = FakePods> {
    let few = (0_usize..6).prop_flat_map(|count| (0..count).map(pod).collect::<Vec<_>>());
    let measured = proptest::option::of((0_u64..60_000).prop_map(at));
    (few, any::<[bool; 4]>(), measured).prop_map(
        |(running, [limits, has_runtime, silent, has_begun], measured)| FakePods {
            running,
            limits,
            has_runtime,
            unheard: silent.then(|| "docker".into()).into_iter().collect(),
            has_begun,
            disk_measured_at: measured,
            ..FakePods::default()
        },
    )
}

/// What happens next, after so many milliseconds.
#[derive(Clone, Debug)]
enum Next {
    /// That much is left of memory and of nodefs.
    Left(i64, i64),
    /// Nothing can be read.
    Blind,
    Look,
    Guard(bool),
    Mounts,
    News(News),
    End,
    /// Other settings, by their place among [`HARD`].
    Reload(usize),
}

/// Hard thresholds to change to and fro between.
const HARD: [&str; 4] = [
    "memory.available<100Mi,nodefs.available<100Mi",
    "memory.available<300Mi,nodefs.available<100Mi",
    "nodefs.available<150Mi",
    "",
];

/// The soft one is the same in all of them.
fn settings_of(hard: &str) -> Settings {
    let lists = Lists {
        hard,
        soft: "memory.available<200Mi",
        soft_grace_period: "memory.available=2s",
        ..Lists::default()
    };
    let mut settings = Settings::default();
    settings.evict.thresholds = parse(&lists).unwrap();
    settings
}

fn next() -> impl Strategy<Value = Next> {
    let left = prop_oneof![Just(WHOLE), 0..WHOLE, 0..200 * MIB];
    let uid = (0_usize..6).prop_map(|index| format!("pod-{index}"));
    let collected = (0_u64..20, 0_usize..3).prop_map(|(number, removed)| News::Collected {
        number,
        result: Ok(Collected {
            removed,
            ..Collected::default()
        }),
    });
    let news = prop_oneof![
        Just(News::Listed),
        Just(News::Lost("gone".into())),
        uid.clone().prop_map(News::Ending),
        uid.clone().prop_map(News::Ended),
        uid.prop_map(|uid| News::NotEnded {
            uid,
            error: "refused".into()
        }),
        collected,
    ];
    prop_oneof![
        8 => (left.clone(), left).prop_map(|(memory, nodefs)| Next::Left(memory, nodefs)),
        1 => Just(Next::Blind),
        1 => Just(Next::Look),
        1 => any::<bool>().prop_map(Next::Guard),
        1 => Just(Next::Mounts),
        3 => news.prop_map(Next::News),
        1 => Just(Next::End),
        2 => (0..HARD.len()).prop_map(Next::Reload),
    ]
}

fn random_settings() -> impl Strategy<Value = Settings> {
    (any::<[bool; 2]>(), 1_u64..30, 0_i64..40).prop_map(
        |([dry_run, until_clear], interval, max)| {
            let mut settings = Settings {
                interval: Duration::from_millis(interval * 500),
                dry_run: dry_run && until_clear,
                images_until_clear: until_clear,
                ..settings_of(HARD[0])
            };
            settings.evict.max_pod_grace_seconds = max;
            settings
        },
    )
}

/// What was told of each kill, in its order.
#[derive(Default)]
struct Story {
    begun: Vec<String>,
    ended: Vec<String>,
}

impl Story {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Evicting(decision) if !decision.dry_run => {
                self.begun.push(decision.victim.uid.clone());
            }
            Event::NotBegun { victim, .. }
            | Event::Killed { victim, .. }
            | Event::Stuck { victim, .. } => self.ended.push(victim.uid.clone()),
            Event::Evicting(_)
            | Event::ThresholdMet { .. }
            | Event::ThresholdCleared { .. }
            | Event::Condition { .. }
            | Event::Layout(_)
            | Event::Reclaiming { .. }
            | Event::Reclaimed(_)
            | Event::Deleting { .. }
            | Event::OomKilled(_)
            | Event::Loop(_)
            | Event::GraceCut(_)
            | Event::RuntimeSilent(_)
            | Event::CameBack { .. }
            | Event::NoCandidate(_)
            | Event::Holder(_)
            | Event::Observed { .. }
            | Event::Runtime { .. }
            | Event::Problem { .. }
            | Event::Recovered => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn invariants(
        settings in random_settings(),
        pods in pods(),
        script in proptest::collection::vec((0_u64..3000, next()), 1..60),
    ) {
        let may_kill = !settings.dry_run;
        let reloaded = settings.clone();
        let all: Vec<String> = pods
            .running
            .iter()
            .map(|pod| pod.pod.metadata.uid.clone())
            .collect();
        let mut engine = engine(settings, pods);
        engine.reclaim_mut().runtimes = 1;
        let mut story = Story::default();
        let mut now = 0;
        for (after, next) in script {
            now += after;
            match next {
                Next::Left(memory, nodefs) => set(&mut engine, memory, nodefs),
                Next::Blind => engine.node_mut().set(crate::ports::Sample::default()),
                Next::Look => engine.look_now(),
                Next::Guard(guarded) => engine.guard(guarded),
                Next::Mounts => engine.round_now(),
                Next::News(news) => engine.pods_mut().news.push(news),
                Next::End if engine.is_killing() => drop(engine.end_after_kill()),
                Next::End => {}
                Next::Reload(which) => {
                    let thresholds = settings_of(HARD[which]).evict.thresholds;
                    let mut settings = reloaded.clone();
                    settings.evict.thresholds = thresholds;
                    let before = (engine.evict().conditions(), engine.is_killing());
                    engine.reconfigure(settings);
                    prop_assert_eq!((engine.evict().conditions(), engine.is_killing()), before);
                }
            }
            engine.run_due(at(now));
            engine.take_events().for_each(|(_, event)| story.note(&event));
            // Never two kills in flight, and the engine knows of the one.
            let in_flight = engine.pods().in_flight();
            prop_assert!(in_flight <= 1);
            prop_assert_eq!(engine.is_killing(), in_flight == 1);
            // No deadline in the past, and none that a turn leaves to be now again.
            let wake: Mono = engine.wake_at(at(now));
            prop_assert!(wake >= at(now));
            prop_assert!(engine.has_ended() || wake > at(now) || is_busy_for_now(&engine));
            // Nobody is killed who was never listed.
            let killed = engine.pods().killed();
            prop_assert!(killed.iter().all(|uid| all.contains(uid)));
            prop_assert!(may_kill || killed.is_empty());
            // Every kill that was begun is told, and ends in an event.
            prop_assert_eq!(story.begun.len(), story.ended.len() + in_flight);
            prop_assert!(story.begun.iter().zip(&story.ended).all(|(one, other)| one == other));
        }
    }

    /// However often and to whatever it is reloaded: what is short is evicted for by the
    /// second round that sees it, a threshold that has just changed does not act in the
    /// first where none was met before, and nobody is evicted twice.
    #[test]
    fn reloads_miss_no_eviction_and_make_none(
        reloads in proptest::collection::vec((0_u64..3000, 0..HARD.len(), 0..600 * MIB), 1..30),
    ) {
        // For each one that is evicted another comes: what is taken is taken by pods.
        let pod = |index| FakePod::new(&format!("pod-{index}"), 300 << 20);
        let mut engine = engine(settings_of(HARD[0]), FakePods::of((0..6).map(pod)));
        let mut others = 6..;
        let mut replace = |engine: &mut Fake| {
            let missing = 6 - engine.pods().running.len();
            engine.pods_mut().running.extend(others.by_ref().take(missing).map(pod));
        };
        let (mut now, mut hard) = (0, HARD[0]);
        for (after, which, memory) in reloads {
            now += after;
            set(&mut engine, memory, WHOLE);
            turn(&mut engine, now);
            // By what is left, or by what was measured last.
            let met_before = is_met(hard, memory)
                || engine.evict().met().any(|met| met.threshold.is_hard());
            let killed = engine.pods().killed();
            engine.reconfigure(settings_of(HARD[which]));
            let conditions = engine.evict().conditions();
            turn(&mut engine, now);
            replace(&mut engine);
            prop_assert!(engine.evict().conditions().contains(conditions));
            if HARD[which] != hard && !met_before && !is_met("memory.available<200Mi", memory) {
                prop_assert_eq!(engine.pods().killed(), killed, "at first sight");
            }
            hard = HARD[which];
        }
        // What the last eviction gave back is seen, so that another is worth it.
        set(&mut engine, WHOLE, WHOLE);
        engine.round_now();
        turn(&mut engine, now + 10);
        now += 20;
        set(&mut engine, 50 * MIB, WHOLE);
        engine.reconfigure(settings_of(HARD[1]));
        let before = engine.pods().killed().len();
        for _ in 0..200 {
            turn(&mut engine, now);
            replace(&mut engine);
            now += 50;
        }
        let mut killed = engine.pods().killed();
        prop_assert!(killed.len() > before, "none was evicted: {:?}", killed);
        let count = killed.len();
        killed.sort_unstable();
        killed.dedup();
        prop_assert_eq!(killed.len(), count, "twice");
    }

    /// However disks and runtimes behave: what is short of memory is evicted for in the
    /// turn that sees it, if there is a pod and none is being killed.
    #[test]
    fn memory_never_waits_for_a_disk(
        nodefs in 0..200 * MIB,
        measured in 0_u64..60_000,
        has_runtime in any::<bool>(),
        begin in 0_u64..20_000,
    ) {
        let pods = FakePods {
            disk_measured_at: Some(at(measured)),
            has_runtime,
            ..FakePods::of([FakePod::new("one", 30 << 20), FakePod::new("two", 40 << 20)])
        };
        let mut settings = settings("memory.available<100Mi,nodefs.available<100Mi");
        settings.interval = Duration::from_secs(3600);
        let mut engine = engine(settings, pods);
        engine.reclaim_mut().runtimes = usize::from(has_runtime);
        set(&mut engine, WHOLE, nodefs);
        turn(&mut engine, 0);
        turn(&mut engine, begin);
        let before = engine.pods().killed().len();
        let waits = engine.node().waits.len();
        set(&mut engine, 50 * MIB, nodefs);
        engine.look_now();
        turn(&mut engine, begin);
        prop_assert_eq!(engine.pods().killed().len(), 2.min(before + 1));
        let waited = engine.node().waits.get(waits..).unwrap_or_default();
        prop_assert!(waited.iter().all(|wait| *wait <= crate::FS_WAIT));
    }
}

/// Whether one of them is met with so much memory left.
fn is_met(hard: &str, memory: i64) -> bool {
    let sample = sample(memory, WHOLE);
    let thresholds = settings_of(hard).evict.thresholds;
    let mut hard = thresholds.iter().filter(|threshold| threshold.is_hard());
    hard.any(|threshold| {
        let reading = sample.readings.get(threshold.signal);
        reading.is_some_and(|reading| threshold.is_met(&reading))
    })
}

/// A pod has just gone: it is measured again at once.
fn is_busy_for_now(engine: &Fake) -> bool {
    engine.pods().kills.borrow().iter().any(|kill| kill.ended)
}
