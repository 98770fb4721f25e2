//! Many pods begin at once, and memory stalls.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::*;

const STORM: MemoryRung = MemoryRung::StartStorm;

fn at(seconds: u64) -> Mono {
    Mono::ZERO + Duration::from_secs(seconds)
}

/// A pod that began so many seconds ago.
fn began(uid: &str, priority: i32, seconds: u64) -> LadderPod<'_> {
    LadderPod {
        uid,
        priority,
        usage_bytes: 10 << 20,
        age: Some(Duration::from_secs(seconds)),
        ..LadderPod::default()
    }
}

/// A look while memory stalls, or does not: who is to stand still, and who goes on.
fn look(ladder: &mut Ladder, second: u64, stalls: bool, pods: &[LadderPod<'_>]) -> Vec<String> {
    ladder.note_stall(stalls);
    let allowed = MemoryRungs::default().with(STORM);
    let steps = ladder.step(at(second), Need::None, allowed, pods);
    let stands = steps.begun.iter().map(|act| {
        let Act::Freeze { pod, rung } = act else {
            panic!("{act:?}");
        };
        assert_eq!(*rung, STORM);
        format!("{} waits", pods[*pod].uid)
    });
    let goes_on = steps
        .over
        .iter()
        .map(|lift| format!("{} goes on: {:?}", lift.uid, lift.why));
    goes_on.chain(stands).collect()
}

/// Acceptance row 430: the first by priority begins at once, the others one after the other.
#[test]
fn newcomers_wait_for_their_turn_and_go_on_by_priority() {
    let mut ladder = Ladder::default();
    let critical = LadderPod {
        is_critical: true,
        ..began("critical", -5, 3)
    };
    let pods = [
        began("old", -10, 120),
        began("low", 0, 5),
        began("high", 5, 2),
        began("older", 0, 9),
        critical,
    ];
    let nobody: Vec<String> = vec![];
    assert_eq!(
        look(&mut ladder, 0, false, &pods),
        nobody,
        "memory does not stall"
    );
    assert_eq!(
        look(&mut ladder, 1, true, &pods),
        ["low waits", "older waits"]
    );
    assert_eq!(look(&mut ladder, 2, true, &pods), nobody);
    assert_eq!(look(&mut ladder, 3, false, &pods), nobody);
    assert_eq!(look(&mut ladder, 5, false, &pods), ["older goes on: Room"]);
    // Whoever had its turn does not wait again.
    assert_eq!(look(&mut ladder, 6, true, &pods), nobody);
    assert_eq!(look(&mut ladder, 7, false, &pods), nobody);
    assert_eq!(look(&mut ladder, 9, false, &pods), ["low goes on: Room"]);
    assert_eq!(look(&mut ladder, 10, true, &pods), nobody);
}

/// Acceptance row 431.
#[test]
fn nobody_waits_for_longer_than_a_minute_nor_twice() {
    let mut ladder = Ladder::default();
    let pods = [began("first", 1, 1), began("a", 0, 1), began("b", 0, 1)];
    assert_eq!(look(&mut ladder, 1, true, &pods).len(), 2);
    let mut over = Vec::new();
    for second in 2..=120 {
        over.extend(look(&mut ladder, second, true, &pods));
    }
    assert_eq!(over, ["a goes on: Deadline", "b goes on: Deadline"]);
}

/// Acceptance row 430: of whom nobody knows when it began, it began long ago.
#[test]
fn one_alone_or_of_unknown_age_does_not_wait() {
    let unknown = LadderPod {
        age: None,
        ..began("unknown", 0, 0)
    };
    let mut ladder = Ladder::default();
    let pods = [began("alone", 0, 1), unknown, began("old", 0, 121)];
    assert_eq!(look(&mut ladder, 1, true, &pods), Vec::<String>::new());
}

/// Acceptance row 431: no rung delays a kill.
#[test]
fn while_a_pod_is_evicted_for_memory_nobody_is_made_to_wait() {
    let mut ladder = Ladder::default();
    let pods = [began("a", 0, 1), began("b", 0, 1)];
    let allowed = MemoryRungs::default().with(STORM);
    ladder.note_stall(true);
    let steps = ladder.step(at(1), Need::Hard, allowed, &pods);
    assert_eq!(steps, Steps::default());
    let steps = ladder.step(at(2), Need::None, MemoryRungs::default(), &pods);
    assert_eq!(steps, Steps::default(), "it is off unless it is asked for");
}
