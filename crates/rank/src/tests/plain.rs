//! The order by packed keys is that of the rules, compared pair by pair.

use alloc::boxed::Box;
use core::cmp::{Ordering, Reverse};

use evictd_node::{QosClass, Resource};

use super::*;

/// Kubernetes since 1.9.
fn by_priority(a: &Place, b: &Place, policy: &Policy) -> Ordering {
    let priority = a.priority.cmp(&b.priority);
    let standing = standing(a, policy).cmp(&standing(b, policy));
    let first = match a.signal.resource() {
        Resource::Pids => priority.then(standing),
        Resource::Memory | Resource::EphemeralStorage | Resource::Inodes => standing.then(priority),
    };
    first.then_with(|| Reverse(a.over_nanos()).cmp(&Reverse(b.over_nanos())))
}

fn standing(place: &Place, policy: &Policy) -> u8 {
    let exceeds = place.exceeds && place.signal.resource() != Resource::Pids;
    match place.used {
        None if policy.missing_stats_rank_first => 0,
        Some(_) if exceeds => 1,
        None => 2,
        Some(_) if place.signal.resource() == Resource::Pids => 1,
        Some(_) => 3,
    }
}

/// Kubernetes before 1.9.
fn by_qos(a: &Place, b: &Place, policy: &Policy) -> Ordering {
    let within = |place: &Place| match place.signal.resource() {
        Resource::Memory if place.exceeds => (0, Reverse(place.over_nanos())),
        Resource::Memory => (1, Reverse(i128::from(place.used.unwrap_or(0)))),
        Resource::EphemeralStorage | Resource::Inodes | Resource::Pids => {
            (0, Reverse(i128::from(place.used.unwrap_or(0))))
        }
    };
    let known = |place: &Place| place.used.is_some() == policy.missing_stats_rank_first;
    (a.qos, known(a), within(a)).cmp(&(b.qos, known(b), within(b)))
}

/// The places of all, sorted by comparing them.
fn expected(
    signal: Signal,
    layout: Layout,
    candidates: &[Candidate<'_>],
    policy: &Policy,
) -> Vec<Place> {
    let one_by_one = candidates.iter().map(core::slice::from_ref);
    let places = one_by_one.flat_map(|one| rank(signal, layout, one, policy).collect::<Vec<_>>());
    let mut places: Vec<Place> = places
        .enumerate()
        .map(|(candidate, place)| Place { candidate, ..place })
        .collect();
    places.sort_by(|a, b| match policy.ranking {
        Ranking::Priority => by_priority(a, b, policy),
        Ranking::Qos => by_qos(a, b, policy),
    });
    places
}

/// The same numbers in every run; of the lists below only a few neighbours at a time, so
/// that candidates differ in little.
struct Random(u64, usize);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 32).unwrap() % end
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn quantity(&mut self) -> Option<Quantity> {
        let text = QUANTITIES[(self.1 + self.below(4)) % QUANTITIES.len()];
        (!text.is_empty()).then(|| Quantity::parse(text.as_bytes()).unwrap())
    }

    fn amount(&mut self) -> Option<u64> {
        let choices = [
            None,
            Some(AMOUNTS[(self.1 + self.below(3)) % AMOUNTS.len()]),
        ];
        self.of(&[choices[0], choices[1], choices[1], choices[1]])
    }

    fn requests(&mut self) -> ResourceList {
        ResourceList {
            cpu: self.quantity().map(Box::new),
            memory: self.quantity(),
            ephemeral_storage: self.quantity().map(Box::new),
            inodes: self.quantity().map(Box::new),
        }
    }

    fn containers(&mut self, most: usize) -> Vec<Container> {
        let mut one = || {
            let mut container = Container::default();
            container.resources.requests = self.requests();
            container
        };
        let all: Vec<Container> = core::iter::repeat_with(&mut one).take(most).collect();
        let kept = self.below(most + 1);
        all.into_iter().take(kept).collect()
    }

    fn pod(&mut self) -> Pod {
        let mut pod = Pod::default();
        pod.spec.containers = self.containers(3);
        pod.spec.init_containers = self.containers(2);
        if self.below(4) == 0 {
            pod.spec.overhead = Some(self.requests().into());
        }
        pod.spec.priority = self.of(&[None, Some(0), Some(1), Some(-1), Some(i32::MIN)]);
        if self.below(8) == 0 {
            pod.spec.priority = Some(i32::MAX);
        }
        let classes = [QosClass::BestEffort, QosClass::Burstable];
        pod.status.qos_class = self.of(&[None, Some(classes[0]), Some(classes[1])]);
        pod
    }

    fn usage(&mut self) -> Option<PodUsage> {
        let container = ContainerUsage {
            rootfs_bytes: self.amount(),
            logs_inodes: self.amount(),
            logs_bytes: self.amount(),
            ..ContainerUsage::default()
        };
        let usage = PodUsage {
            memory_working_set_bytes: self.amount(),
            process_count: self.amount(),
            containers: [container].into(),
            ..PodUsage::default()
        };
        (self.below(6) != 0).then_some(usage)
    }
}

/// Those that fit and those that do not, fractions down to a billionth, and amounts
/// that differ in nothing else.
const QUANTITIES: &[&str] = &[
    "",
    "0",
    "1",
    "2",
    "1Mi",
    "1Mi",
    "1.5Mi",
    "300n",
    "1n",
    "-1n",
    "-1",
    "-1Mi",
    "1e3",
    "999999999n",
    "1.000000001",
    "0.999999999",
    "1.5",
    "9223372036854775807",
    "9223372036854775806.5",
    "-9223372036854775807",
    "4611686018427387904",
    "2305843009213693951",
    "2305843009213693952",
    "2305843009213693953",
    "9223372036854775807.000000001",
    "1e27",
    "1e29",
    "1e30",
    "170e27",
    "1e500",
    "-1e500",
    "-1e29",
    "18446744073709551615",
    "18446744073709551616.000000002",
    "1e18",
    "1E",
];

const AMOUNTS: &[u64] = &[
    0,
    1,
    2,
    1 << 20,
    (1 << 20) + 1,
    3 << 19,
    (1 << 61) - 1,
    1 << 61,
    (1 << 61) + 1,
    i64::MAX.cast_unsigned(),
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

fn policies() -> Vec<Policy> {
    let mut policies = Vec::new();
    for ranking in [Ranking::Priority, Ranking::Qos] {
        for preset in [Policy::default(), Policy::kubelet()] {
            policies.push(Policy { ranking, ..preset });
        }
    }
    policies
}

const SIGNALS: [Signal; 5] = [
    Signal::MemoryAvailable,
    Signal::NodefsAvailable,
    Signal::ImagefsAvailable,
    Signal::NodefsInodesFree,
    Signal::PidAvailable,
];

/// A list of random pods, of which some are alike.
fn pods(random: &mut Random, count: usize) -> Vec<(Pod, Option<PodUsage>)> {
    let mut pods = Vec::new();
    for _ in 0..count {
        let pod = (random.pod(), random.usage());
        if random.below(4) == 0 {
            pods.push(pod.clone());
        }
        pods.push(pod);
    }
    pods
}

#[test]
fn packed_keys_order_as_the_rules_do() {
    let mut random = Random(20, 0);
    for round in 0..150 {
        let count = random.below(if round % 100 == 0 { 400 } else { 12 });
        random.1 = random.below(QUANTITIES.len() * AMOUNTS.len());
        let pods = pods(&mut random, count);
        let candidate = |(pod, usage)| Candidate { pod, usage };
        let split = pods.iter().map(|(pod, usage)| (pod, usage.as_ref()));
        let candidates: Vec<Candidate<'_>> = split.map(candidate).collect();
        let layout = random.of(&[Layout::OneFilesystem, Layout::SplitImagefs]);
        for policy in policies() {
            for signal in SIGNALS {
                let expected = expected(signal, layout, &candidates, &policy);
                let order = rank(signal, layout, &candidates, &policy);
                assert_eq!(
                    order.size_hint(),
                    (candidates.len(), Some(candidates.len()))
                );
                assert_eq!(
                    order.clone().collect::<Vec<_>>(),
                    expected,
                    "{signal}, round {round}"
                );

                let may_go = |_: usize, candidate: &Candidate<'_>| !candidate.pod.is_critical();
                let victim = first(signal, layout, &candidates, &policy, &may_go);
                let is_one = |(_, place): &(usize, Place)| {
                    may_go(place.candidate, &candidates[place.candidate])
                };
                assert_eq!(
                    victim,
                    order.enumerate().find(is_one),
                    "{signal}, round {round}"
                );
            }
        }
    }
}
