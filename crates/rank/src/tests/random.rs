//! Random pods: each is ranked once, and the first is found without sorting.

use evictd_node::QosClass;
use evictd_node::pod::usage::Stalls;

use super::*;

/// Numbers that are equal in each run; of the lists below only a few neighbours at a time, so
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
        (!text.is_empty()).then(|| Quantity::parse(text).unwrap())
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
            cpu: self.quantity().map(Into::into),
            memory: self.quantity().map(Into::into),
            ephemeral_storage: self.quantity().map(Into::into),
            inodes: self.quantity().map(Into::into),
            huge_pages: false,
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
        pod.spec.init_containers = self.containers(2).into();
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

    fn stalls(&mut self) -> Option<Stalls> {
        let is_known = self.below(8) != 0;
        let gains_bytes = self.amount().filter(|_| is_known)?;
        Some(Stalls {
            reads_back_bytes: self.amount(),
            gains_bytes,
        })
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
            stalls: self.stalls(),
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

const SIGNALS: [Signal; 6] = [
    Signal::MemoryAvailable,
    Signal::NodefsAvailable,
    Signal::ImagefsAvailable,
    Signal::NodefsInodesFree,
    Signal::PidAvailable,
    Signal::MemoryStall,
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
fn the_first_of_a_scan_is_the_first_of_the_order() {
    let mut random = Random(20, 0);
    for round in 0..150 {
        let count = random.below(if round % 100 == 0 { 400 } else { 12 });
        random.1 = random.below(QUANTITIES.len() * AMOUNTS.len());
        let pods = pods(&mut random, count);
        let candidate = |(pod, usage)| Candidate::new(pod, usage);
        let split = pods.iter().map(|(pod, usage)| (pod, usage.as_ref()));
        let candidates: Vec<Candidate> = split.map(candidate).collect();
        let layout = random.of(&[Layout::OneFilesystem, Layout::SplitImagefs]);
        for policy in policies() {
            for signal in SIGNALS {
                let order = rank(signal, layout, &candidates, &policy);
                let mut indices: Vec<usize> = order.iter().map(|place| place.candidate).collect();
                let may_be_evicted = |_: usize, candidate: &Candidate| !candidate.pod.is_critical();
                let victim = first(signal, layout, &candidates, &policy, may_be_evicted);
                let is_one = |(_, place): &(usize, Place)| {
                    may_be_evicted(place.candidate, &candidates[place.candidate])
                };
                assert_eq!(
                    victim,
                    order.into_iter().enumerate().find(is_one),
                    "{signal}, round {round}"
                );
                indices.sort_unstable();
                assert!(indices.into_iter().eq(0..candidates.len()));
            }
        }
    }
}
