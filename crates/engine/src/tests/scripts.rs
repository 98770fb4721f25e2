use core::time::Duration;

use evictd_gc::{Enough, ImageJob};
use evictd_threshold::{Lists, parse};

use super::script::*;
use crate::fake::{FakePod, FakePods};
use crate::ports::{Collect, Collected, Depth, News};

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
    assert_eq!(engine.node.waits, [crate::FIRST_FS_WAIT]);
    // 900 MiB at 6 GiB a second.
    let look = sleep(&engine, 0);
    assert!(look > Duration::from_millis(140) && look < Duration::from_millis(150));
    assert!(turn(&mut engine, 146).is_empty());
    assert_eq!((engine.node.looks, engine.node.waits.len()), (0, 1));
    assert!(turn(&mut engine, 147).is_empty());
    assert_eq!((engine.node.looks, engine.node.waits.len()), (1, 1));
    set(&mut engine, 99 * MIB, WHOLE);
    assert_eq!(
        turn(&mut engine, 300),
        ["met", "condition", "evicting", "killed"]
    );
    assert_eq!(engine.node.waits[1], Duration::ZERO);
    assert_eq!(engine.pods.killed(), ["big"]);
    assert_eq!(engine.pods.listings, [Depth::Bounds]);
}

#[test]
fn while_the_kernel_guards_memory_is_not_looked_at() {
    let mut engine = engine(settings("memory.available<100Mi"), three_pods());
    turn(&mut engine, 0);
    engine.guard(true);
    assert_eq!(sleep(&engine, 0), Duration::from_secs(10));
    assert!(turn(&mut engine, 5000).is_empty());
    assert_eq!(engine.node.looks, 0);
    engine.look_now();
    assert_eq!(sleep(&engine, 5000), Duration::ZERO);
    set(&mut engine, 50 * MIB, WHOLE);
    turn(&mut engine, 5000);
    assert_eq!(engine.pods.killed(), ["big"]);
}

#[test]
fn the_next_pod_is_evicted_only_when_the_last_one_is_gone() {
    let mut pods = three_pods();
    pods.running[1].dies_after = Some(Duration::from_millis(300));
    let mut engine = engine(settings("memory.available<100Mi"), pods);
    set(&mut engine, 50 * MIB, WHOLE);
    assert_eq!(
        turn(&mut engine, 0),
        ["layout", "met", "condition", "evicting"]
    );
    assert_eq!(sleep(&engine, 0), Duration::from_millis(300));
    engine.round_now();
    assert!(turn(&mut engine, 200).is_empty());
    assert!(engine.is_killing());
    // Measured again at once, and memory is still short: so the next one.
    assert_eq!(turn(&mut engine, 300), ["killed", "evicting", "killed"]);
    assert_eq!(engine.pods.killed(), ["big", "middle"]);
}

#[test]
fn a_pod_that_cannot_be_killed_costs_its_turn() {
    let mut pods = three_pods();
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
    assert_eq!(engine.pods.killed(), ["middle"]);
    assert_eq!(sleep(&engine, 0), Duration::from_secs(10));
    assert_eq!(
        turn(&mut engine, 10_000),
        ["stuck", "evicting", "killed", "no_candidate"]
    );
    assert_eq!(engine.pods.killed(), ["middle", "small"]);
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
    assert_eq!(engine.pods.kills.borrow()[0].grace, Duration::from_secs(20));
    set(&mut engine, 50 * MIB, WHOLE);
    assert_eq!(turn(&mut engine, 2000), ["grace_cut", "killed"]);
    assert_eq!(engine.pods.killed(), ["big"], "no second kill of it");
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
            engine.pods.news = vec![News::Ending("big".into())];
            assert!(turn(&mut engine, 2000).is_empty());
        }
        let told = [3000, 5999, 6000].map(|millis| turn(&mut engine, millis));
        let first = told.concat().first().copied();
        assert_eq!(first, Some(expected), "{told:?}");
        assert_eq!(told[2].first(), Some(&"killed"));
    }
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
        (engine.pods.disk_asked, engine.pods.kills.borrow().len()),
        (1, 0)
    );
    assert_eq!(sleep(&engine, 0), Duration::from_millis(50));
    set(&mut engine, 50 * MIB, 50 * MIB);
    turn(&mut engine, 50);
    assert_eq!(engine.pods.killed(), ["big"]);
    assert_eq!(engine.pods.disk_asked, 1);
}

#[test]
fn measuring_a_disk_is_not_waited_for_for_ever() {
    let mut pods = three_pods();
    pods.disk_measured_at = Some(at(1_000_000));
    let mut engine = engine(settings("nodefs.available<100Mi"), pods);
    set(&mut engine, WHOLE, 50 * MIB);
    let mut now = 0;
    while engine.pods.killed().is_empty() {
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
    engine.reclaim.runtimes = 1;
    set(&mut engine, WHOLE, 50 * MIB);
    let told = turn(&mut engine, 0);
    assert_eq!(told, ["layout", "met", "condition", "reclaiming"]);
    let jobs = engine.reclaim.jobs.clone();
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
    assert_eq!(engine.reclaim.jobs.len(), jobs.len());
    let collected = |number| News::Collected {
        number,
        result: Ok(Collected {
            removed: 1,
            text: "removed".into(),
            ..Collected::default()
        }),
    };
    engine.pods.news = vec![collected(last.number)];
    assert_eq!(turn(&mut engine, 200), ["reclaimed"]);
    let images = engine.reclaim.jobs.last().unwrap().clone();
    let until = Some(Enough::Bytes(100 << 20));
    assert_eq!(
        images.what,
        Collect::Images(ImageJob::DeleteUnused { until })
    );
    set(&mut engine, WHOLE, 500 * MIB);
    engine.pods.news = vec![collected(images.number)];
    assert_eq!(turn(&mut engine, 300), ["reclaimed"]);
    engine.round_now();
    assert_eq!(turn(&mut engine, 301), ["cleared"]);
    assert!(engine.pods.killed().is_empty());
}

#[test]
fn what_gave_nothing_back_is_not_tried_again_soon() {
    let mut engine = engine(settings("nodefs.available<100Mi"), FakePods::default());
    engine.reclaim.leftovers = Some(Collected::default());
    set(&mut engine, WHOLE, 50 * MIB);
    let mut tries = Vec::new();
    for second in 0..80 {
        let before = engine.reclaim.collections;
        engine.round_now();
        turn(&mut engine, second * 1000);
        if engine.reclaim.collections > before {
            tries.push(second);
        }
    }
    assert_eq!(tries, [0, 10, 30, 70]);
}

#[test]
fn nothing_is_decided_where_nothing_can_be_read() {
    let mut engine = engine(settings("memory.available<100Mi"), three_pods());
    set(&mut engine, 150 * MIB, WHOLE);
    turn(&mut engine, 0);
    engine.node.set(crate::ports::Sample::default());
    engine.node.problems = vec!["everything fails".into()];
    engine.round_now();
    assert_eq!(turn(&mut engine, 100)[0], "problem");
    engine.round_now();
    assert!(turn(&mut engine, 200).is_empty(), "told once");
    engine.node.problems.clear();
    set(&mut engine, 150 * MIB, WHOLE);
    engine.round_now();
    assert_eq!(turn(&mut engine, 300)[0], "recovered");
    assert!(engine.pods.killed().is_empty());
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
    assert_eq!(engine.pods.killed(), ["big"]);
}

#[test]
fn a_dry_run_kills_nothing() {
    let mut settings = settings("memory.available<100Mi");
    settings.dry_run = true;
    let mut engine = engine(settings, three_pods());
    set(&mut engine, 50 * MIB, WHOLE);
    assert_eq!(
        turn(&mut engine, 0),
        ["layout", "met", "condition", "would_evict"]
    );
    assert!(engine.pods.killed().is_empty());
}
