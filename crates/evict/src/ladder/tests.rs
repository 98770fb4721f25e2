use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::*;

const MIB: u64 = 1 << 20;

fn all() -> MemoryRungs {
    MemoryRung::ALL
        .into_iter()
        .fold(MemoryRungs::default(), MemoryRungs::with)
}

fn only(rung: MemoryRung) -> MemoryRungs {
    MemoryRungs::default().with(rung)
}

fn at(millis: u64) -> Mono {
    Mono::ZERO + Duration::from_millis(millis)
}

fn pod(uid: &str, mib: u64) -> LadderPod<'_> {
    LadderPod {
        uid,
        usage_bytes: mib * MIB,
        waited_permille: Some(0),
        ..LadderPod::default()
    }
}

/// Acceptance row 320: nothing begins while a hard threshold is met, or nothing is short.
#[test]
fn rungs_are_for_when_memory_gets_short() {
    let mut ladder = Ladder::default();
    for (second, need) in [(1, Need::Hard), (2, Need::None), (3, Need::Hard)] {
        let growing = LadderPod {
            listens: true,
            is_freezable: true,
            ..pod("hog", 100 * second)
        };
        let steps = ladder.step(at(second * 1000), need, all(), &[growing]);
        assert_eq!(steps, Steps::default(), "{need:?}");
    }
}

/// Acceptance row 321: a hundredth at a time, each second, only of who does not wait.
#[test]
fn a_little_is_asked_of_each_pod_that_does_not_wait() {
    let mut ladder = Ladder::default();
    let waiting = LadderPod {
        waited_permille: Some(MOST_WAITING + 1),
        ..pod("waits", 100)
    };
    let unknown = LadderPod {
        waited_permille: None,
        ..pod("unknown", 100)
    };
    let critical = LadderPod {
        is_critical: true,
        ..pod("critical", 100)
    };
    let pods = [pod("calm", 100), waiting, unknown, critical];
    let asked = Act::Reclaim { pod: 0, bytes: MIB };
    for (millis, expected) in [
        (0, vec![asked]),
        (900, vec![]),
        (1000, vec![asked]),
        (1500, vec![]),
    ] {
        let steps = ladder.step(at(millis), Need::Near, only(MemoryRung::Reclaim), &pods);
        assert_eq!(steps.begun, expected, "{millis}");
    }
}

/// Acceptance row 322.
#[test]
fn who_asks_for_it_is_told_once_a_minute() {
    let mut ladder = Ladder::default();
    let listens = LadderPod {
        listens: true,
        ..pod("cache", 10)
    };
    let pods = [pod("deaf", 10), listens];
    for (second, expected) in [(0, 1), (30, 0), (60, 1), (61, 0)] {
        let steps = ladder.step(at(second * 1000), Need::Near, only(MemoryRung::Tell), &pods);
        assert_eq!(steps.begun.len(), expected, "{second}");
        assert!(steps.begun.iter().all(|act| *act == Act::Tell { pod: 1 }));
    }
}

/// Acceptance row 323: of those that grow the fastest, at what it has.
#[test]
fn the_one_that_grows_is_braked_until_there_is_room() {
    let mut ladder = Ladder::default();
    let look = |ladder: &mut Ladder, second: u64, need, hog: u64| {
        let critical = LadderPod {
            is_critical: true,
            ..pod("critical", 10 * hog)
        };
        let pods = [
            pod("still", 500),
            critical,
            pod("hog", hog),
            pod("slow", 100 + second),
        ];
        ladder.step(at(second * 1000), need, only(MemoryRung::Brake), &pods)
    };
    assert_eq!(look(&mut ladder, 0, Need::Near, 100), Steps::default());
    let braked = Act::Brake {
        pod: 2,
        high: 150 * MIB,
        gained: 50 * MIB,
    };
    assert_eq!(look(&mut ladder, 1, Need::Near, 150).begun, [braked]);
    assert_eq!(look(&mut ladder, 2, Need::Near, 151), Steps::default());
    assert_eq!(
        look(&mut ladder, 3, Need::None, 100),
        Steps::default(),
        "room for a moment"
    );
    assert_eq!(look(&mut ladder, 4, Need::Hard, 100), Steps::default());
    assert_eq!(look(&mut ladder, 5, Need::Tight, 100), Steps::default());
    assert_eq!(look(&mut ladder, 8, Need::Tight, 100), Steps::default());
    assert_eq!(look(&mut ladder, 9, Need::None, 100), Steps::default());
    let over = look(&mut ladder, 11, Need::None, 100).over;
    assert_eq!(over.len(), 1);
    assert_eq!(
        (over[0].why, over[0].after),
        (Lifted::Room, Duration::from_secs(10))
    );
    assert!(!ladder.holds_any());
}

/// Acceptance row 323: no pod is kept from what it needs.
#[test]
fn a_brake_is_lifted_from_who_reads_back_what_it_needs() {
    let mut ladder = Ladder::default();
    let look = |ladder: &mut Ladder, second: u64, mib, refaulted_bytes| {
        let hog = LadderPod {
            refaulted_bytes,
            ..pod("hog", mib)
        };
        let brake = only(MemoryRung::Brake);
        ladder.step(at(second * 1000), Need::Near, brake, &[hog])
    };
    look(&mut ladder, 0, 100, 0);
    assert_eq!(look(&mut ladder, 1, 160, 0).begun.len(), 1);
    assert_eq!(look(&mut ladder, 2, 160, 10 * MIB), Steps::default());
    let over = look(&mut ladder, 3, 160, 11 * MIB).over;
    assert_eq!(over[0].why, Lifted::Thrashes);
    assert_eq!(look(&mut ladder, 4, 300, 0), Steps::default(), "it rests");
    assert_eq!(look(&mut ladder, 64, 800, 0).begun.len(), 1);
}

/// Acceptance row 324: by label only, the lowest priority first; thawed the highest first.
#[test]
fn pods_that_may_be_are_frozen_and_thawed_by_priority() {
    let mut ladder = Ladder::default();
    let freezable = |uid, priority| LadderPod {
        priority,
        is_freezable: true,
        ..pod(uid, 100)
    };
    let pods = [
        freezable("high", 5),
        freezable("low", -1),
        pod("usual", 500),
    ];
    let mut look = |second: u64, need| {
        let steps = ladder.step(at(second * 1000), need, only(MemoryRung::Freeze), &pods);
        let thawed: Vec<String> = steps.over.into_iter().map(|lift| lift.uid).collect();
        let frozen = |act: &&Act| matches!(act, Act::Freeze { .. });
        (steps.begun.iter().find(frozen).copied(), thawed)
    };
    let nobody: Vec<String> = vec![];
    assert_eq!(look(0, Need::Near), (None, nobody.clone()));
    assert_eq!(
        look(2, Need::Near),
        (Some(Act::Freeze { pod: 1 }), nobody.clone())
    );
    assert_eq!(
        look(3, Need::Near),
        (Some(Act::Freeze { pod: 0 }), nobody.clone())
    );
    assert_eq!(look(4, Need::Near), (None, nobody.clone()));
    assert_eq!(look(5, Need::None), (None, nobody.clone()));
    assert_eq!(look(7, Need::None), (None, vec!["high".into()]));
    assert_eq!(look(8, Need::None), (None, vec!["low".into()]));
}

/// Acceptance row 325.
#[test]
fn what_is_switched_off_or_gone_is_lifted() {
    let mut ladder = Ladder::default();
    let both = only(MemoryRung::Brake).with(MemoryRung::Freeze);
    let look = |ladder: &mut Ladder, second: u64, mib, allowed| {
        let freezable = LadderPod {
            is_freezable: true,
            ..pod("batch", 10)
        };
        let pods = [pod("hog", mib), freezable];
        ladder.step(at(second * 1000), Need::Near, allowed, &pods)
    };
    look(&mut ladder, 0, 100, both);
    look(&mut ladder, 1, 200, both);
    look(&mut ladder, 2, 200, both);
    let over = look(&mut ladder, 3, 200, only(MemoryRung::Brake)).over;
    assert_eq!(
        (over[0].rung, over[0].why),
        (MemoryRung::Freeze, Lifted::Ended)
    );
    let over = ladder.step(at(4000), Need::Near, both, &[]).over;
    assert_eq!(
        (over[0].rung, over[0].why),
        (MemoryRung::Brake, Lifted::Gone)
    );
    assert_eq!(ladder.end(at(5000)), []);
}

/// Acceptance row 319: whatever happens, each thing that is set is lifted by its deadline,
/// once, and all of it at the end; and nothing is set twice.
#[test]
#[expect(clippy::too_many_lines, reason = "one story")]
fn nothing_is_set_for_longer_than_it_may_be() {
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
        let mut ladder = Ladder::default();
        let mut set: Vec<(String, MemoryRung, Mono)> = Vec::new();
        let mut now = at(0);
        for _ in 0..60 {
            now = now + Duration::from_millis(1 + random(3000));
            let need = [Need::None, Need::Near, Need::Near, Need::Tight, Need::Hard];
            let need = need[usize::try_from(random(5)).unwrap()];
            let allowed = if random(20) == 0 {
                MemoryRungs::default()
            } else {
                all()
            };
            let uids = UIDS.iter().filter(|_| random(12) > 0);
            let pods: Vec<LadderPod<'_>> = uids
                .collect::<Vec<_>>()
                .into_iter()
                .map(|uid| LadderPod {
                    is_freezable: random(2) == 0,
                    priority: i32::try_from(random(3)).unwrap(),
                    is_critical: random(8) == 0,
                    refaulted_bytes: random(20) * MIB,
                    ..pod(uid, random(300))
                })
                .collect();
            let steps = ladder.step(now, need, allowed, &pods);
            for lift in steps.over {
                let before = set.len();
                set.retain(|(uid, rung, _)| *uid != lift.uid || *rung != lift.rung);
                assert_eq!(set.len() + 1, before, "lifted once: {lift:?}");
            }
            for act in steps.begun {
                let (pod, rung) = match act {
                    Act::Brake { pod, .. } => (pod, MemoryRung::Brake),
                    Act::Freeze { pod } => (pod, MemoryRung::Freeze),
                    Act::Reclaim { .. } | Act::Tell { .. } => continue,
                };
                assert!(need == Need::Near && allowed.has(rung) && !pods[pod].is_critical);
                let uid = String::from(pods[pod].uid);
                assert!(
                    !set.iter()
                        .any(|(of, other, _)| *of == uid && *other == rung)
                );
                set.push((uid, rung, now));
                has_set += 1;
            }
            for (uid, rung, since) in &set {
                let most = if *rung == MemoryRung::Freeze {
                    FREEZE_FOR
                } else {
                    BRAKE_FOR
                };
                assert!(now.since(*since) < most, "{uid} {rung}");
            }
            assert_eq!(ladder.holds_any(), !set.is_empty());
        }
        assert_eq!(ladder.end(now).len(), set.len());
        assert!(!ladder.holds_any());
    }
    assert!(has_set > 1000, "only {has_set}");
}
