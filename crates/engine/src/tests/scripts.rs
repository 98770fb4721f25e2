use core::time::Duration;

use evictd_gc::{Enough, ImageJob};
use evictd_threshold::{Lists, parse};

use evictd_node::pod::Container;
use evictd_node::{Reading, Signal};

use super::script::*;
use crate::Event;
use crate::fake::{FakePod, FakePods};
use crate::ports::{Collect, Collected, Depth, Holder, News, OomKill, Sample};

fn three_pods() -> FakePods {
    FakePods::of([
        FakePod::new("small", 10 << 20),
        FakePod::new("big", 500 << 20),
        FakePod::new("middle", 100 << 20),
    ])
}

#[test]
fn what_is_seen_between_two_rounds_kills_without_waiting_for_a_disk() {
    let mut engine = engine(settings("memory.available<100Mi"), three_pods());
    assert_eq!(turn(&mut engine, 0), ["layout"]);
    assert_eq!(engine.node().waits, [crate::FIRST_FS_WAIT]);
    // 900 MiB at 6 GiB a second.
    let look = sleep(&engine, 0);
    assert!(look > Duration::from_millis(140) && look < Duration::from_millis(150));
    assert!(turn(&mut engine, 146).is_empty());
    assert_eq!((engine.node().looks, engine.node().waits.len()), (0, 1));
    assert!(turn(&mut engine, 147).is_empty());
    assert_eq!((engine.node().looks, engine.node().waits.len()), (1, 1));
    set(&mut engine, 99 * MIB, WHOLE);
    assert_eq!(
        turn(&mut engine, 300),
        ["met", "condition", "evicting", "killed"]
    );
    assert_eq!(engine.node().waits[1], Duration::ZERO);
    assert_eq!(engine.pods().killed(), ["big"]);
    assert_eq!(engine.pods().listings, [Depth::Bounds]);
}

/// Acceptance row 271.
#[test]
fn while_the_kernel_guards_memory_is_looked_at_by_its_plain_counters() {
    let mut engine = engine(settings("memory.available<100Mi"), three_pods());
    engine.node_mut().cache = 200 << 20;
    turn(&mut engine, 0);
    engine.guard(true);
    let rest = sleep(&engine, 0);
    assert!(rest > Duration::from_millis(140) && rest < Duration::from_millis(150));
    assert!(turn(&mut engine, 150).is_empty());
    assert_eq!((engine.node().looks, engine.is_guarded()), (1, true));
    // What the plain counters count may all be page cache: it is read exactly, and looked at
    // as without a guard, until the kernel is asked anew.
    set(&mut engine, 250 * MIB, WHOLE);
    assert!(turn(&mut engine, 300).is_empty());
    assert_eq!((engine.node().looks, engine.is_guarded()), (3, false));
    // Of this the kernel tells nothing.
    engine.guard(true);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 400);
    assert_eq!(engine.pods().killed(), ["big"]);
}

#[test]
fn when_the_kernel_tells_memory_is_looked_at_now() {
    let mut engine = engine(settings("memory.available<100Mi"), three_pods());
    turn(&mut engine, 0);
    engine.guard(true);
    engine.look_now();
    assert_eq!(sleep(&engine, 100), Duration::ZERO);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 100);
    assert_eq!(engine.pods().killed(), ["big"]);
}

#[test]
fn the_next_pod_is_evicted_only_when_the_last_one_is_gone() {
    let mut pods = three_pods();
    pods.running[1].dies_after = Some(Duration::from_millis(300));
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 30 * MIB, WHOLE);
    assert_eq!(
        turn(&mut engine, 0),
        ["layout", "met", "condition", "evicting"]
    );
    assert_eq!(sleep(&engine, 0), Duration::from_millis(300));
    engine.round_now();
    assert!(turn(&mut engine, 200).is_empty());
    assert!(engine.is_killing());
    // Measured again at once, and memory is still short, though the first has helped.
    set(&mut engine, 99 * MIB, WHOLE);
    assert_eq!(turn(&mut engine, 300), ["killed", "evicting", "killed"]);
    assert_eq!(engine.pods().killed(), ["big", "middle"]);
}

/// Acceptance row 246.
#[test]
fn who_holds_the_memory_is_told_where_no_pod_is_evicted_for_it() {
    let mut pods = three_pods();
    pods.holder = Some(Holder {
        name: "backup (pid 812) of service nightly.service".to_owned(),
        bytes: 880 << 20,
    });
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    turn(&mut engine, 0);
    engine.list_early(at(1));
    for pod in &mut engine.pods_mut().running {
        *pod = FakePod::new(&pod.pod.metadata.name, 2 << 20);
    }
    engine.list_early(at(2));
    set(&mut engine, 50 * MIB, WHOLE);
    engine.look_now();
    let told = texts(&mut engine, 100);
    assert_eq!(
        told.last().map(String::as_str),
        Some(
            "backup (pid 812) of service nightly.service holds 880Mi of memory, the most of all \
             that cannot be evicted"
        ),
        "{told:?}"
    );
    assert!(engine.pods().killed().is_empty());
    // Once, not each second.
    assert!(turn(&mut engine, 2000).is_empty());
    assert_eq!(engine.pods().asked_who_holds, 1);
}

/// Acceptance row 246.
#[test]
fn a_critical_pod_that_holds_the_memory_is_named_and_a_trifle_is_not() {
    for (critical, expected) in [
        (
            800,
            Some("pod big, which is critical, holds 800Mi of memory, the most of all"),
        ),
        (3, None),
    ] {
        let mut pods = FakePods::of([FakePod::new("big", critical << 20)]);
        pods.running[0].pod.spec.priority = Some(2_000_000_000);
        pods.holder = Some(Holder {
            name: "sh (pid 1)".to_owned(),
            bytes: 4 << 20,
        });
        let mut engine = engine(settings("memory.available<100Mi"), pods);
        set(&mut engine, 50 * MIB, WHOLE);
        let told = texts(&mut engine, 0);
        let named = told.iter().find(|text| text.contains("holds"));
        assert_eq!(named.is_some(), expected.is_some(), "{told:?}");
        assert!(expected.is_none_or(|text| told.iter().any(|told| told.starts_with(text))));
    }
}

/// The reader of events may be slow, and never stands between a decision and SIGKILL.
#[test]
fn events_wait_in_their_order_until_they_are_taken() {
    let taken = |takes_each_turn: bool| {
        let mut engine = engine(settings("memory.available<100Mi"), three_pods());
        let mut told = Vec::new();
        for (millis, memory) in [(0, WHOLE), (100, 50 * MIB), (200, WHOLE), (20_000, WHOLE)] {
            set(&mut engine, memory, WHOLE);
            engine.round_now();
            engine.run_due(at(millis));
            if takes_each_turn {
                told.extend(engine.take_events());
            }
        }
        assert_eq!(engine.pods().killed(), ["big"]);
        told.extend(engine.take_events());
        assert!(engine.take_events().next().is_none(), "each is told once");
        told
    };
    let late = taken(false);
    assert_eq!(late, taken(true));
    assert!(late.is_sorted_by_key(|(at, _)| *at));
    let names: Vec<_> = late.iter().map(|(_, event)| event.name()).collect();
    assert!(
        names.ends_with(&["evicting", "killed", "cleared"]),
        "{names:?}"
    );
}

#[test]
fn a_pod_that_cannot_be_killed_costs_its_turn() {
    let mut pods = three_pods();
    pods.running[0] = FakePod::new("small", 30 << 20);
    pods.running[1].is_refused = true;
    pods.running[2].dies_after = None;
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    assert_eq!(
        turn(&mut engine, 0),
        [
            "layout",
            "met",
            "condition",
            "evicting",
            "kill_refused",
            "evicting"
        ]
    );
    assert_eq!(engine.pods().killed(), ["middle"]);
    assert_eq!(turn(&mut engine, 10_000), ["stuck", "evicting", "killed"]);
    assert_eq!(turn(&mut engine, 13_000), ["no_candidate"]);
    assert_eq!(engine.pods().killed(), ["middle", "small"]);
}

/// Acceptance row 206.
#[test]
fn a_pod_that_cannot_die_holds_back_the_next_for_a_second_while_memory_fills() {
    let mut pods = three_pods();
    pods.running[1].dies_after = None;
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 0);
    assert_eq!(engine.pods().killed(), ["big"]);
    assert!(turn(&mut engine, 1000).is_empty(), "memory stays as it was");
    assert_eq!(sleep(&engine, 1000), Duration::from_secs(1));
    set(&mut engine, 60 * MIB, WHOLE);
    assert!(turn(&mut engine, 2000).is_empty(), "it gives memory back");
    set(&mut engine, 40 * MIB, WHOLE);
    assert_eq!(turn(&mut engine, 3000)[..2], ["stuck", "evicting"]);
    assert_eq!(engine.pods().killed()[..2], ["big", "middle"]);
}

/// Found by the simulator (seed 323): the next pod was chosen by a reading from before the kill.
#[test]
fn a_pod_that_cannot_die_takes_no_other_along_while_nothing_can_be_read() {
    let mut pods = three_pods();
    pods.running[1].dies_after = None;
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 0);
    assert_eq!(engine.pods().killed(), ["big"]);
    engine.node_mut().set(Sample::default());
    assert!(turn(&mut engine, 10_000).contains(&"stuck"));
    assert_eq!(engine.pods().killed(), ["big"]);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 20_000);
    assert_eq!(engine.pods().killed()[..2], ["big", "middle"]);
}

#[test]
fn a_hard_threshold_cuts_the_grace_of_a_soft_one() {
    let mut settings = settings("memory.available<100Mi");
    let lists = Lists {
        hard: "memory.available<100Mi",
        soft: "memory.available<300Mi",
        soft_grace_period: "memory.available=1s",
        ..Lists::default()
    };
    settings.evict.thresholds = parse(&lists).unwrap();
    settings.evict.max_pod_grace_seconds = 30;
    let mut pods = three_pods();
    for pod in &mut pods.running {
        pod.pod.spec.termination_grace_period_seconds = Some(20);
    }
    let mut engine = engine(settings, pods);
    set(&mut engine, 200 * MIB, WHOLE);
    assert_eq!(turn(&mut engine, 0), ["layout", "met", "condition"]);
    assert_eq!(turn(&mut engine, 1000), ["evicting"]);
    assert_eq!(
        engine.pods().kills.borrow()[0].grace,
        Duration::from_secs(20)
    );
    set(&mut engine, 50 * MIB, WHOLE);
    assert_eq!(turn(&mut engine, 2000), ["grace_cut", "killed"]);
    assert_eq!(engine.pods().killed(), ["big"], "no second kill of it");
}

#[test]
fn what_comes_before_a_kill_holds_back_a_soft_threshold_alone() {
    let limits = |hard| Lists {
        hard,
        soft: "memory.available<300Mi",
        soft_grace_period: "memory.available=1s",
        ..Lists::default()
    };
    let mut settings = settings("memory.available<100Mi");
    settings.evict.thresholds = parse(&limits("memory.available<100Mi")).unwrap();
    let held = |settings: &crate::Settings| {
        let mut pods = three_pods();
        pods.held_until = Some(evictd_node::Mono::from_millis(3000));
        let mut engine = engine(settings.clone(), pods);
        set(&mut engine, 200 * MIB, WHOLE);
        turn(&mut engine, 0);
        assert!(turn(&mut engine, 1000).is_empty(), "it is held back");
        assert!(sleep(&engine, 1000) <= Duration::from_millis(200));
        engine
    };
    let mut engine = held(&settings);
    assert!(turn(&mut engine, 2900).is_empty());
    assert_eq!(turn(&mut engine, 3100)[..1], ["evicting"]);
    assert_eq!(engine.pods().killed()[..1], ["big"]);

    let mut engine = held(&settings);
    set(&mut engine, 50 * MIB, WHOLE);
    assert!(turn(&mut engine, 1200).contains(&"evicting"));
    assert_eq!(engine.pods().killed()[..1], ["big"]);

    // What was short may have passed meanwhile.
    let mut engine = held(&settings);
    set(&mut engine, 400 * MIB, WHOLE);
    turn(&mut engine, 1200);
    turn(&mut engine, 9000);
    assert!(engine.pods().killed().is_empty());
}

#[test]
fn a_silent_runtime_is_not_waited_for_and_one_that_speaks_is() {
    for (speaks, expected) in [(false, "runtime_silent"), (true, "killed")] {
        let mut settings = settings("");
        let lists = Lists {
            soft: "memory.available<300Mi",
            soft_grace_period: "memory.available=1s",
            ..Lists::default()
        };
        settings.evict.thresholds = parse(&lists).unwrap();
        settings.evict.max_pod_grace_seconds = 5;
        let mut pods = three_pods();
        pods.has_runtime = true;
        let mut engine = engine(settings, pods);
        set(&mut engine, 200 * MIB, WHOLE);
        turn(&mut engine, 0);
        assert_eq!(turn(&mut engine, 1000), ["evicting"]);
        assert_eq!(sleep(&engine, 1000), Duration::from_secs(2));
        if speaks {
            engine.pods_mut().news = vec![News::Ending("big".into())];
            assert!(turn(&mut engine, 2000).is_empty());
        }
        let told = [3000, 5999, 6000].map(|millis| turn(&mut engine, millis));
        let first = told.concat().first().copied();
        assert_eq!(first, Some(expected), "{told:?}");
        assert_eq!(told[2].first(), Some(&"killed"));
    }
}

/// Acceptance row 263: until its runtime says that a pod is down, and for some seconds, it is
/// ended again as soon as it runs again.
#[test]
fn a_pod_that_comes_back_before_its_runtime_keeps_it_down_is_ended_again() {
    let mut pods = three_pods();
    pods.has_runtime = true;
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    assert!(turn(&mut engine, 0).ends_with(&["evicting", "killed"]));
    // Enough is left now, whatever comes back.
    set(&mut engine, 900 * MIB, WHOLE);
    turn(&mut engine, 0);
    assert!(sleep(&engine, 0) <= Duration::from_millis(20));
    let back = |engine: &mut Fake, millis: u64| {
        engine.pods_mut().returned = vec!["big".into()];
        turn(engine, millis).contains(&"came_back")
    };
    assert!(back(&mut engine, 500));
    // Its runtime is slow: that takes as long as it takes.
    for seconds in 1..100 {
        assert!(back(&mut engine, seconds * 1000), "after {seconds} s");
    }
    // Down it is: then that is over.
    engine.pods_mut().news = vec![News::Ended("big".into())];
    turn(&mut engine, 100_000);
    turn(&mut engine, 104_500);
    assert!(!back(&mut engine, 105_000));
    let never_twice = |(uid, told): &(String, bool)| uid == "big" && !told;
    assert!(engine.pods().ended_again.iter().all(never_twice));
    assert_eq!(engine.pods().killed(), ["big"]);
}

/// Acceptance row 263: whatever starts a pod anew within seconds, its runtime is told again.
#[test]
fn a_pod_that_comes_back_within_seconds_is_ended_again_and_later_ones_are_not() {
    let mut pods = three_pods();
    pods.has_runtime = true;
    pods.news = vec![News::Ended("big".into())];
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 0);
    set(&mut engine, 900 * MIB, WHOLE);
    engine.pods_mut().news = vec![News::Ended("big".into())];
    turn(&mut engine, 1000);
    engine.pods_mut().returned = vec!["big".into()];
    let told = texts(&mut engine, 3000);
    let wait = "start it in 5 s or later"; // it is held as long
    assert!(told.iter().any(|line| line.ends_with(wait)), "{told:?}");
    assert_eq!(engine.pods().ended_again, [("big".into(), true)]);
    engine.pods_mut().news = vec![News::Ended("big".into())];
    turn(&mut engine, 4000);
    turn(&mut engine, 5100);
    engine.pods_mut().returned = vec!["big".into()];
    assert!(!turn(&mut engine, 5200).contains(&"came_back"));
    // A runtime that never answers is not waited for for ever.
    let mut pods = three_pods();
    pods.has_runtime = true;
    let mut engine = self::engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 0);
    set(&mut engine, 900 * MIB, WHOLE);
    turn(&mut engine, 299_000);
    turn(&mut engine, 301_000);
    engine.pods_mut().returned = vec!["big".into()];
    assert!(!turn(&mut engine, 302_000).contains(&"came_back"));
}

/// Acceptance row 264: a disk's next pod is not evicted while the last one may yet go on writing.
#[test]
fn for_a_disk_no_other_pod_is_evicted_before_the_last_one_is_down() {
    let mut pods = three_pods();
    pods.has_runtime = true;
    let mut engine = engine(settings("nodefs.available<100Mi"), pods);
    engine.reclaim_mut().leftovers = Some(Collected::default());
    set(&mut engine, WHOLE, 10 * MIB);
    let mut now = 0;
    while engine.pods().killed().is_empty() {
        turn(&mut engine, now);
        now += 100;
    }
    // It gave something back, and that is not enough.
    set(&mut engine, WHOLE, 90 * MIB);
    for _ in 0..100 {
        engine.round_now();
        turn(&mut engine, now);
        now += 100;
    }
    assert_eq!(engine.pods().killed(), ["big"]);
    // Nor where it was enough for a moment, or other settings were read.
    set(&mut engine, WHOLE, WHOLE);
    engine.round_now();
    turn(&mut engine, now);
    now += 100;
    engine.reconfigure(settings("nodefs.available<100Mi"));
    set(&mut engine, WHOLE, 90 * MIB);
    for _ in 0..50 {
        engine.round_now();
        turn(&mut engine, now);
        now += 100;
    }
    assert_eq!(engine.pods().killed(), ["big"]);
    engine.pods_mut().news = vec![News::Ended("big".into())];
    for _ in 0..100 {
        engine.round_now();
        turn(&mut engine, now);
        now += 100;
    }
    assert_eq!(engine.pods().killed(), ["big", "middle"]);
}

#[test]
fn a_disk_that_is_short_is_measured_first_and_memory_does_not_wait_for_it() {
    let thresholds = "memory.available<100Mi,nodefs.available<100Mi";
    let mut pods = three_pods();
    pods.disk_measured_at = Some(at(5000));
    let mut engine = engine(settings(thresholds), pods);
    set(&mut engine, WHOLE, 50 * MIB);
    turn(&mut engine, 0);
    assert_eq!(
        (engine.pods().disk_asked, engine.pods().kills.borrow().len()),
        (1, 0)
    );
    assert_eq!(sleep(&engine, 0), Duration::from_millis(50));
    set(&mut engine, 50 * MIB, 50 * MIB);
    turn(&mut engine, 50);
    assert_eq!(engine.pods().killed(), ["big"]);
    assert_eq!(engine.pods().disk_asked, 1);
}

/// What was measured some seconds before may be from before a pod filled the disk: that
/// none holds enough is said of fresh numbers only.
#[test]
fn a_disk_is_measured_anew_before_all_pods_are_spared() {
    let mut pods = FakePods::of([FakePod::new("writer", 1 << 20)]);
    pods.disk_measured_from = Some(at(2000));
    let mut engine = engine(settings("nodefs.available<100Mi"), pods);
    set(&mut engine, WHOLE, 500 * MIB);
    for now in (0..5000).step_by(500) {
        turn(&mut engine, now);
    }
    set(&mut engine, WHOLE, 10 * MIB);
    engine.round_now();
    let told: Vec<&str> = [5000, 5050, 5100]
        .into_iter()
        .flat_map(|now| turn(&mut engine, now))
        .collect();
    assert_eq!(told, ["met", "condition", "reclaiming"]);
    engine.pods_mut().running = vec![FakePod::new("writer", 490 << 20)];
    engine.pods_mut().disk_measured_from = Some(at(5120));
    assert!(turn(&mut engine, 5150).contains(&"killed"));
}

/// Acceptance row 172: nor is it measured again and again.
#[test]
fn that_no_pod_holds_enough_is_told_once_it_is_sure() {
    let mut engine = engine(
        settings("nodefs.available<100Mi"),
        FakePods::of([FakePod::new("small", 1 << 20)]),
    );
    set(&mut engine, WHOLE, 10 * MIB);
    let mut told = Vec::new();
    for now in (2000..40_000).step_by(50) {
        // A measurement takes a second.
        engine.pods_mut().disk_measured_from = Some(at(now / 1000 * 1000 - 1500));
        let events = turn(&mut engine, now);
        told.extend(events.contains(&"no_candidate").then_some(now));
    }
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0] < 4500, "{told:?}");
    assert!(engine.pods().killed().is_empty());
}

#[test]
fn measuring_a_disk_is_not_waited_for_for_ever() {
    let mut pods = three_pods();
    pods.disk_measured_at = Some(at(1_000_000));
    let mut engine = engine(settings("nodefs.available<100Mi"), pods);
    set(&mut engine, WHOLE, 50 * MIB);
    let mut now = 0;
    while engine.pods().killed().is_empty() {
        assert!(now < 11_000, "it waits");
        turn(&mut engine, now);
        now += u64::try_from(sleep(&engine, now).as_millis())
            .unwrap()
            .max(1);
    }
    assert!(now > 10_000, "{now}");
}

#[test]
fn a_disk_is_reclaimed_before_a_pod_and_only_as_far_as_needed() {
    let mut settings = settings("nodefs.available<100Mi");
    settings.images_until_clear = true;
    let mut pods = three_pods();
    pods.has_runtime = true;
    let mut engine = engine(settings, pods);
    engine.reclaim_mut().runtimes = 1;
    set(&mut engine, WHOLE, 50 * MIB);
    let told = turn(&mut engine, 0);
    assert_eq!(told, ["layout", "met", "condition", "reclaiming"]);
    let jobs = engine.reclaim().jobs.clone();
    let [.., last] = jobs.as_slice() else {
        panic!("no job");
    };
    assert!(matches!(
        last.what,
        Collect::Containers {
            all_unused: true,
            ..
        }
    ));
    // Rounds go on, and nothing is asked twice.
    engine.round_now();
    assert!(turn(&mut engine, 100).is_empty());
    assert_eq!(engine.reclaim().jobs.len(), jobs.len());
    let collected = |number| News::Collected {
        number,
        result: Ok(Collected {
            removed: 1,
            text: "removed".into(),
            ..Collected::default()
        }),
    };
    engine.pods_mut().news = vec![collected(last.number)];
    assert_eq!(turn(&mut engine, 200), ["reclaimed"]);
    let images = engine.reclaim().jobs.last().unwrap().clone();
    let until = Some(Enough::Bytes(100 << 20));
    assert_eq!(
        images.what,
        Collect::Images(ImageJob::DeleteUnused { until })
    );
    set(&mut engine, WHOLE, 500 * MIB);
    engine.pods_mut().news = vec![collected(images.number)];
    assert_eq!(turn(&mut engine, 300), ["reclaimed"]);
    engine.round_now();
    assert_eq!(turn(&mut engine, 301), ["cleared"]);
    assert!(engine.pods().killed().is_empty());
}

#[test]
fn what_gave_nothing_back_is_not_tried_again_soon() {
    let mut engine = engine(settings("nodefs.available<100Mi"), FakePods::default());
    engine.reclaim_mut().leftovers = Some(Collected::default());
    set(&mut engine, WHOLE, 50 * MIB);
    let mut tries = Vec::new();
    for second in 0..80 {
        let before = engine.reclaim().collections;
        engine.round_now();
        turn(&mut engine, second * 1000);
        turn(&mut engine, second * 1000); // it has been deleted
        if engine.reclaim().collections > before {
            tries.push(second);
        }
    }
    assert_eq!(tries, [0, 10, 30, 70]);
}

/// Acceptance row 174: the next pod is not evicted while the deletion of what the last one
/// left frees something; memory does not wait for that.
#[test]
fn what_a_dead_pod_left_is_deleted_before_the_next_is_evicted() {
    let thresholds = "memory.available<100Mi,nodefs.available<100Mi";
    let mut engine = engine(settings(thresholds), three_pods());
    engine.reclaim_mut().leftovers = Some(Collected {
        removed: 20_000,
        text: "deleted".into(),
        ..Collected::default()
    });
    set(&mut engine, WHOLE, 50 * MIB);
    turn(&mut engine, 0);
    turn(&mut engine, 1);
    assert_eq!(engine.pods().killed().len(), 1);
    engine.reclaim_mut().deleted_at = Some(at(100_000));
    for (seconds, left) in [
        (1, 51),
        (10, 55),
        (19, 60),
        (28, 62),
        (37, 65),
        (46, 70),
        (55, 75),
    ] {
        set(&mut engine, WHOLE, left * MIB);
        engine.round_now();
        let told = turn(&mut engine, seconds * 1000);
        assert!(!told.contains(&"evicting"), "{told:?}");
    }
    set(&mut engine, 50 * MIB, 80 * MIB);
    engine.round_now();
    let told = turn(&mut engine, 60_000);
    assert!(told.contains(&"deleting"), "{told:?}");
    assert_eq!(engine.pods().killed().len(), 2);
    for (seconds, left) in [(61, 81), (70, 84), (79, 88), (88, 90), (97, 95), (99, 96)] {
        set(&mut engine, WHOLE, left * MIB);
        engine.round_now();
        turn(&mut engine, seconds * 1000);
    }
    set(&mut engine, WHOLE, 500 * MIB);
    engine.round_now();
    assert_eq!(turn(&mut engine, 100_000)[0], "reclaimed");
    assert_eq!(engine.pods().killed().len(), 2);
}

/// Acceptance row 174: how long it takes to delete what a pod left is the pod's to choose.
#[test]
fn deletion_that_frees_nothing_delays_no_eviction() {
    let mut engine = engine(settings("nodefs.available<100Mi"), three_pods());
    engine.reclaim_mut().leftovers = Some(Collected {
        removed: 6_000_000,
        text: "deleted".into(),
        ..Collected::default()
    });
    set(&mut engine, WHOLE, 50 * MIB);
    turn(&mut engine, 0);
    turn(&mut engine, 1);
    assert_eq!(engine.pods().killed(), ["big"]);
    engine.reclaim_mut().deleted_at = Some(at(600_000));
    // The disk goes on filling, and the deletion frees nothing.
    let mut second = 1;
    while engine.pods().killed().len() < 2 && second < 60 {
        set(&mut engine, WHOLE, 40 * MIB);
        engine.round_now();
        turn(&mut engine, second * 1000);
        second += 1;
    }
    assert_eq!(engine.pods().killed(), ["big", "middle"]);
    assert_eq!(second, 12);
    assert_eq!(
        engine.reclaim().collections,
        2,
        "it goes on, and is not begun again"
    );
    // It ends once, and answers nothing that was asked since.
    set(&mut engine, WHOLE, 90 * MIB);
    engine.round_now();
    let told = turn(&mut engine, 600_000);
    assert_eq!(told.iter().filter(|told| **told == "reclaimed").count(), 1);
}

/// Acceptance row 287: one whose cgroup is gone, while there was memory.
#[test]
fn a_pod_that_reached_its_own_limit_is_no_reason_to_raise_the_nodes_threshold() {
    let (above, own) = (Some("/stranger"), true);
    let flag = "limit of /stranger, in which it was";
    let untold = "(the limit of /stranger was reached once): cgroup v1 does not tell which";
    let own_untold = "(its own limit was reached once): cgroup v1 does not tell which";
    for (is_v1, least, name, own_limit, above, expected) in [
        (
            false,
            500,
            "",
            !own,
            None,
            "its own or that of a cgroup above it",
        ),
        (false, 50, "", !own, None, "raise the threshold"),
        // Acceptance row 373.
        (false, 500, "", !own, above, flag),
        (false, 500, "big", !own, above, flag),
        (false, 50, "big", !own, above, flag),
        (false, 500, "big", !own, None, "raise the threshold"),
        // Acceptance row 400.
        (true, 500, "big", own, above, "its own memory limit"),
        (true, 500, "big", !own, above, flag),
        (true, 50, "big", own, above, own_untold),
        (true, 50, "big", !own, above, untold),
        (true, 50, "", !own, above, untold),
        (true, 50, "big", !own, None, "raise the threshold"),
    ] {
        let mut engine = engine(settings("memory.available<100Mi"), FakePods::default());
        turn(&mut engine, 0);
        set(&mut engine, least * MIB, WHOLE);
        engine.look_now();
        turn(&mut engine, 1000);
        set(&mut engine, WHOLE, WHOLE);
        engine.pods_mut().oom_kills = vec![OomKill {
            kills: 1,
            name: name.into(),
            at_limit: own_limit,
            limit_above: above.map(Into::into),
            at_any_time: is_v1,
            ..OomKill::default()
        }];
        engine.round_now();
        let mut told = events(&mut engine, 1100);
        told.retain(|event| matches!(event, Event::OomKilled(_)));
        let is_untold = expected.contains("does not tell");
        let fields = told.first().map(Event::fields).unwrap_or_default();
        let tells_whose = fields.iter().any(|(name, _)| *name == "limitOf");
        assert!(!is_untold || !tells_whose, "{fields:?}");
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        let advice = told.first().map(|text| text.contains(expected));
        assert_eq!(advice, Some(true), "{least} Mi: {told:?}");
    }
}

/// Acceptance row 188.
#[test]
fn the_kernels_oom_kills_are_told_with_what_would_help() {
    let kill = |name: &str, at_limit| OomKill {
        name: name.into(),
        kills: 2,
        at_limit,
        ..OomKill::default()
    };
    let mut told = Vec::new();
    for (thresholds, kill) in [
        ("memory.available<100Mi", kill("big", false)),
        ("memory.available<100Mi", kill("big", true)),
        ("nodefs.available<100Mi", kill("", false)),
    ] {
        let mut engine = engine(settings(thresholds), three_pods());
        engine.pods_mut().oom_kills = vec![kill];
        for event in events(&mut engine, 0) {
            if let Event::OomKilled(killed) = &event {
                told.push(event.to_string());
                assert_eq!(killed.record().message, event.to_string());
            }
        }
        assert!(engine.pods().killed().is_empty());
    }
    let expected = [
        "the kernel's OOM killer killed 2 processes of pod big: memory ran out before an \
         eviction gave it back; raise the threshold memory.available<100Mi",
        "the kernel's OOM killer killed 2 processes of pod big: it reached its own memory \
         limit; no threshold helps, a higher limit does",
        "the kernel's OOM killer killed 2 processes of no pod, or of one that is gone: memory \
         ran out, and no threshold of memory.available is set; set one",
    ];
    assert_eq!(told, expected);
}

#[test]
fn nothing_is_decided_where_nothing_can_be_read() {
    let mut engine = engine(settings("memory.available<100Mi"), three_pods());
    set(&mut engine, 150 * MIB, WHOLE);
    turn(&mut engine, 0);
    engine.node_mut().set(crate::ports::Sample::default());
    engine.node_mut().problems = vec!["everything fails".into()];
    engine.round_now();
    assert_eq!(turn(&mut engine, 100)[0], "problem");
    engine.round_now();
    assert!(turn(&mut engine, 200).is_empty(), "told once");
    engine.node_mut().problems.clear();
    set(&mut engine, 150 * MIB, WHOLE);
    engine.round_now();
    assert_eq!(turn(&mut engine, 300)[0], "recovered");
    assert!(engine.pods().killed().is_empty());
}

#[test]
fn it_ends_after_the_kill_in_flight() {
    let mut pods = three_pods();
    pods.running[1].dies_after = Some(Duration::from_secs(1));
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 0);
    assert!(engine.is_killing() && engine.end_after_kill());
    assert!(!engine.end_after_kill(), "not new");
    assert!(!engine.has_ended());
    assert_eq!(turn(&mut engine, 1000), ["killed"]);
    assert!(engine.has_ended());
    assert_eq!(engine.pods().killed(), ["big"]);
}

/// Acceptance row 221: it was told at each start on a machine whose disks are slow.
#[test]
fn what_is_merely_late_is_not_told_as_unobserved() {
    let mut engine = engine(settings("nodefs.available<100Mi"), three_pods());
    let mut none = sample(WHOLE, WHOLE);
    none.readings.set(Signal::NodefsAvailable, None);
    engine.node_mut().set(none);
    engine.node_mut().awaited = [Signal::NodefsAvailable].into();
    assert_eq!(turn(&mut engine, 0), ["layout"]);
    engine.node_mut().set(sample(WHOLE, WHOLE));
    engine.node_mut().awaited.clear();
    assert!(turn(&mut engine, 10_000).is_empty(), "it has answered");
    engine.node_mut().set(none);
    assert_eq!(
        turn(&mut engine, 20_000),
        ["unobserved"],
        "its answer is an error"
    );
}

/// Acceptance row 219: it rehearses the whole episode. Each pod that would be evicted is
/// named once, as long as what those before it would have freed is not enough.
#[test]
fn a_dry_run_names_each_pod_that_would_be_evicted() {
    let mut settings = settings("memory.available<620Mi");
    settings.dry_run = true;
    let mut engine = engine(settings, three_pods());
    let would = |engine: &mut Fake, millis| -> Vec<String> {
        let mut told = events(engine, millis);
        told.retain(|event| matches!(event, Event::Evicting(_)));
        told.iter().map(ToString::to_string).collect()
    };
    let frees = |told: Vec<String>| -> Vec<String> {
        let parts = told
            .iter()
            .filter_map(|line| line.rsplit_once("; would free "));
        parts.map(|(_, amount)| amount.to_owned()).collect()
    };
    set(&mut engine, 50 * MIB, WHOLE);
    let first = would(&mut engine, 0);
    assert_eq!(
        first[0],
        "would evict pod big: memory.available is 50Mi of 1000Mi, hard threshold \
         memory.available<620Mi; the pod uses 500Mi, 500Mi above its request, priority 0, \
         BestEffort; would free 500Mi"
    );
    assert_eq!(frees(first), ["500Mi", "100Mi"], "that makes 650Mi");
    assert!(would(&mut engine, 10_000).is_empty());
    assert!(
        would(&mut engine, 60_000).is_empty(),
        "nobody is named again"
    );
    set(&mut engine, 0, WHOLE);
    assert_eq!(frees(would(&mut engine, 70_000)), ["10Mi"], "it fills on");
    assert!(would(&mut engine, 80_000).is_empty(), "no other is left");
    // The episode ends, and another begins.
    set(&mut engine, 700 * MIB, WHOLE);
    assert!(would(&mut engine, 90_000).is_empty());
    set(&mut engine, 590 * MIB, WHOLE);
    assert_eq!(frees(would(&mut engine, 100_000)), ["500Mi"]);
    // What has really ended has freed what it held: that is measured. Another has taken it.
    let pods = &mut engine.pods_mut().running;
    pods.retain(|pod| pod.pod.metadata.name != "big");
    let mut new = FakePod::new("new", 500 << 20);
    new.pod.spec.priority = Some(1);
    pods.push(new);
    engine.look_at_pods();
    assert_eq!(frees(would(&mut engine, 110_000)), ["100Mi"]);
    assert!(engine.pods().killed().is_empty());
}

/// Acceptance row 219: a threshold that nothing can meet does not name thousands.
#[test]
fn a_dry_run_names_so_many_pods_and_says_so() {
    let mut settings = settings("memory.available<990Mi");
    settings.dry_run = true;
    let pods = (0..200).map(|number| FakePod::new(&format!("pod{number}"), 8 << 20));
    let mut engine = engine(settings, FakePods::of(pods));
    set(&mut engine, 50 * MIB, WHOLE);
    let told = events(&mut engine, 0);
    let named = told.iter().filter(|of| of.name() == "would_evict").count();
    assert_eq!(named, 110, "{told:?}");
    // A rehearsal that has come to its end is no error.
    let last = told.last().unwrap();
    assert_eq!(
        (last.name(), last.level()),
        ("no_candidate", log::Level::Info)
    );
    assert_eq!(
        last.to_string(),
        "memory.available would still be short, and this dry run has named 110 that would go, \
         and names no more"
    );
    assert!(!turn(&mut engine, 10_000).contains(&"would_evict"));
}

/// Acceptance row 195: memory may come back a little after its pod is gone.
#[test]
fn that_an_eviction_gave_nothing_back_is_told_once_that_is_known() {
    let mut engine = engine(settings("memory.available<100Mi"), three_pods());
    turn(&mut engine, 0);
    set(&mut engine, 90 * MIB, WHOLE);
    let mut told = Vec::new();
    for now in (1000..8000).step_by(500) {
        engine.round_now();
        told.extend(turn(&mut engine, now).into_iter().map(|name| (now, name)));
    }
    let gone = told.iter().find(|(_, name)| *name == "killed").unwrap().0;
    let no_other = told.iter().filter(|(_, name)| *name == "no_candidate");
    let no_other: Vec<u64> = no_other.map(|(now, _)| *now).collect();
    assert_eq!(no_other, [gone + 3000], "{told:?}");
    assert_eq!(engine.pods().killed().len(), 1);
}

/// 10 MiB are missing, and the pods hold file pages.
fn short_of_memory_beside_file_pages() -> Fake {
    let mut pods = three_pods();
    pods.file_pages = 500 << 20;
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    turn(&mut engine, 0);
    set(&mut engine, 90 * MIB, WHOLE);
    engine.round_now();
    engine
}

/// Acceptance row 180: file pages are asked for first, for 50 ms, and what they give back
/// may save the pod.
#[test]
fn file_pages_are_asked_for_before_a_pod_is_killed_for_memory() {
    let mut engine = short_of_memory_beside_file_pages();
    assert_eq!(turn(&mut engine, 2000), ["met", "condition"]);
    assert_eq!(engine.pods().pages_asked, [27 << 19]);
    assert_eq!(sleep(&engine, 2000), Duration::from_millis(5));
    assert!(turn(&mut engine, 2005).is_empty());
    // It has given back enough.
    engine.pods_mut().pages_given = Some(20 << 20);
    set(&mut engine, 110 * MIB, WHOLE);
    engine.round_now();
    assert_eq!(turn(&mut engine, 2010), ["cleared", "reclaimed"]);
    assert!(engine.pods().killed().is_empty());
    // Not so the next time: 50 ms, and the pod is killed.
    engine.pods_mut().pages_given = None;
    set(&mut engine, 90 * MIB, WHOLE);
    engine.round_now();
    let mut now = 20_000;
    assert_eq!(turn(&mut engine, now), ["met"]);
    while engine.pods().killed().is_empty() {
        assert!(now <= 20_050, "it waits");
        now += u64::try_from(sleep(&engine, now).as_millis()).unwrap();
        turn(&mut engine, now);
    }
    assert_eq!((now, engine.pods().pages_asked.len()), (20_050, 2));
}

/// Acceptance row 180: listing the pods takes its time, and the kernel goes on meanwhile.
#[test]
fn what_the_kernel_gives_back_in_the_last_moment_saves_the_pod() {
    let mut engine = short_of_memory_beside_file_pages();
    turn(&mut engine, 2000);
    assert_eq!(engine.pods().pages_asked.len(), 1);
    // The wait is over by the round's own reading, and not by one after the listing.
    let [short, enough] = [90, 110].map(|left| sample(left * MIB, WHOLE));
    engine.node_mut().samples = [short, enough].into();
    engine.round_now();
    assert!(turn(&mut engine, 2060).is_empty());
    assert_eq!(turn(&mut engine, 2060), ["cleared", "reclaimed"]);
    assert!(engine.pods().killed().is_empty());
}

/// Found by the simulator (seeds 119208 and 127598): what the kernel gave back had ended the
/// pressure but for the minimum reclaim. For that 1 MiB was asked for each 5 ms, for minutes, and
/// it was told each 10 s that no pod is killed.
#[test]
fn file_pages_are_asked_for_once_for_all_that_is_missing() {
    let lists = Lists {
        hard: "memory.available<100Mi",
        minimum_reclaim: "memory.available=50Mi",
        ..Lists::default()
    };
    // Where the pods do not hold enough for both, what ends the pressure is asked for.
    for (file_pages, asked) in [(500, (60 + 15 + 1) << 20), (60, 27 << 19)] {
        let mut pods = three_pods();
        pods.file_pages = file_pages << 20;
        let mut settings = settings("");
        settings.evict.thresholds = parse(&lists).unwrap();
        let mut engine = engine(settings, pods);
        turn(&mut engine, 0);
        set(&mut engine, 90 * MIB, WHOLE);
        engine.round_now();
        turn(&mut engine, 2000);
        assert_eq!(engine.pods().pages_asked, [asked]);
        engine.pods_mut().pages_given = Some(20 << 20);
        set(&mut engine, 110 * MIB, WHOLE);
        engine.round_now();
        let mut told = Vec::new();
        for now in (2005..60_000).step_by(5) {
            told.extend(turn(&mut engine, now));
        }
        // That was not enough: who exceeds its request goes for the rest.
        assert_eq!(engine.pods().killed(), ["big"]);
        assert!(!told.contains(&"reclaimed"), "{told:?}");
        let times = engine.pods().pages_asked.len();
        assert!((2..=7).contains(&times), "once in ten seconds: {times}");
    }
}

/// Acceptance row 180: nothing is waited for while memory fills fast, where there are not
/// enough such pages, or as the kubelet has it.
#[test]
fn a_kill_that_cannot_wait_asks_for_no_file_pages() {
    let cases = [
        (500 << 20, 990, false),
        (9 << 20, 0, false),
        (500 << 20, 0, true),
    ];
    for (file_pages, look_at, is_compat) in cases {
        let mut pods = three_pods();
        pods.file_pages = file_pages;
        let mut settings = settings("memory.available<100Mi");
        settings.evict.policy.kill_comes_before_file_pages = is_compat;
        let mut engine = engine(settings, pods);
        turn(&mut engine, 0);
        engine.round_now();
        turn(&mut engine, look_at);
        set(&mut engine, 90 * MIB, WHOLE);
        turn(&mut engine, look_at + 10);
        engine.round_now();
        turn(&mut engine, 1000);
        assert_eq!(engine.pods().pages_asked, [0; 0]);
        assert_eq!(engine.pods().killed().len(), 1);
    }
}
fn soft(threshold: &str, grace: &str) -> crate::Settings {
    let mut settings = settings("");
    let lists = Lists {
        soft: threshold,
        soft_grace_period: grace,
        ..Lists::default()
    };
    settings.evict.thresholds = parse(&lists).unwrap();
    settings
}

/// As [`set`], measured then.
fn set_at(engine: &mut Fake, nodefs: i64, millis: u64) {
    engine
        .node_mut()
        .set(sampled_at(sample(WHOLE, nodefs), millis));
}

fn sampled_at(mut sample: Sample, millis: u64) -> Sample {
    for signal in Signal::ALL {
        let reading = sample.readings.get(signal);
        let sampled = Some(at(millis));
        let reading = reading.map(|reading| Reading { sampled, ..reading });
        sample.readings.set(signal, reading);
    }
    sample
}

#[test]
fn after_standing_still_no_reading_from_before_acts_and_the_grace_goes_on() {
    let mut engine = engine(
        soft("nodefs.available<300Mi", "nodefs.available=8s"),
        three_pods(),
    );
    set_at(&mut engine, 200 * MIB, 0);
    turn(&mut engine, 0);
    // Stopped until then; the filesystem had answered a moment before.
    set_at(&mut engine, 200 * MIB, 7000);
    turn(&mut engine, 20_000);
    assert_eq!(engine.pods().killed(), [""; 0]);
    set_at(&mut engine, 200 * MIB, 20_050);
    engine.round_now();
    turn(&mut engine, 20_050);
    assert_eq!(engine.pods().killed(), ["big"]);
}

#[test]
fn a_stop_between_reading_and_killing_is_noticed() {
    for (left, killed) in [(WHOLE, &[][..]), (50 * MIB, &["big"])] {
        let mut settings = settings("memory.available<100Mi");
        settings.clock = || at(12_000);
        let mut engine = engine(settings, three_pods());
        engine.node_mut().samples = [
            sampled_at(sample(50 * MIB, WHOLE), 0),
            sampled_at(sample(left, WHOLE), 12_000),
        ]
        .into();
        turn(&mut engine, 0);
        assert_eq!(engine.pods().killed(), killed);
    }
}

/// Acceptance row 179: what the dead pod left in a tmpfs is deleted, and counts as what its
/// eviction gave back.
#[test]
fn what_a_dead_pod_left_in_memory_is_emptied_before_another_is_evicted() {
    let mut engine = engine(settings("memory.available<100Mi"), three_pods());
    engine.reclaim_mut().leftovers = Some(Collected {
        removed: 3,
        text: "deleted".into(),
        ..Collected::default()
    });
    engine.reclaim_mut().deleted_at = Some(at(20_000));
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 0);
    assert_eq!(engine.reclaim().emptied, ["big"]);
    for seconds in 1..20 {
        engine.round_now();
        let told = turn(&mut engine, seconds * 1000);
        assert_eq!(told, ["deleting"], "it is not known yet what it gives back");
    }
    set(&mut engine, 450 * MIB, WHOLE);
    assert_eq!(turn(&mut engine, 20_000)[..2], ["reclaimed", "cleared"]);
    assert_eq!(engine.pods().killed(), ["big"]);
}

/// Acceptance rows 194 and 265: what something starts anew each time takes two lines: its
/// eviction with a count, and its end, which is an event as the first one's is.
#[test]
fn a_service_that_comes_back_takes_two_lines_each_time() {
    let mut engine = engine(settings("memory.available<100Mi"), FakePods::default());
    for turn in 0..4_u64 {
        let mut web = FakePod::new("web", 500 << 20);
        web.pod.metadata.uid = format!("web-{turn}");
        engine.pods_mut().running = vec![web];
        set(&mut engine, 50 * MIB, WHOLE);
        let told = lines(&mut engine, turn * 20_000);
        if turn == 0 {
            assert_eq!(told.len(), 5, "{told:?}");
        } else {
            let again = format!(
                "evicting pod web again, {} times in {} s: ",
                turn + 1,
                turn * 20
            );
            assert!(told[0].starts_with(&again), "{told:?}");
            let ends = told.iter().filter(|line| line.contains("is gone after"));
            assert_eq!(ends.count(), 1, "{told:?}");
            // That it is in an eviction loop is told once.
            assert_eq!(told.len(), if turn == 1 { 3 } else { 2 }, "{told:?}");
        }
        set(&mut engine, WHOLE, WHOLE);
        let told = lines(&mut engine, turn * 20_000 + 10_000);
        assert_eq!(told.len(), usize::from(turn == 0), "{told:?}");
    }
}

/// Acceptance row 195: a restart is no news.
#[test]
fn a_condition_that_holds_on_is_not_told_anew() {
    let mut engine = engine(settings("memory.available<100Mi"), three_pods());
    engine.hold_on(evictd_node::ConditionSet::MEMORY_PRESSURE);
    set(&mut engine, 99 * MIB, WHOLE);
    assert_eq!(
        turn(&mut engine, 0),
        ["layout", "met", "evicting", "killed"]
    );
}

/// Acceptance row 374: why this one and not another, as both were then.
#[test]
fn who_would_have_been_next_is_kept_with_its_numbers() {
    let next = |pods| {
        let mut engine = engine(settings("memory.available<100Mi"), pods);
        set(&mut engine, 50 * MIB, WHOLE);
        let told = events(&mut engine, 0);
        let evicting = told.iter().find(|of| of.name() == "evicting").unwrap();
        let Event::Evicting(decision) = evicting else {
            panic!("{evicting:?}");
        };
        let fields = evicting.fields();
        let of = |name| {
            let field = fields.iter().find(|(of, _)| *of == name);
            field.and_then(|(_, of)| of.as_str().map(String::from))
        };
        assert_eq!(of("next"), decision.record.next);
        assert_eq!(of("nextReason"), decision.record.next_reason);
        assert_eq!(of("rule"), decision.record.rule);
        of("nextReason").zip(of("rule"))
    };
    let middle = "uses 100Mi, 100Mi above its request, priority 0, BestEffort";
    let rule = "it is further above its request";
    assert_eq!(next(three_pods()), Some((middle.into(), rule.into())));
    // Neither one that is protected, nor the victim itself.
    let mut pods = three_pods();
    for pod in &mut pods.running {
        if pod.pod.metadata.name != "big" {
            pod.pod.spec.priority = Some(2_000_000_000);
        }
    }
    assert_eq!(next(pods), None);
}

/// Acceptance row 195: each line of an eviction says what a person needs, with room to spare.
#[test]
fn the_lines_of_an_eviction_are_short_and_true() {
    let mut pods = three_pods();
    pods.running[1].pod.metadata.name = "n".repeat(253);
    pods.running[1].pod.spec.priority = Some(2_000_000_001);
    pods.running[2].pod.metadata.name = "m".repeat(253);
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 99 * MIB, WHOLE);
    let told = lines(&mut engine, 0);
    assert_eq!(
        told[1],
        "memory.available is 99Mi of 1000Mi, below the hard threshold memory.available<100Mi \
         (--eviction-hard)"
    );
    let name = "m".repeat(48);
    assert_eq!(
        told[3],
        format!(
            "evicting pod {name}…: memory.available is 99Mi of 1000Mi, hard threshold \
             memory.available<100Mi; the pod uses 100Mi, 100Mi above its request, priority 0, \
             BestEffort"
        )
    );
}

/// Acceptance rows 172 and 195: a container of Docker was evicted for a disk, and nothing of
/// it is deleted. That is told with what helps, and the next one needs new evidence.
#[test]
fn what_a_container_leaves_on_its_disk_is_told_and_costs_nobody_else() {
    let mut pods = three_pods();
    pods.files_stay = true;
    for pod in &mut pods.running {
        pod.pod.metadata.namespace = "docker".into();
        let mut container = Container::default();
        container.name.clone_from(&pod.pod.metadata.name);
        pod.pod.spec.containers.push(container);
    }
    let mut engine = engine(settings("nodefs.available<100Mi"), pods);
    set(&mut engine, WHOLE, 50 * MIB);
    let mut told = Vec::new();
    for seconds in 0..120 {
        told.extend(lines(&mut engine, seconds * 1000));
    }
    assert_eq!(engine.pods().killed(), ["big"]);
    let killed = told.iter().find(|line| line.contains("is gone")).unwrap();
    let stays = "; its log and what it wrote, at least 500Mi, stay on the disk until its container is \
                 removed: docker rm big, or --collect-dead-containers=all";
    assert!(killed.ends_with(stays), "{killed}");
    let nothing = "nodefs.available is short and no pod is evicted: what docker/big wrote holds 500Mi \
                   and its container has ended; free it with `docker rm big`";
    let times = told.iter().filter(|line| *line == nothing).count();
    assert_eq!(times, 1, "{told:?}");

    // For memory nothing stays.
    let mut pods = three_pods();
    pods.files_stay = true;
    let mut engine = self::engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    let told = lines(&mut engine, 0);
    assert!(
        !told.iter().any(|line| line.contains("stay on the disk")),
        "{told:?}"
    );
}
