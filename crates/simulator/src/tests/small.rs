//! Small worlds completely: every sequence, every order.

use core::time::Duration;

use evictd_condition::Pressure;
use evictd_evict::{Config, Evict, Observation};
use evictd_node::pod::usage::PodUsage;
use evictd_node::pod::{Container, Pod};
use evictd_node::{Condition, ConditionSet, Layout, Mono, Policy, Reading, Readings, Signal};
use evictd_quantity::{Format, Quantity};
use evictd_rank::{Candidate, first, rank};
use evictd_threshold::{Lists, parse};

const MEMORY: Signal = Signal::MemoryAvailable;

const fn at(second: u64) -> Mono {
    Mono::from_millis(second * 1000)
}

/// Each sequence of so many digits below `base`.
fn sequences(base: usize, length: u32) -> impl Iterator<Item = Vec<usize>> {
    let count = base.pow(length);
    (0..count).map(move |mut number| {
        let digit = |_| {
            let digit = number % base;
            number /= base;
            digit
        };
        (0..length).map(digit).collect()
    })
}

/// Acceptance row 329: a threshold of 100 with a minimum reclaim of 100 more, for each grace,
/// over all sequences of eight readings that are below it, between, above, or missing.
#[test]
fn a_threshold_is_met_and_left_as_it_is_written() {
    let mut states = 0;
    for grace in 0..4_u64 {
        let soft = format!("memory.available={grace}s");
        let of = "memory.available<100";
        let lists = Lists {
            hard: if grace == 0 { of } else { "" },
            soft: if grace == 0 { "" } else { of },
            soft_grace_period: if grace == 0 { "" } else { &soft },
            minimum_reclaim: "memory.available=100",
            ..Lists::default()
        };
        let config = Config {
            thresholds: parse(&lists).unwrap(),
            ..Config::default()
        };
        for sequence in sequences(4, 8) {
            let mut evict = Evict::new(config.clone());
            let (mut since, mut is_due) = (None, false);
            for (second, kind) in (0..).zip(sequence) {
                let mut readings = Readings::default();
                let left = [Some(50), Some(150), Some(250), None].get(kind).copied();
                let left = left.flatten();
                readings.set(MEMORY, left.map(|left| Reading::new(left, 1000)));
                readings.set(Signal::PidAvailable, Some(Reading::new(9, 10)));
                evict.step(at(second), &Observation::new(&readings), Some(&[]));
                let is_met = kind == 0 || (is_due && kind == 1);
                since = is_met.then(|| since.unwrap_or(second));
                is_due = since.is_some_and(|since| second - since >= grace);
                assert_eq!(evict.met().next().is_some(), is_met);
                assert_eq!(evict.due().next().is_some(), is_due);
                states += 1;
            }
        }
    }
    println!("{states} states");
    assert_eq!(states, 4 * 4_u32.pow(8) * 8);
}

/// Acceptance row 330: a condition holds where it was observed within the transition period,
/// over all sequences of twelve observations.
#[test]
fn a_condition_holds_as_long_as_it_is_written() {
    let mut states = 0;
    for transition in 0..4_u64 {
        for sequence in sequences(2, 12) {
            let mut pressure = Pressure::default();
            let mut observed_at = Vec::new();
            for (second, kind) in (0..).zip(sequence) {
                let mut observed = ConditionSet::empty();
                observed.set(Condition::DiskPressure.set(), kind == 1);
                observed_at.extend((kind == 1).then_some(second));
                let period = Duration::from_secs(transition);
                let policy = Policy::default();
                let held = pressure.observe(at(second), observed, period, &policy);
                let mut lately = observed_at.iter().map(|of| second - of);
                let is_held = kind == 1 || lately.any(|ago| ago < transition);
                assert_eq!(held.has(Condition::DiskPressure), is_held);
                states += 1;
            }
        }
    }
    println!("{states} states");
    assert_eq!(states, 4 * 2_u32.pow(12) * 12);
}

fn candidate(name: usize, (used, priority, request): (u64, i32, i64)) -> Candidate {
    let mut pod = Pod::default();
    pod.metadata.uid = name.to_string();
    pod.spec.priority = Some(priority);
    let mut container = Container::default();
    let request = Quantity::from_int(request, Format::BinarySi);
    container.resources.requests.memory = Some(request.into());
    pod.spec.containers.push(container);
    let usage = PodUsage {
        memory_working_set_bytes: Some(used),
        ..PodUsage::default()
    };
    Candidate::new(&pod, (used < 9).then_some(&usage))
}

/// Acceptance row 331: whatever the order in which pods are listed, the same kinds of pods go
/// in the same order; over all lists of four pods of nine kinds, in all their orders.
#[test]
fn the_order_of_eviction_is_no_matter_of_the_list() {
    const KINDS: [(u64, i32, i64); 9] = [
        (1, 0, 0),
        (3, 0, 0),
        (4, 0, 2),
        (3, 5, 0),
        (1, 5, 2),
        (2, 0, 2),
        (1, -1, 2),
        (9, 0, 0),
        (3, -1, 0),
    ];
    let policy = Policy::default();
    let mut lists = 0;
    for kinds in sequences(KINDS.len(), 4) {
        let mut expected: Option<Vec<usize>> = None;
        for order in sequences(4, 4) {
            let is_permutation = (0..4).all(|index| order.contains(&index));
            if !is_permutation {
                continue;
            }
            let of = |index: &usize| kinds.get(*index).copied().unwrap_or(0);
            let kind_of = |kind: usize| KINDS.get(kind).copied().unwrap_or_default();
            let all: Vec<Candidate> = order
                .iter()
                .map(|index| candidate(of(index), kind_of(of(index))))
                .collect();
            let places = rank(MEMORY, Layout::OneFilesystem, &all, &policy);
            let ranked: Vec<usize> = places
                .iter()
                .filter_map(|place| order.get(place.candidate).map(of))
                .collect();
            let head = first(MEMORY, Layout::OneFilesystem, &all, &policy, |_, _| true);
            assert_eq!(head.map(|(_, place)| place).as_ref(), places.first());
            assert_eq!(*expected.get_or_insert_with(|| ranked.clone()), ranked);
            lists += 1;
        }
    }
    println!("{lists} lists");
    assert_eq!(lists, 9_u32.pow(4) * 24);
}
