//! `memory.stall`: who dies where a machine thrashes, and who does not.

use evictd_node::pod::usage::Stalls;

use super::*;

const STALL: Signal = Signal::MemoryStall;

/// So many percent of the time were lost in the window that ended then, with little memory
/// in use.
fn stalled(at: u64, percent: i64) -> Readings {
    let mut all = readings(seconds(at), &[(Signal::MemoryAvailable, 5 * GI)]);
    let reading = Reading {
        available: percent,
        capacity: 100,
        sampled: Some(seconds(at)),
    };
    all.set(STALL, Some(reading));
    all
}

fn look(evict: &mut Evict, at: u64, percent: i64, pods: &[Candidate]) -> Plan {
    let readings = stalled(at, percent);
    evict.step(seconds(at), &Observation::new(&readings), Some(pods))
}

fn evicted(plan: Plan) -> usize {
    let Plan::Evict(eviction) = plan else {
        panic!("{plan:?}")
    };
    eviction.candidate
}

fn holding(memory: u64, swap: u64) -> PodUsage {
    PodUsage {
        swap_bytes: Some(swap << 20),
        ..using(memory << 20)
    }
}

/// Acceptance row 307: what is in swap counts, and whoever keeps to its request stays.
#[test]
fn who_holds_most_memory_and_swap_above_its_request_goes() {
    let mut all = pods(&["keeps", "small", "swapped"]);
    all.iter_mut().for_each(|pod| pod.spec.priority = Some(0));
    all[0] = evidence::known("keeps", 9 << 10, None).0;
    let usages = [holding(4000, 1000), holding(900, 0), holding(200, 1200)];
    let pods: Vec<Candidate> = all
        .iter()
        .zip(&usages)
        .map(|(pod, usage)| Candidate::new(pod, Some(usage)))
        .collect();
    let mut evict = hard("memory.stall>40%");
    assert_eq!(look(&mut evict, 2, 40, &pods), Plan::Rest);
    assert_eq!(evicted(look(&mut evict, 4, 41, &pods)), 2);
    assert!(evict.conditions().has(Condition::MemoryPressure));
}

/// Acceptance row 308: ten of 70 MB are no reason to spare each of them, one of a few pages is.
#[test]
fn a_pod_that_holds_less_than_a_hundredth_of_memory_does_not_die_for_it() {
    for (held, dies) in [(101, false), (103, true)] {
        let all = pods(&["a"]);
        let usage = holding(held, 0);
        let pods = [Candidate::new(&all[0], Some(&usage))];
        let mut evict = hard("memory.stall>40%");
        let plan = look(&mut evict, 2, 90, &pods);
        assert_eq!(matches!(plan, Plan::Evict(_)), dies, "{held} MiB of 10 GiB");
    }
}

/// Acceptance row 309: time that was lost before a pod was gone is no reason for the next,
/// nor is an eviction that changed nothing.
#[test]
fn the_next_pod_dies_by_what_was_seen_since() {
    let all = pods(&["a", "b"]);
    let both = candidates(&all);
    let mut evict = hard("memory.stall>40%");
    assert_eq!(evicted(look(&mut evict, 2, 90, &both)), 0);
    evict.answer(seconds(3), Outcome::Killed, Some(&both));
    evict.answer(seconds(3), Outcome::CleanedUp, Some(&both));
    let rest = &both[1..];
    assert_eq!(look(&mut evict, 4, 90, rest), Plan::Rest, "of before");
    assert_eq!(
        look(&mut evict, 6, 90, rest),
        Plan::NoCandidate(STALL, NoPod::FreedNothing),
        "nothing changed"
    );
    // Less is lost by now, so it helped; and still too much.
    assert_eq!(evicted(look(&mut evict, 8, 70, rest)), 0);
}

/// Acceptance row 424: where nobody takes more than its share nobody goes for the time that is
/// lost, however long it lasts.
#[test]
fn for_lost_time_nobody_goes_who_keeps_to_its_request() {
    let pods: Vec<Candidate> = ["a", "b"]
        .map(|name| {
            let (pod, _) = evidence::known(name, 9 << 10, None);
            Candidate::new(&pod, Some(&holding(4000, 0)))
        })
        .into();
    let mut evict = hard("memory.stall>40%");
    for at in [2, 60, 3600] {
        assert_eq!(
            look(&mut evict, at, 90, &pods),
            Plan::NoCandidate(STALL, NoPod::WithinRequests)
        );
    }
}

/// Acceptance row 426: who stalls the others is chosen before whoever holds more, and that is
/// what is told.
#[test]
fn who_stalls_the_others_is_chosen_and_explain_says_so() {
    let mut all = pods(&["large", "thrashes"]);
    all.iter_mut().for_each(|pod| pod.spec.priority = Some(0));
    let of = |memory, gains: u64, reads_back: u64| PodUsage {
        stalls: Some(Stalls {
            gains_bytes: gains << 20,
            reads_back_bytes: Some(reads_back << 20),
        }),
        ..holding(memory, 0)
    };
    let usages = [of(4000, 0, 1), of(400, 3, 60)];
    let pods: Vec<Candidate> = all
        .iter()
        .zip(&usages)
        .map(|(pod, usage)| Candidate::new(pod, Some(usage)))
        .collect();
    let mut evict = hard("memory.stall>40%");
    let plan = look(&mut evict, 2, 90, &pods);
    let text = plan.explain(&evict, &pods);
    assert!(
        text.contains("chosen: thrashes, uses 400Mi, 400Mi above its request, gains 3Mi and reads back 60Mi a second"),
        "{text}"
    );
    assert_eq!(evicted(plan), 1);
}
