use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::*;

/// Its first pod is frozen.
const FROZEN: Act = Act::Freeze {
    pod: 0,
    rung: MemoryRung::Freeze,
};
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
        (
            Some(Act::Freeze {
                pod: 1,
                rung: MemoryRung::Freeze
            }),
            nobody.clone()
        )
    );
    assert_eq!(
        look(3, Need::Near),
        (
            Some(Act::Freeze {
                pod: 0,
                rung: MemoryRung::Freeze
            }),
            nobody.clone()
        )
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
            let stalls = random(2) == 0;
            ladder.note_stall(stalls);
            let uids = UIDS.iter().filter(|_| random(12) > 0);
            let pods: Vec<LadderPod<'_>> = uids
                .collect::<Vec<_>>()
                .into_iter()
                .map(|uid| LadderPod {
                    is_freezable: random(2) == 0,
                    priority: i32::try_from(random(3)).unwrap(),
                    is_critical: random(8) == 0,
                    refaulted_bytes: random(20) * MIB,
                    age: (random(2) == 0).then(|| Duration::from_secs(random(200))),
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
                    Act::Freeze { pod, rung } => (pod, rung),
                    Act::Reclaim { .. } | Act::Tell { .. } => continue,
                };
                let may_begin = if rung == MemoryRung::StartStorm {
                    stalls && need != Need::Hard
                } else {
                    need == Need::Near
                };
                assert!(may_begin && allowed.has(rung) && !pods[pod].is_critical);
                let uid = String::from(pods[pod].uid);
                assert!(
                    !set.iter()
                        .any(|(of, other, _)| *of == uid && *other == rung)
                );
                set.push((uid, rung, now));
                has_set += 1;
            }
            for (uid, rung, since) in &set {
                let most = if stops(*rung) { FREEZE_FOR } else { BRAKE_FOR };
                assert!(now.since(*since) < most, "{uid} {rung}");
            }
            assert_eq!(ladder.holds_any(), !set.is_empty());
        }
        assert_eq!(ladder.end(now).len(), set.len());
        assert!(!ladder.holds_any());
    }
    assert!(has_set > 1000, "only {has_set}");
}

/// Acceptance row 390: one that stands still could not end by itself, and lose its grace.
#[test]
fn who_is_evicted_is_thawed_so_that_it_can_end_by_itself() {
    let mut ladder = Ladder::default();
    let mut look = |second: u64, is_ending| {
        let batch = LadderPod {
            is_freezable: true,
            is_ending,
            ..pod("batch", 100)
        };
        ladder.step(
            at(second * 1000),
            Need::Near,
            only(MemoryRung::Freeze),
            &[batch],
        )
    };
    look(0, false);
    assert_eq!(look(2, false).begun, [FROZEN]);
    let steps = look(3, true);
    assert_eq!(
        (steps.over[0].why, &*steps.begun),
        (Lifted::Ending, &[][..])
    );
    assert_eq!(look(700, true), Steps::default(), "nor is it frozen again");
}

/// Acceptance row 391: who describes a pod may be heard after it was braked.
#[test]
fn what_turns_out_not_to_be_meant_is_lifted() {
    let mut ladder = Ladder::default();
    let mut look = |second: u64, mib, is_critical, is_freezable| {
        let growing = LadderPod {
            is_critical,
            ..pod("hog", mib)
        };
        let batch = LadderPod {
            is_freezable,
            ..pod("batch", 10)
        };
        ladder.step(at(second * 1000), Need::Near, all(), &[growing, batch])
    };
    look(0, 100, false, true);
    look(1, 200, false, true);
    look(2, 200, false, true);
    let over = look(3, 200, true, false).over;
    let why: Vec<_> = over.iter().map(|lift| (lift.rung, lift.why)).collect();
    let expected = [MemoryRung::Brake, MemoryRung::Freeze].map(|rung| (rung, Lifted::NotMeant));
    assert_eq!(why, expected);
}

/// What the loop says in turn: when, and how short memory is.
fn said(turns: &[(u64, i64, MemoryRungs, bool)]) -> Vec<Option<Need>> {
    let lists = evictd_threshold::Lists {
        hard: "memory.available<100Mi",
        ..evictd_threshold::Lists::default()
    };
    let thresholds = evictd_threshold::parse(&lists).unwrap();
    let mut saying = Saying::default();
    let turns = turns.iter().map(|&(millis, mib, allowed, holds_any)| {
        let mut readings = evictd_node::Readings::default();
        let mib = mib * 1_048_576;
        let reading = evictd_node::Reading::new(mib, 800 << 20);
        readings.set(evictd_node::Signal::MemoryAvailable, Some(reading));
        let known = Known {
            thresholds: &thresholds,
            readings: &readings,
            awaits_picture: millis < 1000,
            ending: None,
            holds_any,
        };
        let said = saying.next(at(millis), allowed, &known)?;
        let need = said.need;
        saying.note(said);
        Some(need)
    });
    turns.collect()
}

/// Acceptance row 391: nothing begins before those were heard who tell who is critical.
#[test]
fn nothing_begins_before_the_pods_are_described() {
    let turns = [(0, 105, all(), false), (1000, 105, all(), false)];
    assert_eq!(said(&turns), [None, Some(Need::Near)]);
}

/// Acceptance row 392: what is switched off is over at once, also where nothing is short.
#[test]
fn other_settings_are_said_while_anything_is_set() {
    let turns = [
        (1000, 105, all(), false),
        (2000, 500, all(), true),
        (2100, 500, MemoryRungs::default(), true),
        (3500, 500, MemoryRungs::default(), true),
    ];
    let none = Some(Need::None);
    assert_eq!(said(&turns), [Some(Need::Near), none, none, None]);
}

/// Acceptance row 390: what stands still cannot end by itself, so it is known from the start.
#[test]
fn who_is_being_evicted_is_said_before_anything_is_set() {
    let thresholds = evictd_threshold::parse(&evictd_threshold::Lists {
        hard: "memory.available<100Mi",
        ..evictd_threshold::Lists::default()
    });
    let mut readings = evictd_node::Readings::default();
    let reading = evictd_node::Reading::new(105 << 20, 800 << 20);
    readings.set(evictd_node::Signal::MemoryAvailable, Some(reading));
    let known = Known {
        thresholds: &thresholds.unwrap(),
        readings: &readings,
        awaits_picture: false,
        ending: Some("batch"),
        holds_any: false,
    };
    let said = Saying::default().next(at(0), all(), &known).unwrap();
    assert_eq!(said.ending.as_deref(), Some("batch"));
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
fn who_cannot_be_read_for_a_moment_rests_all_the_same() {
    let mut ladder = Ladder::default();
    let batch = LadderPod {
        is_freezable: true,
        listens: true,
        ..pod("batch", 100)
    };
    let mut look = |second: u64, pods: &[LadderPod<'_>]| {
        let allowed = only(MemoryRung::Freeze).with(MemoryRung::Tell);
        ladder.step(at(second * 1000), Need::Near, allowed, pods)
    };
    let pods = [batch];
    assert_eq!(look(0, &pods).begun, [Act::Tell { pod: 0 }]);
    assert_eq!(look(2, &pods).begun, [FROZEN]);
    assert_eq!(look(3, &[]).over[0].why, Lifted::Gone);
    let mut nothing_begins = |seconds: core::ops::Range<u64>, pods: &[LadderPod<'_>]| {
        for second in seconds {
            assert_eq!(look(second, pods), Steps::default(), "{second}");
        }
    };
    nothing_begins(4..10, &pods);
    // Nobody looked between the tenth second and the fortieth.
    nothing_begins(10..11, &[]);
    nothing_begins(40..41, &[]);
    nothing_begins(41..60, &pods);
    nothing_begins(61..72, &[]);
    // Another pod by now, for all that is known.
    assert_eq!(look(72, &pods).begun, [Act::Tell { pod: 0 }, FROZEN]);
}

/// Acceptance row 437: its runtime has started it again, in a cgroup in which nothing is set.
#[test]
fn of_a_pod_that_was_started_anew_nothing_is_set() {
    let mut ladder = Ladder::default();
    let look = |ladder: &mut Ladder, second: u64, cgroup: u64| {
        let pod = LadderPod {
            cgroup,
            is_freezable: true,
            ..pod("again", 100)
        };
        ladder.step(
            at(second * 1000),
            Need::Near,
            only(MemoryRung::Freeze),
            &[pod],
        )
    };
    for second in 0..3 {
        look(&mut ladder, second, 1);
    }
    assert!(ladder.is_set("again", MemoryRung::Freeze));
    let steps = look(&mut ladder, 3, 2);
    assert_eq!(steps.over[0].why, Lifted::Gone);
    let freeze = |act: &Act| matches!(act, Act::Freeze { .. });
    assert!(steps.begun.iter().all(freeze), "no page of it is asked for");
}
