use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::{Config, Evict};

use super::*;

const MIB: u64 = 1 << 20;

fn at(millis: u64) -> Mono {
    Mono::ZERO + Duration::from_millis(millis)
}

/// A pod that is asked for nothing, as nothing is known of how long it waits.
fn pod(uid: &str, mib: u64) -> ReliefPod<'_> {
    ReliefPod {
        uid,
        usage_bytes: mib * MIB,
        ..ReliefPod::default()
    }
}

/// Acceptance row 320: nothing begins while a hard threshold is met, or nothing is short.
#[test]
fn relief_begins_only_where_memory_gets_short() {
    let mut relief = Relief::default();
    for (second, need) in [(1, Need::Hard), (2, Need::None), (3, Need::Hard)] {
        let growing = pod("hog", 100 * second);
        let steps = relief.step(at(second * 1000), need, true, &[growing]);
        assert_eq!(steps, Steps::default(), "{need:?}");
    }
}

/// Acceptance row 321: a hundredth at a time, each second, only of who does not wait.
#[test]
fn a_little_is_asked_of_each_pod_that_does_not_wait() {
    let mut relief = Relief::default();
    let waiting = ReliefPod {
        waited_permille: Some(MOST_WAITING + 1),
        ..pod("waits", 100)
    };
    let calm = ReliefPod {
        waited_permille: Some(0),
        ..pod("calm", 100)
    };
    let critical = ReliefPod {
        is_critical: true,
        waited_permille: Some(0),
        ..pod("critical", 100)
    };
    let pods = [calm, waiting, pod("unknown", 100), critical];
    let asked = Act::Reclaim { pod: 0, bytes: MIB };
    for (millis, expected) in [
        (0, vec![asked]),
        (900, vec![]),
        (1000, vec![asked]),
        (1500, vec![]),
    ] {
        let steps = relief.step(at(millis), Need::Near, true, &pods);
        assert_eq!(steps.begun, expected, "{millis}");
    }
}

/// Acceptance row 323: of those that grow the fastest, at what it has.
#[test]
fn the_one_that_grows_is_braked_until_there_is_room() {
    let mut relief = Relief::default();
    let look = |relief: &mut Relief, second: u64, need, hog: u64| {
        let critical = ReliefPod {
            is_critical: true,
            ..pod("critical", 10 * hog)
        };
        let pods = [
            pod("still", 500),
            critical,
            pod("hog", hog),
            pod("slow", 100 + second),
        ];
        relief.step(at(second * 1000), need, true, &pods)
    };
    assert_eq!(look(&mut relief, 0, Need::Near, 100), Steps::default());
    let braked = Act::Brake {
        pod: 2,
        high: 150 * MIB,
        gained: 50 * MIB,
    };
    assert_eq!(look(&mut relief, 1, Need::Near, 150).begun, [braked]);
    assert_eq!(look(&mut relief, 2, Need::Near, 151), Steps::default());
    assert_eq!(
        look(&mut relief, 3, Need::None, 100),
        Steps::default(),
        "room for a moment"
    );
    assert_eq!(look(&mut relief, 4, Need::Hard, 100), Steps::default());
    assert_eq!(look(&mut relief, 5, Need::Tight, 100), Steps::default());
    assert_eq!(look(&mut relief, 8, Need::Tight, 100), Steps::default());
    assert_eq!(look(&mut relief, 9, Need::None, 100), Steps::default());
    let over = look(&mut relief, 11, Need::None, 100).over;
    assert_eq!(over.len(), 1);
    assert_eq!(
        (over[0].why, over[0].after),
        (Lifted::Room, Duration::from_secs(10))
    );
    assert!(!relief.holds_any());
}

/// Acceptance row 323: no pod is kept from what it needs.
#[test]
fn a_brake_is_lifted_from_who_reads_back_what_it_needs() {
    let mut relief = Relief::default();
    let look = |relief: &mut Relief, second: u64, mib, refaulted_bytes| {
        let hog = ReliefPod {
            refaulted_bytes,
            ..pod("hog", mib)
        };
        relief.step(at(second * 1000), Need::Near, true, &[hog])
    };
    look(&mut relief, 0, 100, 0);
    assert_eq!(look(&mut relief, 1, 160, 0).begun.len(), 1);
    assert_eq!(look(&mut relief, 2, 160, 10 * MIB), Steps::default());
    let over = look(&mut relief, 3, 160, 11 * MIB).over;
    assert_eq!(over[0].why, Lifted::Thrashes);
    assert_eq!(look(&mut relief, 4, 300, 0), Steps::default(), "it rests");
    assert_eq!(look(&mut relief, 64, 800, 0).begun.len(), 1);
}

/// Acceptance row 325.
#[test]
fn brake_of_a_gone_pod_or_of_relief_that_is_off_is_lifted() {
    for (is_on, is_there, why) in [(false, true, Lifted::Ended), (true, false, Lifted::Gone)] {
        let mut relief = Relief::default();
        relief.step(at(0), Need::Near, true, &[pod("hog", 100)]);
        relief.step(at(1000), Need::Near, true, &[pod("hog", 200)]);
        assert!(relief.is_braked("hog"));
        let pods = [pod("hog", 200)];
        let seen = if is_there { &pods[..] } else { &[] };
        let over = relief.step(at(2000), Need::Near, is_on, seen).over;
        assert_eq!(over[0].why, why);
        assert_eq!(relief.end(at(3000)), []);
    }
}

/// Acceptance row 319: whatever happens, each brake is lifted by its deadline, once, and all of
/// them at the end; and none is set twice.
#[test]
fn brake_never_outlasts_its_deadline() {
    let mut seed = 1_u64;
    let mut random = move |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    const UIDS: [&str; 4] = ["a", "b", "c", "d"];
    let mut has_set = 0;
    for _ in 0..2000 {
        let mut relief = Relief::default();
        let mut set: Vec<(String, Mono)> = Vec::new();
        let mut now = at(0);
        for _ in 0..60 {
            now = now + Duration::from_millis(1 + random(3000));
            let need = [Need::None, Need::Near, Need::Near, Need::Tight, Need::Hard];
            let need = need[usize::try_from(random(5)).unwrap()];
            let is_on = random(20) > 0;
            let uids = UIDS.iter().filter(|_| random(12) > 0);
            let pods: Vec<ReliefPod<'_>> = uids
                .collect::<Vec<_>>()
                .into_iter()
                .map(|uid| ReliefPod {
                    is_critical: random(8) == 0,
                    refaulted_bytes: random(20) * MIB,
                    waited_permille: (random(2) == 0).then_some(0),
                    ..pod(uid, random(300))
                })
                .collect();
            let steps = relief.step(now, need, is_on, &pods);
            for lift in steps.over {
                let before = set.len();
                set.retain(|(uid, _)| *uid != lift.uid);
                assert_eq!(set.len() + 1, before, "lifted once: {lift:?}");
            }
            for act in steps.begun {
                let (Act::Reclaim { pod, .. } | Act::Brake { pod, .. }) = act;
                assert!(need == Need::Near && is_on && !pods[pod].is_critical);
                if matches!(act, Act::Brake { .. }) {
                    assert_eq!(set, [], "one at a time");
                    set.push((String::from(pods[pod].uid), now));
                    has_set += 1;
                }
            }
            for (uid, since) in &set {
                assert!(now.since(*since) < BRAKE_FOR, "{uid}");
            }
            assert_eq!(relief.holds_any(), !set.is_empty());
        }
        assert_eq!(relief.end(now).len(), set.len());
        assert!(!relief.holds_any());
    }
    assert!(has_set > 1000, "only {has_set}");
}

/// Acceptance row 391: who describes a pod may be heard after it was braked.
#[test]
fn brake_of_a_pod_that_turns_out_critical_is_lifted() {
    let mut relief = Relief::default();
    let mut look = |second: u64, mib, is_critical| {
        let growing = ReliefPod {
            is_critical,
            ..pod("hog", mib)
        };
        relief.step(at(second * 1000), Need::Near, true, &[growing])
    };
    look(0, 100, false);
    look(1, 200, false);
    let over = look(2, 200, true).over;
    assert_eq!(over[0].why, Lifted::Critical);
}

/// What the loop says in turn: when, and how short memory is.
fn said(turns: &[(u64, i64, bool, bool)]) -> Vec<Option<Need>> {
    let lists = evictd_threshold::Lists {
        hard: "memory.available<100Mi",
        ..evictd_threshold::Lists::default()
    };
    let evict = Evict::new(Config {
        thresholds: evictd_threshold::parse(&lists).unwrap(),
        ..Config::default()
    });
    let mut saying = Saying::default();
    let turns = turns.iter().map(|&(millis, mib, is_on, holds_any)| {
        let mut readings = evictd_node::Readings::default();
        let mib = mib * 1_048_576;
        let reading = evictd_node::Reading::new(mib, 800 << 20);
        readings.set(evictd_node::Signal::MemoryAvailable, Some(reading));
        let known = Known {
            thresholds: evict.thresholds(),
            readings: &readings,
            awaits_picture: millis < 1000,
            holds_any,
        };
        let said = saying.next(at(millis), is_on, &known)?;
        let need = said.need;
        saying.note(said);
        Some(need)
    });
    turns.collect()
}

/// Acceptance row 391: nothing begins before those were heard who tell who is critical.
#[test]
fn nothing_begins_before_the_pods_are_described() {
    let turns = [(0, 105, true, false), (1000, 105, true, false)];
    assert_eq!(said(&turns), [None, Some(Need::Near)]);
}

/// Acceptance row 392: what is switched off is over at once, also where nothing is short.
#[test]
fn other_settings_are_said_while_anything_is_set() {
    let turns = [
        (1000, 105, true, false),
        (2000, 500, true, true),
        (2100, 500, false, true),
        (3500, 500, false, true),
    ];
    let none = Some(Need::None);
    assert_eq!(said(&turns), [Some(Need::Near), none, none, None]);
}

/// Acceptance row 319: of a loop that stands still nobody knows whether memory is short.
#[test]
fn what_was_said_long_ago_is_not_believed() {
    let said = Said {
        at: at(1000),
        need: Need::Near,
        ..Said::default()
    };
    assert_eq!(said.need_at(at(5999)), Need::Near);
    assert_eq!(said.need_at(at(6000)), Need::None);
}

/// Acceptance row 391: descriptors were lacking for a moment, and every pod looked gone.
#[test]
fn unreadable_pod_keeps_its_rest_for_ten_looks() {
    let mut relief = Relief::default();
    let mut mib = 100;
    let mut look = |second: u64, is_there: bool| {
        mib += 100;
        let pods = [pod("hog", mib)];
        let seen = if is_there { &pods[..] } else { &[] };
        let steps = relief.step(at(second * 1000), Need::Near, true, seen);
        let braked = |act: &Act| matches!(act, Act::Brake { .. });
        (steps.begun.iter().any(braked), steps.over)
    };
    assert!(!look(0, true).0);
    assert!(look(1, true).0);
    assert_eq!(look(2, false).1[0].why, Lifted::Gone);
    for second in 3..11 {
        assert!(!look(second, false).0);
    }
    // It is there again, and rests.
    for second in 11..62 {
        assert!(!look(second, true).0, "{second}");
    }
    assert!(look(62, true).0);
    for second in 63..74 {
        look(second, false);
    }
    // Another pod by now, for all that is known.
    assert!(!look(74, true).0);
    assert!(look(75, true).0);
}

/// Acceptance row 437: its runtime has started it again, in a cgroup in which nothing is set.
#[test]
fn restarted_pod_has_no_brake() {
    let mut relief = Relief::default();
    let look = |relief: &mut Relief, second: u64, cgroup: u64| {
        let pod = ReliefPod {
            cgroup,
            ..pod("again", 100 * (1 + second))
        };
        relief.step(at(second * 1000), Need::Near, true, &[pod])
    };
    look(&mut relief, 0, 1);
    look(&mut relief, 1, 1);
    assert!(relief.is_braked("again"));
    let steps = look(&mut relief, 2, 2);
    assert_eq!(steps.over[0].why, Lifted::Gone);
    assert_eq!(steps.begun, [], "how fast it grows is not known");
}
