//! Reading upper bounds of all pods and the numbers of a few chooses as reading all
//! numbers does.

use alloc::format;
use alloc::vec;

use evictd_node::Ranking;
use evictd_node::pod::{Container, ResourceList, Resources};

use super::*;
use crate::evidence::Evidence;

/// What a pod uses, exactly and at most; `None` where it cannot be read.
#[derive(Clone, Copy)]
struct Used {
    exact: u64,
    bound: u64,
}

const MI: u64 = 1 << 20;

/// Numbers that are equal in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % sides
    }

    /// Few different numbers, so that many are equal.
    fn pod(&mut self, number: usize) -> (Pod, Option<Used>) {
        let priority = match self.below(8) {
            0 => 2_000_000_000,
            other => i32::try_from(other / 3).unwrap(),
        };
        let mut pod = pod(&number.to_string(), priority);
        let request = self.below(8).checked_sub(2);
        let requests = ResourceList {
            memory: request.map(|mi| Quantity::parse(&format!("{mi}Mi")).unwrap().into()),
            ..ResourceList::default()
        };
        pod.spec.containers.push(Container {
            resources: Resources {
                requests,
                ..Resources::default()
            },
            ..Container::default()
        });
        let exact = self.below(8) * MI / 2; // half a Mi is a trifle
        let bound = exact + self.below(4) * self.below(3) * MI;
        let used = (self.below(8) > 0).then_some(Used { exact, bound });
        (pod, used)
    }
}

fn usage(bytes: u64) -> PodUsage {
    PodUsage {
        memory_working_set_bytes: Some(bytes),
        ..PodUsage::default()
    }
}

fn with_usage<'a>(pods: &'a [Pod], usage: &'a [Option<PodUsage>]) -> Vec<Candidate> {
    let both = pods.iter().zip(usage);
    let candidate =
        |(pod, usage): (&'a Pod, &'a Option<PodUsage>)| Candidate::new(pod, usage.as_ref());
    both.map(candidate).collect()
}

/// The plans of a round in which no pod can be killed but the last, and how many pods
/// had their numbers read.
fn plans(
    evict: &mut Evict,
    pods: &[Pod],
    used: &[Option<Used>],
    lazily: bool,
) -> (Vec<Plan>, usize) {
    let at = readings(seconds(0), &[(MEMORY, 1)]);
    let observation = Observation {
        readings: &at,
        layout: Some(Layout::OneFilesystem),
    };
    let mut known: Vec<Option<PodUsage>> = used
        .iter()
        .map(|used| used.map(|used| usage(if lazily { used.bound } else { used.exact })))
        .collect();
    let mut exact: Vec<bool> = used.iter().map(|used| !lazily || used.is_none()).collect();
    let mut plans = vec![evict.step(seconds(0), &observation, None)];
    let mut outcome = Outcome::PodsRead;
    assert!(evict.takes_bounds());
    loop {
        while let Some(index) =
            evict.to_read_exactly(seconds(0), &with_usage(pods, &known), |at| exact[at])
        {
            assert!(!exact[index], "asked for twice");
            (known[index], exact[index]) = (used[index].map(|used| usage(used.exact)), true);
        }
        let plan = evict.answer(seconds(0), outcome, Some(&with_usage(pods, &known)));
        outcome = Outcome::KillFailed;
        let is_over = !matches!(plan, Plan::Evict(_));
        plans.push(plan);
        if is_over {
            return (plans, exact.iter().filter(|exact| **exact).count());
        }
    }
}

#[test]
fn bounds_choose_the_pod_that_the_numbers_choose() {
    let mut dice = Dice(1);
    let (mut all, mut read, mut spared) = (0, 0, 0);
    for round in 0..2000 {
        let count = usize::try_from(dice.below(12)).unwrap();
        let (pods, used): (Vec<Pod>, Vec<Option<Used>>) =
            (0..count).map(|number| dice.pod(number)).unzip();
        let ranking = [Ranking::Priority, Ranking::Qos][round % 2];
        // Where a failed kill ends the round, the first choice is looked at alone.
        let failed_kill_ends_round = dice.below(3) > 0;
        // All pods together hold less than is missing, or was taken elsewhere, in some rounds.
        let missing = format!("memory.available<{}Mi", 1 + dice.below(30));
        let elsewhere = dice.below(3) == 0;
        let held_before = usage(dice.below(20) * MI);
        let machine = || {
            let lists = Lists {
                hard: &missing,
                ..Lists::default()
            };
            let mut machine = machine(&lists, |config| {
                config.policy.ranking = ranking;
                config.policy.failed_kill_ends_round = failed_kill_ends_round;
            });
            if elsewhere {
                let before = readings(seconds(0), &[(MEMORY, 64 << 20)]);
                let (pod, usage) = (pod("before", 0), Some(&held_before));
                let before_that = [Candidate::new(&pod, usage)];
                machine.note_plenty(seconds(0), &before, &before_that);
            }
            machine
        };
        let (expected, _) = plans(&mut machine(), &pods, &used, false);
        let (found, exact) = plans(&mut machine(), &pods, &used, true);
        assert_eq!(found, expected, "round {round}");
        (all, read) = (all + count, read + exact);
        let spares = |plan: &Plan| matches!(plan, Plan::NoCandidate(_, NoPod::HoldTooLittle));
        spared += usize::from(found.iter().any(spares));
    }
    assert!(read < all && read > 0, "{read} of {all} were read");
    assert!(spared > 100, "{spared} rounds spared all");
}

#[test]
fn bounds_are_for_memory_alone() {
    let all = pods(&["a"]);
    for (threshold, signal, taken) in [
        ("memory.available<1Gi", MEMORY, true),
        ("pid.available<1Gi", Signal::PidAvailable, false),
        ("swap.available<1Gi", Signal::SwapAvailable, false),
        ("nodefs.available<1Gi", Signal::NodefsAvailable, false),
    ] {
        let mut evict = hard(threshold);
        assert!(!evict.takes_bounds());
        let at = readings(seconds(0), &[(signal, 1)]);
        let observation = Observation {
            readings: &at,
            layout: Some(Layout::OneFilesystem),
        };
        evict.step(seconds(0), &observation, None);
        assert_eq!(evict.takes_bounds(), taken, "{threshold}");
        let asked = evict.to_read_exactly(seconds(0), &candidates(&all), |_| false);
        assert_eq!(asked.is_some(), taken, "{threshold}");
    }
    // A pod that cannot be read is evicted first there.
    let lists = Lists {
        hard: "memory.available<1Gi",
        ..Lists::default()
    };
    let mut kubelet = machine(&lists, |config| config.policy = Policy::kubelet());
    let at = readings(seconds(0), &[(MEMORY, 1)]);
    let observation = Observation {
        readings: &at,
        layout: None,
    };
    kubelet.step(seconds(0), &observation, None);
    assert!(!kubelet.takes_bounds());
}

/// Acceptance row 436: all that hold something together decide whether any of them is evicted, and
/// so does one that may be tried again by then.
#[test]
fn a_stuck_pod_that_may_be_tried_again_is_read_exactly() {
    let mut evict = machine(
        &Lists {
            hard: "memory.available<100Mi",
            ..Lists::default()
        },
        |_| {},
    );
    let all = [pod("stuck", 5), pod("slow", 1), pod("small", 1)];
    let known = [60 * MI, 80 * MI, 20 * MI].map(|bytes| Some(usage(bytes)));
    let short = readings(seconds(0), &[(MEMORY, 20 << 20)]);
    let observation = Observation {
        readings: &short,
        layout: Some(Layout::OneFilesystem),
    };
    evict.step(seconds(0), &observation, None);
    let candidates = with_usage(&all, &known);
    let alone = candidates.get(..1);
    let first = evict.answer(seconds(0), Outcome::PodsRead, alone);
    assert_eq!(evicted(&first, &all).0, "stuck");
    evict.answer(seconds(1), Outcome::KillFailed, alone);
    // The next one could not be killed either, and that took until the first may be tried again.
    let short = readings(seconds(20), &[(MEMORY, 20 << 20)]);
    let observation = Observation {
        readings: &short,
        layout: Some(Layout::OneFilesystem),
    };
    let next = evict.step(seconds(20), &observation, Some(&candidates));
    assert_eq!(evicted(&next, &all).0, "slow");
    evict.evidence = Evidence::default(); // else all are read to tell whether the last has helped
    let wait = evict.config.stuck_wait;
    let late = seconds(1) + wait;
    let is_exact = |at: usize| at > 0;
    assert_eq!(
        evict.to_read_exactly(seconds(21), &candidates, is_exact),
        None
    );
    assert_eq!(evict.to_read_exactly(late, &candidates, is_exact), Some(0));
}
