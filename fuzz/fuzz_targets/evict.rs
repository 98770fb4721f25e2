//! Random ticks through the state machine, with its settings read anew between them.
//!
//! Whatever is observed, whatever is set and whatever comes of its plans: one pod at a time, never
//! a critical one, never one that could not be killed a moment ago, nobody while
//! nothing is met; and the same input gives the same plans.
#![no_main]

use core::time::Duration;

use evictd_evict::{Cause, Config, Evict, Eviction, Observation, Outcome, Plan, Relieved};
use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;
use evictd_node::{Layout, Mono, Policy, Ranking, Reading, Readings, Signal};
use evictd_rank::Candidate;
use evictd_threshold::{Lists, parse};
use libfuzzer_sys::fuzz_target;

/// The input, byte by byte; zeros when it is used up.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn below(&mut self, bound: u8) -> u8 {
        self.next() % bound
    }

    fn flag(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

const LISTS: [(&str, &str, &str, &str); 7] = [
    ("", "", "", ""),
    ("memory.available<100", "", "", ""),
    (
        "memory.available<10%,nodefs.available<10%,pid.available<5",
        "",
        "",
        "nodefs.available=50",
    ),
    (
        "",
        "memory.available<120",
        "memory.available=2s",
        "memory.available=20%",
    ),
    (
        "memory.available<50",
        "memory.available<150,imagefs.inodesFree<20%",
        "memory.available=1s,imagefs.inodesFree=0s",
        "",
    ),
    (
        "memory.stall>40%,swap.available<10",
        "memory.stall>20%",
        "memory.stall=2s",
        "",
    ),
    (
        "imagefs.available<15%,nodefs.inodesFree<5%",
        "nodefs.available<40%",
        "nodefs.available=3s",
        "",
    ),
];

fn config(bytes: &mut Bytes<'_>) -> Config {
    let (hard, soft, soft_grace_period, minimum_reclaim) = LISTS[usize::from(bytes.below(7))];
    let enforce_pods = bytes.flag();
    let lists = Lists {
        hard,
        soft,
        soft_grace_period,
        minimum_reclaim,
        enforce_pods,
        own_signals: true,
    };
    let mut policy = if bytes.flag() {
        Policy::kubelet()
    } else {
        Policy::default()
    };
    if bytes.flag() {
        policy.ranking = Ranking::Qos;
    }
    Config {
        thresholds: parse(&lists).expect("the lists above are right"),
        policy,
        transition_period: Duration::from_secs(u64::from(bytes.below(10))),
        max_pod_grace_seconds: i64::from(bytes.below(60)) - 2,
        local_storage_isolation: bytes.flag(),
        ..Config::default()
    }
}

fn pods(bytes: &mut Bytes<'_>) -> Vec<(Pod, Option<PodUsage>)> {
    (0..bytes.below(6))
        .map(|index| {
            let mut pod = Pod::default();
            pod.metadata.uid = format!("pod-{index}");
            pod.spec.priority = Some(match bytes.below(4) {
                0 => 2_000_000_000,
                other => i32::from(other),
            });
            pod.spec.termination_grace_period_seconds = bytes.flag().then_some(7);
            let usage = bytes.flag().then(|| PodUsage {
                memory_working_set_bytes: Some(u64::from(bytes.next())),
                ..PodUsage::default()
            });
            (pod, usage)
        })
        .collect()
}

fn readings(bytes: &mut Bytes<'_>, now: Mono) -> Readings {
    let mut readings = Readings::default();
    for signal in Signal::ALL {
        let shape = bytes.next();
        let reading = Reading {
            available: i64::from(bytes.next()) - 10,
            capacity: 1000,
            sampled: (shape & 2 == 0)
                .then(|| Mono::from_millis(now.as_nanos() / 1_000_000 - u64::from(shape >> 4))),
        };
        readings.set(signal, (shape & 1 == 0).then_some(reading));
    }
    readings
}

/// What must hold of every eviction.
fn check(
    evict: &Evict,
    eviction: &Eviction,
    pods: &[Candidate],
    stuck: &[(String, Mono)],
    now: Mono,
) {
    let pod = &pods[eviction.candidate].pod;
    assert!(
        !evict
            .message(eviction, &pods[eviction.candidate])
            .text
            .is_empty()
    );
    assert!(!pod.is_critical(), "a critical pod");
    let is_stuck = |(uid, at): &(String, Mono)| {
        *uid == pod.metadata.uid && now.since(*at) < Config::default().stuck_wait
    };
    assert!(!stuck.iter().any(is_stuck), "a pod that cannot be killed");
    if let Cause::Threshold { threshold, .. } = &eviction.cause {
        let threshold = evict.threshold(*threshold).unwrap();
        assert!(
            evict.due().any(|due| due == threshold),
            "nothing is met that would say so"
        );
        assert!(evict.conditions().has(threshold.signal.condition()) || !holds(evict));
    }
}

/// With a transition period of zero the kubelet's policy shows no condition.
fn holds(evict: &Evict) -> bool {
    !evict.conditions().is_empty()
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let config = self::config(&mut bytes);
    let mut failed_ends = config.policy.failed_kill_ends_round;
    let mut evict = Evict::new(config.clone());
    let mut twin = Evict::new(config);
    let mut now = Mono::from_millis(100_000);
    let mut stuck: Vec<(String, Mono)> = Vec::new();
    let mut in_flight = false;
    while !bytes.0.is_empty() {
        now = now + Duration::from_millis(u64::from(bytes.next()) * 40);
        if bytes.below(8) == 1 {
            let other = self::config(&mut bytes);
            failed_ends = other.policy.failed_kill_ends_round;
            evict.reconfigure(other.clone());
            twin.reconfigure(other);
        }
        let readings = readings(&mut bytes, now);
        let pods = pods(&mut bytes);
        let candidates: Vec<Candidate> = pods
            .iter()
            .map(|(pod, usage)| Candidate::new(pod, usage.as_ref()))
            .collect();
        let layout = match bytes.below(4) {
            0 => None,
            1 => Some(Layout::OneFilesystem),
            2 => Some(Layout::DedicatedImagefs),
            _ => Some(Layout::SplitImagefs),
        };
        let observation = Observation {
            readings: &readings,
            layout,
        };
        let given = bytes.flag().then_some(&candidates[..]);
        let mut plan = evict.step(now, &observation, given);
        assert_eq!(
            plan,
            twin.step(now, &observation, given),
            "the same input, another plan"
        );
        assert!(
            !(in_flight && matches!(plan, Plan::Evict(_))),
            "two pods at a time"
        );
        for _ in 0..20 {
            let outcome = match &plan {
                Plan::Rest => break,
                Plan::NoCandidate(..) => Outcome::Told,
                Plan::ReadPods => Outcome::PodsRead,
                Plan::Relieve(_) => Outcome::Relieved(Relieved {
                    gave: bytes.flag(),
                    again: bytes.flag().then_some(&readings),
                }),
                Plan::KillNow => {
                    assert!(in_flight, "no pod to hurry");
                    break;
                }
                Plan::Evict(eviction) => {
                    check(&evict, eviction, &candidates, &stuck, now);
                    let fate = bytes.below(6);
                    if fate == 0 {
                        break; // something holds it back
                    }
                    if matches!(fate, 1 | 2) && !failed_ends {
                        let pod = &candidates[eviction.candidate].pod;
                        stuck.push((pod.metadata.uid.clone(), now));
                    }
                    if fate == 1 {
                        Outcome::NotBegun
                    } else {
                        for machine in [&mut evict, &mut twin] {
                            let next = machine.outcome(now, Outcome::Begun, Some(&candidates));
                            assert_eq!(next, Plan::Rest);
                            assert!(machine.is_busy());
                        }
                        in_flight = true;
                        match fate {
                            2 => Outcome::KillFailed,
                            3 => break, // it takes longer than this round
                            _ => Outcome::Killed,
                        }
                    }
                }
            };
            if matches!(outcome, Outcome::Killed | Outcome::KillFailed) {
                in_flight = false;
            }
            plan = evict.outcome(now, outcome, Some(&candidates));
            assert_eq!(plan, twin.outcome(now, outcome, Some(&candidates)));
        }
        if in_flight && bytes.flag() {
            in_flight = false;
            let next = evict.outcome(now, Outcome::Killed, None);
            assert_eq!(next, twin.outcome(now, Outcome::Killed, None));
            assert_eq!(next, Plan::Rest, "without pods");
        }
        if bytes.flag() {
            evict.outcome(now, Outcome::CleanedUp, None);
            twin.outcome(now, Outcome::CleanedUp, None);
        }
        if let Some(deadline) = evict.next_deadline(now) {
            assert!(
                deadline > now || evict.is_busy(),
                "a deadline that has passed"
            );
        }
    }
});
