use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::time::Duration;

use evictd_node::pod::usage::{ContainerUsage, MountUsage, PodUsage, VolumeUsage};
use evictd_node::pod::{Medium, Pod, Volume, VolumeSource};
use evictd_node::{Condition, Layout, Mono, Policy, Reading, Readings, Signal};
use evictd_quantity::Quantity;
use evictd_rank::Candidate;
use evictd_threshold::{Lists, parse};

use super::*;

mod bounds;
mod disk_relief;
mod elsewhere;
mod evidence;
mod examples;
mod explain;
mod reconfigure;
mod restart;
mod returns;
mod stall;
mod whole;

const GI: i64 = 1 << 30;

fn seconds(s: u64) -> Mono {
    Mono::from_millis(s * 1000)
}

fn machine(lists: &Lists<'_>, change: impl FnOnce(&mut Config)) -> Evict {
    let mut config = Config {
        thresholds: parse(lists).unwrap(),
        ..Config::default()
    };
    change(&mut config);
    Evict::new(config)
}

fn hard(text: &str) -> Evict {
    machine(
        &Lists {
            hard: text,
            own_signals: true,
            ..Lists::default()
        },
        |_| {},
    )
}

/// Readings of `signal`s with so much available of 10Gi, taken then.
fn readings(at: Mono, signals: &[(Signal, i64)]) -> Readings {
    let mut readings = Readings::default();
    for (signal, available) in signals {
        let reading = Reading {
            available: *available,
            capacity: 10 * GI,
            sampled: Some(at),
        };
        readings.set(*signal, Some(reading));
    }
    readings
}

fn step(evict: &mut Evict, at: u64, signals: &[(Signal, i64)], pods: &[Pod]) -> Plan {
    let readings = readings(seconds(at), signals);
    let observation = Observation {
        readings: &readings,
        layout: Some(Layout::OneFilesystem),
    };
    let candidates = candidates(pods);
    let plan = evict.step(seconds(at), &observation, Some(&candidates));
    evict.begin(seconds(at), Some(&candidates));
    plan
}

impl Evict {
    /// The kill of the proposed pod begins.
    fn begin(&mut self, now: Mono, pods: Option<&[Candidate]>) {
        if self.stage.name() == StageName::Proposed {
            assert_eq!(self.outcome(now, Outcome::Begun, pods), Plan::Rest);
        }
    }

    /// Goes on; each kill that is proposed begins.
    fn answer(&mut self, now: Mono, outcome: Outcome<'_>, pods: Option<&[Candidate]>) -> Plan {
        self.begin(now, pods);
        let plan = self.outcome(now, outcome, pods);
        self.begin(now, pods);
        plan
    }
}

/// Takes each step of relief, which gives nothing, and reads the pods; `again` is measured after
/// each. Returns what is to be done then.
fn relieved(evict: &mut Evict, at: u64, again: &Readings, pods: &[Candidate]) -> Plan {
    assert!(evict.is_relieving());
    let given = Relieved {
        gave: false,
        again: Some(again),
    };
    let mut outcome = Outcome::Relieved(given);
    loop {
        let plan = evict.answer(seconds(at), outcome, Some(pods));
        outcome = match plan {
            Plan::Relieve(_) => Outcome::Relieved(given),
            Plan::ReadPods => Outcome::PodsRead,
            Plan::Rest | Plan::KillNow | Plan::Evict(_) | Plan::NoCandidate(..) => return plan,
        };
    }
}

fn done(evict: &mut Evict, at: u64, outcome: Outcome<'_>, pods: &[Pod]) -> Plan {
    evict.answer(seconds(at), outcome, Some(&candidates(pods)))
}

/// Each uses 2Gi of memory and of disk.
fn candidates(pods: &[Pod]) -> Vec<Candidate> {
    let usage: &PodUsage = Box::leak(Box::new(using(2 << 30)));
    let usage = Some(usage);
    pods.iter().map(|pod| Candidate::new(pod, usage)).collect()
}

fn using(bytes: u64) -> PodUsage {
    let disk = ContainerUsage {
        rootfs_bytes: Some(bytes),
        ..ContainerUsage::default()
    };
    PodUsage {
        memory_working_set_bytes: Some(bytes),
        containers: [disk].into(),
        ..PodUsage::default()
    }
}

/// Pods that go in the order given: by rising priority.
fn pods(names: &[&str]) -> Vec<Pod> {
    names
        .iter()
        .zip(0..)
        .map(|(name, priority)| pod(name, priority))
        .collect()
}

fn pod(name: &str, priority: i32) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.uid = name.to_string();
    pod.metadata.name = name.to_string();
    pod.spec.priority = Some(priority);
    pod
}

fn evicted<'a>(plan: &Plan, pods: &'a [Pod]) -> (&'a str, i64) {
    let Plan::Evict(eviction) = plan else {
        panic!("not an eviction: {plan:?}")
    };
    let uid = &pods[eviction.candidate].metadata.uid;
    (uid, eviction.grace_seconds)
}

const MEMORY: Signal = Signal::MemoryAvailable;

#[test]
fn nothing_met_means_nothing_done() {
    let mut evict = hard("memory.available<1Gi");
    assert_eq!(
        step(&mut evict, 0, &[(MEMORY, GI)], &pods(&["a"])),
        Plan::Rest
    );
    assert_eq!(step(&mut evict, 1, &[], &pods(&["a"])), Plan::Rest);
    assert!(evict.conditions().is_empty());
    assert_eq!(evict.met().count(), 0);
}

#[test]
fn a_hard_threshold_kills_at_once_and_one_pod_at_a_time() {
    let all = pods(&["a", "b"]);
    let mut evict = hard("memory.available<1Gi");
    assert_eq!(
        evicted(&step(&mut evict, 0, &[(MEMORY, 1)], &all), &all),
        ("a", 0)
    );
    assert!(evict.conditions().has(Condition::MemoryPressure));
    assert_eq!(
        step(&mut evict, 1, &[(MEMORY, 1)], &all),
        Plan::Rest,
        "still being killed"
    );
    assert_eq!(done(&mut evict, 2, Outcome::Killed, &all), Plan::Rest);
    assert!(evict.is_busy());
    assert_eq!(
        step(&mut evict, 3, &[(MEMORY, 1)], &all),
        Plan::Rest,
        "still being cleaned up"
    );
    assert_eq!(done(&mut evict, 4, Outcome::CleanedUp, &all), Plan::Rest);
    assert_eq!(
        evicted(&step(&mut evict, 5, &[(MEMORY, 0)], &all[1..]), &all[1..]).0,
        "b"
    );
}

#[test]
fn the_wait_for_a_clean_up_is_bounded() {
    let all = pods(&["a", "b"]);
    let mut evict = hard("memory.available<1Gi");
    step(&mut evict, 0, &[(MEMORY, 1)], &all);
    done(&mut evict, 0, Outcome::Killed, &all);
    assert_eq!(evict.next_deadline(seconds(1)), Some(seconds(30)));
    assert_eq!(step(&mut evict, 29, &[(MEMORY, 1)], &all), Plan::Rest);
    assert_eq!(
        evicted(&step(&mut evict, 30, &[(MEMORY, 0)], &all[1..]), &all[1..]).0,
        "b"
    );
}

#[test]
fn a_clean_up_holds_back_its_own_resource_alone() {
    let all = pods(&["a", "b"]);
    let mut evict = hard("pid.available<100,memory.available<1Gi");
    let pids = (Signal::PidAvailable, 1);
    assert_eq!(evicted(&step(&mut evict, 0, &[pids], &all), &all).0, "a");
    done(&mut evict, 1, Outcome::Killed, &all);
    assert_eq!(step(&mut evict, 2, &[pids], &all), Plan::Rest);
    let plan = step(&mut evict, 3, &[pids, (MEMORY, 1)], &all[1..]);
    assert_eq!(evicted(&plan, &all[1..]).0, "b");
}

/// Acceptance row 384: who holds nothing of memory cannot be evicted for it, and what the last
/// pod left on the disk is awaited all the same.
#[test]
fn what_nobody_can_be_evicted_for_ends_no_wait_for_a_clean_up() {
    let all = pods(&["a", "b"]);
    let mut evict = hard("nodefs.available<1Gi,nodefs.inodesFree<100,memory.available<1Gi");
    let disk = [(Signal::NodefsAvailable, 1), (Signal::NodefsInodesFree, 1)];
    let with_memory = [disk[0], disk[1], (MEMORY, 1)];
    let plan = step(&mut evict, 0, &disk[..1], &all);
    assert!(matches!(plan, Plan::Relieve(_)));
    let again = readings(seconds(0), &disk[..1]);
    let plan = relieved(&mut evict, 0, &again, &candidates(&all));
    assert_eq!(evicted(&plan, &all).0, "a");
    done(&mut evict, 1, Outcome::Killed, &all);
    let left = &all[1..];
    // Inodes come back with the same files as bytes.
    assert_eq!(step(&mut evict, 2, &disk, left), Plan::Rest);
    let little = using(4096);
    let candidates: Vec<Candidate> = left
        .iter()
        .map(|pod| Candidate::new(pod, Some(&little)))
        .collect();
    for at in 3..29 {
        let readings = readings(seconds(at), &with_memory);
        let plan = evict.step(seconds(at), &Observation::new(&readings), Some(&candidates));
        assert!(matches!(plan, Plan::NoCandidate(MEMORY, _)), "{plan:?}");
        let plan = evict.answer(seconds(at), Outcome::Told, Some(&candidates));
        assert_eq!(plan, Plan::Rest);
        assert!(evict.is_busy(), "it is awaited on");
        assert_eq!(evict.next_deadline(seconds(at)), Some(seconds(31)));
    }
    done(&mut evict, 29, Outcome::CleanedUp, left);
    assert!(!evict.is_busy());
    let plan = step(&mut evict, 30, &disk, left);
    assert!(matches!(plan, Plan::Relieve(_)), "{plan:?}");
}

/// Acceptance row 342: a filesystem may be late to answer: what it held before the pod was gone starts nothing.
#[test]
fn a_reading_of_another_resource_is_from_after_the_eviction_too() {
    let all = pods(&["a", "b"]);
    let mut evict = hard("pid.available<100,memory.available<1Gi");
    step(&mut evict, 0, &[(Signal::PidAvailable, 1)], &all);
    done(&mut evict, 5, Outcome::Killed, &all);
    for (sampled, is_evicted) in [(4, false), (5, true)] {
        let memory = readings(seconds(sampled), &[(MEMORY, 1)]);
        let observation = Observation::new(&memory);
        let plan = evict.step(seconds(6), &observation, Some(&candidates(&all[1..])));
        assert_eq!(matches!(plan, Plan::Evict(_)), is_evicted, "{plan:?}");
    }
}

#[test]
fn a_reading_from_before_the_last_eviction_evicts_no_other() {
    let all = pods(&["a", "b"]);
    for (policy, expected) in [(Policy::default(), None), (Policy::kubelet(), Some("b"))] {
        let lists = Lists {
            hard: "memory.available<1Gi",
            ..Lists::default()
        };
        let mut evict = machine(&lists, |config| config.policy = policy);
        step(&mut evict, 0, &[(MEMORY, 1)], &all);
        done(&mut evict, 5, Outcome::Killed, &all);
        done(&mut evict, 5, Outcome::CleanedUp, &all);
        let old = readings(seconds(4), &[(MEMORY, 1)]);
        let observation = Observation {
            readings: &old,
            layout: None,
        };
        let plan = evict.step(seconds(6), &observation, Some(&candidates(&all[1..])));
        assert_eq!(
            matches!(plan, Plan::Evict(_)),
            expected.is_some(),
            "{plan:?}"
        );
    }
}

/// What is unknown was not met.
#[test]
fn a_soft_threshold_that_could_not_be_read_has_its_grace_anew() {
    let all = pods(&["a"]);
    let lists = Lists {
        soft: "memory.available<1Gi",
        soft_grace_period: "memory.available=10s",
        ..Lists::default()
    };
    let mut evict = machine(&lists, |_| {});
    for (at, signal) in [
        (0, MEMORY),
        (5, Signal::PidAvailable),
        (9, MEMORY),
        (18, MEMORY),
    ] {
        assert_eq!(step(&mut evict, at, &[(signal, 1)], &all), Plan::Rest);
    }
    let plan = step(&mut evict, 19, &[(MEMORY, 1)], &all);
    assert_eq!(evicted(&plan, &all).0, "a");
}

#[test]
fn the_same_observation_twice_drives_one_eviction() {
    let all = pods(&["a", "b"]);
    let mut evict = machine(
        &Lists {
            hard: "memory.available<1Gi",
            ..Lists::default()
        },
        |config| config.policy = Policy::kubelet(),
    );
    step(&mut evict, 0, &[(MEMORY, 1)], &all);
    done(&mut evict, 0, Outcome::Killed, &all);
    done(&mut evict, 0, Outcome::CleanedUp, &all);
    assert_eq!(step(&mut evict, 0, &[(MEMORY, 1)], &all), Plan::Rest);
    assert_eq!(evict.due().count(), 1, "held back, but remembered");
}

/// Acceptance rows 67 and 68: grace, and a soft threshold that flaps starts over.
#[test]
fn a_soft_threshold_waits_for_its_grace_and_starts_over() {
    let all = pods(&["a"]);
    let mut evict = machine(
        &Lists {
            soft: "memory.available<1Gi",
            soft_grace_period: "memory.available=30s",
            ..Lists::default()
        },
        |config| config.max_pod_grace_seconds = 60,
    );
    for (at, available) in [(0, 1), (29, 1), (30, 2 * GI), (31, 1), (60, 1)] {
        assert_eq!(
            step(&mut evict, at, &[(MEMORY, available)], &all),
            Plan::Rest,
            "{at} s"
        );
        assert!(evict.conditions().has(Condition::MemoryPressure), "{at} s");
    }
    assert_eq!(evict.next_deadline(seconds(60)), Some(seconds(61)));
    assert_eq!(
        evicted(&step(&mut evict, 61, &[(MEMORY, 1)], &all), &all),
        ("a", 60)
    );
}

/// Found by the simulator (seed 709706): a hard threshold was decided about for long, and the node
/// read again meanwhile. It said that nothing was short, and the grace period ran on.
#[test]
fn a_look_before_a_kill_ends_the_grace_of_what_is_over() {
    let all = pods(&["a"]);
    let mut evict = machine(
        &Lists {
            hard: "memory.available<1Gi",
            soft: "memory.available<2Gi",
            soft_grace_period: "memory.available=30s",
            ..Lists::default()
        },
        |_| {},
    );
    let plan = step(&mut evict, 0, &[(MEMORY, 1)], &all);
    assert_eq!(evicted(&plan, &all).0, "a");
    evict.read_again(&readings(seconds(5), &[(MEMORY, 3 * GI)]));
    assert_eq!(evict.met().count(), 0);
    for (at, expected) in [(6, 36), (31, 36)] {
        let soft = [(MEMORY, 3 * GI / 2)];
        assert_eq!(step(&mut evict, at, &soft, &all), Plan::Rest);
        assert_eq!(evict.next_deadline(seconds(at)), Some(seconds(expected)));
    }
}

#[test]
fn the_lesser_grace_counts_and_a_negative_maximum_defers_to_the_pod() {
    for (most, own, ours, kubelets) in [
        (60, Some(10), 10, 10),
        (10, Some(60), 10, 10),
        (10, None, 10, 10),
        (0, Some(60), 0, 0),
        (-1, Some(60), 60, -1),
        (-1, None, 30, -1),
    ] {
        for (policy, expected) in [(Policy::default(), ours), (Policy::kubelet(), kubelets)] {
            let lists = Lists {
                soft: "memory.available<1Gi",
                soft_grace_period: "memory.available=1s",
                ..Lists::default()
            };
            let mut evict = machine(&lists, |config| {
                config.max_pod_grace_seconds = most;
                config.policy = policy;
            });
            let mut all = pods(&["a"]);
            all[0].spec.termination_grace_period_seconds = own;
            step(&mut evict, 0, &[(MEMORY, 1)], &all);
            let plan = step(&mut evict, 1, &[(MEMORY, 1)], &all);
            assert_eq!(evicted(&plan, &all).1, expected, "max {most}, own {own:?}");
        }
    }
}

#[test]
fn the_kubelet_waits_for_one_pod_whatever_is_short_meanwhile() {
    let all = pods(&["a", "b"]);
    let lists = Lists {
        hard: "memory.available<1Gi,pid.available<100",
        ..Lists::default()
    };
    let mut evict = machine(&lists, |config| config.policy = Policy::kubelet());
    let pids = (Signal::PidAvailable, 1);
    assert_eq!(evicted(&step(&mut evict, 0, &[pids], &all), &all).0, "a");
    assert_eq!(
        step(&mut evict, 1, &[(MEMORY, 1)], &all),
        Plan::Rest,
        "being killed"
    );
    done(&mut evict, 2, Outcome::Killed, &all);
    assert_eq!(
        step(&mut evict, 3, &[(MEMORY, 1)], &all),
        Plan::Rest,
        "being cleaned up"
    );
}

#[test]
fn a_hard_threshold_cuts_a_soft_grace_short_once() {
    let all = pods(&["a"]);
    let mut evict = machine(
        &Lists {
            hard: "memory.available<1Gi",
            soft: "memory.available<2Gi",
            soft_grace_period: "memory.available=1s",
            ..Lists::default()
        },
        |config| config.max_pod_grace_seconds = 60,
    );
    step(&mut evict, 0, &[(MEMORY, GI + 1)], &all);
    assert_eq!(
        evicted(&step(&mut evict, 1, &[(MEMORY, GI + 1)], &all), &all),
        ("a", 60)
    );
    assert_eq!(step(&mut evict, 2, &[(MEMORY, GI + 1)], &all), Plan::Rest);
    assert_eq!(step(&mut evict, 3, &[(MEMORY, 1)], &all), Plan::KillNow);
    assert_eq!(step(&mut evict, 4, &[(MEMORY, 1)], &all), Plan::Rest);
}

/// The soft threshold of memory is met all the while, and acts before any of a disk.
#[test]
fn a_hard_threshold_of_a_disk_cuts_the_grace_of_a_soft_one_of_memory_short() {
    let all = pods(&["a"]);
    let mut evict = machine(
        &Lists {
            hard: "nodefs.available<1Gi",
            soft: "memory.available<2Gi",
            soft_grace_period: "memory.available=1s",
            ..Lists::default()
        },
        |config| config.max_pod_grace_seconds = 60,
    );
    let soft = (MEMORY, GI);
    step(&mut evict, 0, &[soft], &all);
    let plan = step(&mut evict, 1, &[soft], &all);
    assert_eq!(evicted(&plan, &all), ("a", 60));
    let both = [soft, (Signal::NodefsAvailable, 1)];
    assert_eq!(step(&mut evict, 2, &both, &all), Plan::KillNow);
}

/// Acceptance rows 87 and 88.
#[test]
fn a_failed_kill_takes_the_next_and_leaves_the_stuck_one_alone() {
    let all = pods(&["a", "b", "c"]);
    let mut evict = hard("memory.available<1Gi");
    assert_eq!(
        evicted(&step(&mut evict, 0, &[(MEMORY, 1)], &all), &all).0,
        "a"
    );
    assert_eq!(
        evicted(&done(&mut evict, 1, Outcome::KillFailed, &all), &all).0,
        "b"
    );
    done(&mut evict, 2, Outcome::Killed, &all);
    done(&mut evict, 2, Outcome::CleanedUp, &all);
    let left = [all[0].clone(), all[2].clone()];
    assert_eq!(
        evicted(&step(&mut evict, 3, &[(MEMORY, 0)], &left), &left).0,
        "c"
    );
    done(&mut evict, 4, Outcome::KillFailed, &left);
    assert_eq!(
        evicted(&step(&mut evict, 32, &[(MEMORY, 1)], &left), &left).0,
        "a",
        "tried again"
    );
}

/// Found by the simulator (seed 403): its wait was over while another kill got stuck, and a third
/// pod went in its place.
#[test]
fn a_pod_that_was_left_alone_long_enough_comes_before_the_next() {
    let all = pods(&["a", "b", "c", "d"]);
    let mut evict = hard("memory.available<1Gi");
    step(&mut evict, 0, &[(MEMORY, 1)], &all);
    done(&mut evict, 1, Outcome::KillFailed, &all);
    done(&mut evict, 2, Outcome::Killed, &all);
    done(&mut evict, 2, Outcome::CleanedUp, &all);
    let left = [all[0].clone(), all[2].clone(), all[3].clone()];
    let plan = step(&mut evict, 3, &[(MEMORY, 0)], &left);
    assert_eq!(evicted(&plan, &left).0, "c");
    let plan = done(&mut evict, 40, Outcome::KillFailed, &left);
    assert_eq!(evicted(&plan, &left).0, "a");
}

/// Found by the simulator (seeds 33065 and 91751) in what was tried instead: pods that never die
/// took their turns again and again, and one that would have died never had its own.
#[test]
fn a_round_tries_each_pod_once_however_long_it_takes() {
    let all = pods(&["a", "b", "c"]);
    let mut evict = hard("memory.available<1Gi");
    step(&mut evict, 0, &[(MEMORY, 1)], &all);
    let plan = done(&mut evict, 20, Outcome::KillFailed, &all);
    assert_eq!(evicted(&plan, &all).0, "b");
    let plan = done(&mut evict, 60, Outcome::KillFailed, &all);
    assert_eq!(
        evicted(&plan, &all).0,
        "c",
        "a has waited, but had its turn"
    );
}

/// Found by the simulator (seed 15350): the same while the node gave back what it could.
#[test]
fn a_pod_that_was_left_alone_long_enough_comes_first_after_a_long_reclaim() {
    let all = pods(&["a", "b", "c"]);
    let mut evict = hard("nodefs.available<1Gi");
    let short = |left| [(Signal::NodefsAvailable, left)];
    let plan = step(&mut evict, 0, &short(1), &all);
    assert!(matches!(plan, Plan::Relieve(_)), "{plan:?}");
    let again = readings(seconds(1), &short(1));
    let plan = relieved(&mut evict, 1, &again, &candidates(&all));
    assert_eq!(evicted(&plan, &all).0, "a");
    done(&mut evict, 2, Outcome::KillFailed, &all);
    done(&mut evict, 3, Outcome::Killed, &all);
    done(&mut evict, 3, Outcome::CleanedUp, &all);
    let left = [all[0].clone(), all[2].clone()];
    step(&mut evict, 4, &short(0), &left);
    let again = readings(seconds(40), &short(0));
    let plan = relieved(&mut evict, 40, &again, &candidates(&left));
    assert_eq!(evicted(&plan, &left).0, "a");
}

#[test]
fn a_kill_that_fails_after_the_pressure_is_gone_takes_no_other() {
    let all = pods(&["a", "b"]);
    let mut evict = hard("memory.available<1Gi");
    step(&mut evict, 0, &[(MEMORY, 1)], &all);
    step(&mut evict, 5, &[(MEMORY, 5 * GI)], &all);
    assert_eq!(done(&mut evict, 6, Outcome::KillFailed, &all), Plan::Rest);
}

#[test]
fn the_kubelets_failed_kill_ends_the_round() {
    let all = pods(&["a", "b"]);
    let mut evict = machine(
        &Lists {
            hard: "memory.available<1Gi",
            ..Lists::default()
        },
        |config| config.policy = Policy::kubelet(),
    );
    assert_eq!(
        evicted(&step(&mut evict, 0, &[(MEMORY, 1)], &all), &all),
        ("a", 1)
    );
    assert_eq!(done(&mut evict, 1, Outcome::KillFailed, &all), Plan::Rest);
}

/// Decision D33.
#[test]
fn critical_pods_are_passed_over_and_reported_when_only_they_remain() {
    let mut all = pods(&["static", "mirror", "a"]);
    let annotations = ["kubernetes.io/config.source", "kubernetes.io/config.mirror"];
    for (pod, key) in all.iter_mut().zip(annotations) {
        pod.metadata
            .annotations
            .insert(key.to_string(), "file".to_string());
    }
    all.push(pod("system", 2_000_000_000));
    let mut evict = hard("memory.available<1Gi");
    let plan = step(&mut evict, 0, &[(MEMORY, 1)], &all);
    assert_eq!(evicted(&plan, &all).0, "a");
    let Plan::Evict(Eviction {
        cause: Cause::Threshold { passed_over, .. },
        ..
    }) = plan
    else {
        panic!("another cause");
    };
    assert_eq!(passed_over, 2);
    assert_eq!(
        done(&mut evict, 1, Outcome::KillFailed, &all),
        Plan::NoCandidate(MEMORY, NoPod::AllSkipped)
    );
}

#[test]
fn memory_goes_first_whatever_the_order_of_the_flags() {
    let all = pods(&["a"]);
    let mut evict = hard("pid.available<100,nodefs.available<1Gi,memory.available<1Gi");
    let low = [
        (MEMORY, 1),
        (Signal::PidAvailable, 1),
        (Signal::NodefsAvailable, 1),
    ];
    step(&mut evict, 0, &low, &all);
    assert_eq!(evict.acting_on().map(|t| t.signal), Some(MEMORY));
}

#[test]
fn pods_are_asked_for_only_when_one_has_to_go() {
    let all = pods(&["a"]);
    let mut evict = hard("memory.available<1Gi");
    let low = readings(seconds(0), &[(MEMORY, 1)]);
    let plan = evict.step(
        seconds(0),
        &Observation {
            readings: &low,
            layout: None,
        },
        None,
    );
    assert_eq!(plan, Plan::ReadPods);
    assert_eq!(
        evicted(&done(&mut evict, 0, Outcome::PodsRead, &all), &all).0,
        "a"
    );
}

/// Acceptance row 120: a threshold stays met until its minimum is reclaimed.
#[test]
fn minimum_reclaim_goes_on_until_it_is_reached() {
    let all = pods(&["a"]);
    let mut evict = machine(
        &Lists {
            hard: "memory.available<1Gi",
            minimum_reclaim: "memory.available=1Gi",
            ..Lists::default()
        },
        |_| {},
    );
    assert_eq!(
        step(&mut evict, 0, &[(MEMORY, GI + 1)], &all),
        Plan::Rest,
        "not met yet"
    );
    for (at, available, name) in [(1, GI / 2, "a"), (3, GI + GI / 4, "a")] {
        assert_eq!(
            evicted(&step(&mut evict, at, &[(MEMORY, available)], &all), &all).0,
            name
        );
        done(&mut evict, at + 1, Outcome::Killed, &all);
        done(&mut evict, at + 1, Outcome::CleanedUp, &all);
    }
    assert_eq!(step(&mut evict, 5, &[(MEMORY, 2 * GI)], &all), Plan::Rest);
    assert_eq!(
        step(&mut evict, 6, &[(MEMORY, GI + 1)], &all),
        Plan::Rest,
        "left for good"
    );
}

/// The pods `a` and `b` are above their limits, the one between them has none.
fn above_their_limits() -> (Vec<Pod>, Vec<Candidate>) {
    let limited = |name: &str| {
        let mut pod = pod(name, 0);
        let source = VolumeSource::EmptyDir {
            medium: Medium::default(),
            size_limit: Quantity::parse("1Mi").ok(),
        };
        pod.spec.volumes.push(Volume {
            name: "scratch".to_string(),
            source,
        });
        pod
    };
    let all = [limited("a"), pod("within", 0), limited("b")].to_vec();
    let usage = PodUsage {
        volumes: [VolumeUsage {
            name: "scratch".to_string(),
            used_bytes: Some((1 << 20) + 1),
            inodes_used: None,
        }]
        .into(),
        ..PodUsage::default()
    };
    let candidate = |pod| Candidate::new(pod, Some(&usage));
    let candidates = all.iter().map(candidate).collect();
    (all, candidates)
}

#[test]
fn pods_above_their_own_limits_go_one_after_another() {
    let (all, candidates) = above_their_limits();
    let mut evict = hard("memory.available<1Gi");
    let low = readings(seconds(0), &[(MEMORY, 1)]);
    let observation = Observation {
        readings: &low,
        layout: None,
    };
    let plan = evict.step(seconds(0), &observation, Some(&candidates));
    assert_eq!(evicted(&plan, &all), ("a", 1));
    let Plan::Evict(eviction) = plan else {
        panic!("checked above")
    };
    assert_eq!(
        evict.message(&eviction, &candidates[0]).text,
        "Usage of EmptyDir volume \"scratch\" exceeds the limit \"1Mi\". "
    );
    let plan = evict.answer(seconds(1), Outcome::Killed, Some(&candidates));
    assert_eq!(evicted(&plan, &all).0, "b");
    let plan = evict.answer(seconds(2), Outcome::Killed, Some(&candidates));
    assert_eq!(
        plan,
        Plan::Rest,
        "the round is over, memory pressure or not"
    );

    // Found by the simulator (seed 3699): nor is anything done for memory by what was read
    // before the first of them was gone, where the next cannot be killed.
    let mut evict = hard("memory.available<1Gi");
    evict.step(seconds(0), &observation, Some(&candidates));
    evict.answer(seconds(1), Outcome::Killed, Some(&candidates));
    let plan = evict.answer(seconds(1), Outcome::KillFailed, Some(&candidates));
    assert_eq!(plan, Plan::Rest);

    // Nor does the kubelet try again in the round what could not be killed.
    let kubelet = |config: &mut Config| config.policy = Policy::kubelet();
    let mut evict = machine(&Lists::default(), kubelet);
    let plan = evict.step(seconds(0), &observation, Some(&candidates));
    assert_eq!(evicted(&plan, &all).0, "a");
    for (at, next) in [(1, Some("b")), (2, None)] {
        let plan = evict.answer(seconds(at), Outcome::KillFailed, Some(&candidates));
        assert_eq!(next, (plan != Plan::Rest).then(|| evicted(&plan, &all).0));
    }
}

/// Decision D17: swap is what ran short; what a container uses is memory.
#[test]
fn the_message_of_swap_names_swap() {
    let all = [pod("a", 0)];
    let usage = PodUsage {
        swap_bytes: Some(40 << 20),
        ..PodUsage::default()
    };
    let candidates = [Candidate::new(&all[0], Some(&usage))];
    let mut evict = hard("swap.available<64Mi");
    let low = readings(seconds(0), &[(Signal::SwapAvailable, 1 << 20)]);
    let observation = Observation {
        readings: &low,
        layout: None,
    };
    let Plan::Evict(eviction) = evict.step(seconds(0), &observation, Some(&candidates)) else {
        panic!("a pod is evicted")
    };
    assert_eq!(
        evict.message(&eviction, &candidates[0]).text,
        "The node was low on resource: swap. Threshold quantity: 64Mi, available: 1Mi. "
    );
}

/// Decision D57: the kubelet's message leaves volumes out.
#[test]
fn the_message_names_local_volumes() {
    let mut owner = pod("a", 0);
    owner.spec.volumes.push(Volume {
        name: "data".to_string(),
        source: VolumeSource::HostPath {
            path: "/data".to_string(),
        },
    });
    let volume = VolumeUsage {
        name: "data".to_string(),
        used_bytes: Some(3 << 20),
        inodes_used: None,
    };
    let mount = MountUsage {
        path: "/volumes/media".to_string(),
        used_bytes: Some(2 << 20),
        ..MountUsage::default()
    };
    let usage = PodUsage {
        volumes: [volume].into(),
        mounts: [mount].into(),
        ..PodUsage::default()
    };
    let candidates = [Candidate::new(&owner, Some(&usage))];
    let mut evict = hard("nodefs.available<4Mi");
    let low = readings(seconds(0), &[(Signal::NodefsAvailable, 1 << 20)]);
    let layout = Some(Layout::OneFilesystem);
    evict.step(
        seconds(0),
        &Observation {
            readings: &low,
            layout,
        },
        Some(&candidates),
    );
    let plan = relieved(&mut evict, 0, &low, &candidates);
    let Plan::Evict(eviction) = plan else {
        panic!("nothing evicted")
    };
    assert_eq!(
        evict.message(&eviction, &candidates[0]).text,
        "The node was low on resource: ephemeral-storage. \
         Threshold quantity: 4Mi, available: 1Mi. Volume data was using 3Mi. \
         Volume /volumes/media was using 2Mi. "
    );
}

#[test]
fn a_change_of_layout_changes_the_derived_thresholds() {
    let mut evict = hard("nodefs.available<10%,imagefs.available<15%");
    let none = Readings::default();
    for (layout, count, source) in [
        (None, 2, None),
        (Some(Layout::OneFilesystem), 6, Some("10%")),
        (Some(Layout::DedicatedImagefs), 6, Some("15%")),
        (None, 6, Some("15%")), // not known now
    ] {
        evict.step(
            seconds(0),
            &Observation {
                readings: &none,
                layout,
            },
            None,
        );
        assert_eq!(evict.thresholds().len(), count, "{layout:?}");
        let derived = evict
            .thresholds()
            .find(|t| t.signal == Signal::ContainerfsAvailable);
        assert_eq!(
            derived.map(|t| t.value.to_string()).as_deref(),
            source,
            "{layout:?}"
        );
    }
}

/// The kubelet finds out the layout in its first round, which goes through the
/// thresholds from before.
#[test]
fn the_kubelet_counts_derived_thresholds_from_the_second_round() {
    let layout = Some(Layout::OneFilesystem);
    let low = readings(seconds(1), &[(Signal::ContainerfsAvailable, 1)]);
    for (policy, first_round_read, met) in [
        (Policy::default(), true, 1),
        (Policy::kubelet(), true, 0),
        (Policy::kubelet(), false, 1),
    ] {
        let lists = Lists {
            hard: "nodefs.available<10%",
            ..Lists::default()
        };
        let mut evict = machine(&lists, |config| config.policy = policy);
        if !first_round_read {
            evict.take_layout(layout);
        }
        evict.step(
            seconds(1),
            &Observation {
                readings: &low,
                layout,
            },
            None,
        );
        assert_eq!(
            evict.met().count(),
            met,
            "read at first: {first_round_read}"
        );
    }
}

#[test]
fn outcomes_that_nobody_asked_for_change_nothing() {
    let all = pods(&["a"]);
    let mut evict = hard("memory.available<1Gi");
    let late = Outcome::Relieved(Relieved::default());
    for outcome in [Outcome::CleanedUp, late] {
        assert_eq!(done(&mut evict, 0, outcome, &all), Plan::Rest);
    }
    assert_eq!(
        evicted(&step(&mut evict, 1, &[(MEMORY, 1)], &all), &all).0,
        "a"
    );
    assert_eq!(done(&mut evict, 2, late, &all), Plan::Rest);
    assert!(evict.is_busy(), "the kill is still awaited");
}

/// A proposal that is not taken up leaves nothing behind: whatever holds it back, the next round
/// decides as if it had never been made.
#[test]
fn a_proposal_that_is_not_taken_up_leaves_nothing_behind() {
    let all = candidates(&pods(&["a", "b"]));
    let short = readings(seconds(1), &[(MEMORY, 1)]);
    let observation = Observation::new(&short);
    let mut once = hard("memory.available<1Gi");
    let mut often = once.clone();
    for _ in 0..5 {
        let plan = often.step(seconds(1), &observation, Some(&all));
        assert!(matches!(plan, Plan::Evict(_)), "{plan:?}");
        // A reading is fresh once.
        often.watch.readings = Readings::default();
    }
    let plan = once.step(seconds(1), &observation, Some(&all));
    assert_eq!(often.step(seconds(1), &observation, Some(&all)), plan);
    for evict in [&mut once, &mut often] {
        assert!(!evict.is_busy());
        evict.outcome(seconds(1), Outcome::NotBegun, Some(&all));
    }
    assert_eq!(alloc::format!("{once:?}"), alloc::format!("{often:?}"));
}

/// Each pair of stage and outcome: what goes on, what comes too late, and what cannot happen,
/// which changes nothing but a count.
#[test]
fn each_pair_of_stage_and_outcome() {
    let all = candidates(&pods(&["a", "b"]));
    let again = readings(seconds(1), &[(MEMORY, 1), (Signal::NodefsAvailable, 1)]);
    let outcomes = [
        Outcome::PodsRead,
        Outcome::Relieved(Relieved {
            gave: false,
            again: Some(&again),
        }),
        Outcome::Told,
        Outcome::Begun,
        Outcome::NotBegun,
        Outcome::Pretended,
        Outcome::Killed,
        Outcome::KillFailed,
        Outcome::CleanedUp,
    ];
    let machine_in = |stage: StageName| {
        let mut evict = hard("memory.available<1Gi,nodefs.available<1Gi");
        let signals: &[(Signal, i64)] = match stage {
            StageName::Idle => &[],
            StageName::Relieving => &[(Signal::NodefsAvailable, 1)],
            StageName::ReadingPods
            | StageName::Telling
            | StageName::Proposed
            | StageName::Killing => &[(MEMORY, 1)],
        };
        let short = readings(seconds(1), signals);
        let candidates = if stage == StageName::Telling {
            &[][..]
        } else {
            &all
        };
        let pods = (stage != StageName::ReadingPods).then_some(candidates);
        evict.step(seconds(1), &Observation::new(&short), pods);
        if stage == StageName::Killing {
            evict.outcome(seconds(1), Outcome::Begun, Some(&all));
        }
        assert_eq!(evict.stage.name(), stage);
        evict
    };
    for stage in StageName::ALL {
        for (outcome, name) in outcomes.into_iter().zip(OutcomeName::ALL) {
            assert_eq!(OutcomeName::from(&outcome), name);
            let mut evict = machine_in(stage);
            let before = alloc::format!("{evict:?}");
            if reaction(stage, name) == Reaction::Never {
                continue; // the next test
            }
            let plan = evict.outcome(seconds(2), outcome, Some(&all));
            let is_unchanged = alloc::format!("{evict:?}") == before;
            let nothing_to_clean = name == OutcomeName::CleanedUp;
            let is_late = reaction(stage, name) == Reaction::TooLate || nothing_to_clean;
            assert_eq!(is_unchanged, is_late, "{stage}, {name}: {plan:?}");
            assert!(!is_late || plan == Plan::Rest, "{stage}, {name}: {plan:?}");
            assert_eq!(evict.never(), 0);
        }
    }
}

// What is built for musl has no tables to unwind by.
#[test]
#[cfg(all(debug_assertions, not(target_env = "musl")))]
#[should_panic(expected = "killed while idle")]
fn what_cannot_happen_is_a_fault_of_the_caller() {
    let _ = hard("memory.available<1Gi").outcome(seconds(1), Outcome::Killed, None);
}

#[test]
fn the_wait_is_told() {
    let mut evict = hard("memory.available<1Gi");
    assert_eq!(evict.next_deadline(seconds(0)), None);
    step(&mut evict, 0, &[(MEMORY, 1)], &[]);
    let transition = Duration::from_secs(300);
    assert_eq!(
        evict.next_deadline(seconds(1)),
        Some(seconds(0) + transition)
    );
}
