//! Acceptance rows 246 and 248: what is taken from outside all pods costs none of them.

use alloc::vec;

use super::evidence::{known, round};
use super::*;

const PIDS: Signal = Signal::PidAvailable;

type Known = (Pod, Option<PodUsage>);

fn note_plenty(evict: &mut Evict, at: u64, left: i64, swap: i64, pods: &[Known]) {
    let of = [(MEMORY, left << 20), (Signal::SwapAvailable, swap << 20)];
    let readings = readings(seconds(at), &of);
    let all = pods
        .iter()
        .map(|(pod, usage)| Candidate::new(pod, usage.as_ref()));
    evict.note_plenty(seconds(at), &readings, &all.collect::<Vec<_>>());
}

fn small() -> Vec<Known> {
    vec![
        known("small", 0, Some(20)),
        known("too", 0, Some(19)),
        known("modest", 100, Some(36)),
    ]
}

#[test]
fn what_a_process_outside_all_pods_takes_costs_no_pod() {
    let too_little = Err(Some(NoPod::HoldTooLittle));
    let mut evict = hard("memory.available<100Mi");
    let mut pods = small();
    note_plenty(&mut evict, 0, 900, 0, &pods);
    for (at, left) in [(1, 99), (2, 60), (30, 1)] {
        let found = round(&mut evict, at, (MEMORY, left), &mut pods);
        assert_eq!(found, too_little, "{left} Mi left");
    }
    // One that has grown as much is another matter.
    pods.push(known("hog", 0, Some(500)));
    let found = round(&mut evict, 40, (MEMORY, 50), &mut pods);
    assert_eq!(found.as_deref(), Ok("hog"));
}

/// Acceptance row 343: huge pages that are reserved are no memory of the machine's any more.
#[test]
fn what_the_kernel_sets_aside_costs_no_pod() {
    let mut evict = hard("memory.available<100Mi");
    let pods = small();
    note_plenty(&mut evict, 0, 900, 0, &pods);
    let mut low = readings(seconds(1), &[(MEMORY, 60 << 20)]);
    let less = low.get(MEMORY).map(|reading| Reading {
        capacity: reading.capacity - (840 << 20),
        ..reading
    });
    low.set(MEMORY, less);
    let all = pods
        .iter()
        .map(|(pod, usage)| Candidate::new(pod, usage.as_ref()));
    let all: Vec<Candidate> = all.collect();
    let plan = evict.step(seconds(1), &Observation::new(&low), Some(&all));
    assert_eq!(plan, Plan::NoCandidate(MEMORY, NoPod::HoldTooLittle));
}

#[test]
fn pods_that_hold_much_of_what_was_taken_elsewhere_are_evicted_in_their_order() {
    let mut evict = hard("memory.available<100Mi");
    let mut pods = vec![known("large", 0, Some(300)), known("small", 0, Some(20))];
    note_plenty(&mut evict, 0, 400, 0, &pods);
    // 340 Mi went elsewhere.
    let found = round(&mut evict, 1, (MEMORY, 60), &mut pods);
    assert_eq!(found.as_deref(), Ok("large"));
}

#[test]
fn what_pods_have_taken_themselves_was_not_taken_elsewhere() {
    let mut evict = hard("memory.available<100Mi");
    note_plenty(&mut evict, 0, 1100, 0, &[known("hog", 0, Some(100))]);
    // Of 1040 Mi it has taken 300 and holds 400: more than half of the rest.
    let mut pods = vec![known("hog", 0, Some(400))];
    let found = round(&mut evict, 1, (MEMORY, 60), &mut pods);
    assert_eq!(found.as_deref(), Ok("hog"));
}

#[test]
fn a_look_back_ends_with_ten_minutes_and_with_swap() {
    for (at, plenty_of_swap, expected) in [
        (1, 0, Err(Some(NoPod::HoldTooLittle))),
        (1, 1000, Ok("small".to_string())),
        (599, 0, Err(Some(NoPod::HoldTooLittle))),
        (600, 0, Ok("small".to_string())),
    ] {
        let mut evict = hard("memory.available<100Mi");
        let mut pods = small();
        note_plenty(&mut evict, 0, 900, plenty_of_swap, &pods);
        let low = [(MEMORY, 60 << 20), (Signal::SwapAvailable, 0)];
        let low = readings(seconds(at), &low);
        let observation = Observation {
            readings: &low,
            layout: None,
        };
        let all = pods.clone();
        let all = all
            .iter()
            .map(|(pod, usage)| Candidate::new(pod, usage.as_ref()));
        let all: Vec<Candidate> = all.collect();
        let plan = evict.step(seconds(at), &observation, Some(&all));
        let found = match plan {
            Plan::Evict(eviction) => Ok(pods.remove(eviction.candidate).0.metadata.name),
            Plan::NoCandidate(_, why) => Err(Some(why)),
            other @ (Plan::Rest | Plan::ReadPods | Plan::Relieve(_) | Plan::KillNow) => {
                panic!("{other:?}")
            }
        };
        assert_eq!(found, expected, "after {at} s, {plenty_of_swap} Mi of swap");
    }
}

#[test]
fn what_every_container_holds_is_no_reason_to_evict_one() {
    let mut evict = hard("memory.available<100Mi");
    let mut pods = vec![known("modest", 100, Some(36))];
    for name in ["tiny", "tinier", "tiniest"] {
        let (pod, _) = known(name, 0, None);
        pods.push((pod, Some(using(320 << 10))));
    }
    // The modest one keeps to its request while others exceed theirs, however little.
    for (at, left) in [(0, 99), (20, 98), (40, 90)] {
        let found = round(&mut evict, at, (MEMORY, left), &mut pods);
        assert_eq!(found, Err(Some(NoPod::HoldTooLittle)), "{left} Mi left");
    }
}

#[test]
fn process_ids_that_no_pod_can_give_back_cost_no_pod() {
    let of = |name, count| {
        let usage = PodUsage {
            process_count: Some(count),
            ..PodUsage::default()
        };
        (pod(name, 0), Some(usage))
    };
    let mib = 1 << 20; // `round` counts in them
    for (count, expected) in [
        (mib, Err(Some(NoPod::HoldTooLittle))),
        (50 * mib, Ok("many".to_string())),
    ] {
        let mut evict = hard("pid.available<100Mi");
        let mut pods = vec![of("few", 3), of("many", count)];
        assert_eq!(round(&mut evict, 0, (PIDS, 10), &mut pods), expected);
    }
}

#[test]
fn the_kubelet_evicts_whoever_has_filled_the_machine() {
    let lists = Lists {
        hard: "memory.available<100Mi",
        ..Lists::default()
    };
    let mut evict = machine(&lists, |config| config.policy = Policy::kubelet());
    let mut pods = small();
    note_plenty(&mut evict, 0, 900, 0, &pods);
    let found = round(&mut evict, 1, (MEMORY, 10), &mut pods);
    assert_eq!(found.as_deref(), Ok("small"));
}
