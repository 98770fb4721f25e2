use core::hint::black_box;

use evictd_node::pod::usage::PodUsage;
use evictd_node::pod::{Container, Pod};
use evictd_node::{Layout, Policy, Signal};
use evictd_quantity::{Format, Quantity};
use evictd_rank::{Candidate, first, rank};

use crate::clock::picos_of;

/// What decides between two pods, and nothing else.
#[derive(Clone, Copy)]
struct Facts {
    used: u64,
    requested: u64,
    priority: i32,
}

impl Facts {
    /// One number to sort by: above the request first, then the lower priority, then
    /// the larger difference.
    fn key(self) -> u128 {
        let is_below = u128::from(self.used <= self.requested);
        let priority = u128::from(self.priority.cast_unsigned() ^ (1 << 31));
        let over = self.used.wrapping_sub(self.requested).wrapping_add(1 << 63);
        (is_below << 127) | (priority << 64) | u128::from(!over)
    }
}

/// Picoseconds of: the whole order by our crate, by comparing pods; the first alone
/// by our crate, by one scan.
pub(crate) fn figures(count: usize, rounds: usize) -> Vec<u64> {
    let facts = made_up(count);
    let pods: Vec<(Pod, PodUsage)> = facts.iter().map(pod).collect();
    let candidates: Vec<Candidate> = pods
        .iter()
        .map(|(pod, usage)| Candidate::new(pod, Some(usage)))
        .collect();
    let policy = Policy::default();
    // Keys that say something else would be another job.
    let (signal, layout) = (Signal::MemoryAvailable, Layout::OneFilesystem);
    let order = rank(signal, layout, &candidates, &policy);
    let keys_of = order
        .iter()
        .filter_map(|place| facts.get(place.candidate).map(|facts| facts.key()));
    if !keys_of.is_sorted() {
        return Vec::new();
    }
    let ours = picos_of(rounds, 1, || {
        black_box(rank(signal, layout, black_box(&candidates), &policy));
    });
    let mut keys: Vec<(u128, usize)> = Vec::with_capacity(count);
    let sorted = picos_of(rounds, 1, || {
        keys.clear();
        let keyed = black_box(&facts).iter().enumerate();
        keys.extend(keyed.map(|(index, facts)| (facts.key(), index)));
        keys.sort_unstable();
        black_box(&keys);
    });
    let victim = picos_of(rounds, 1, || {
        let candidates = black_box(&candidates);
        black_box(first(signal, layout, candidates, &policy, |_, _| true));
    });
    let scanned = picos_of(rounds, 1, || {
        let first = black_box(&facts).iter().min_by_key(|facts| facts.key());
        black_box(first.map(|facts| facts.priority));
    });
    vec![ours, sorted, victim, scanned]
}

/// Facts that are equal in each run: usage up to a GiB, requests up to half of one, five
/// priorities.
fn made_up(count: usize) -> Vec<Facts> {
    let mut state = 12345_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let one = |_| Facts {
        used: (next() % 1024) << 20,
        requested: (next() % 512) << 20,
        priority: i32::try_from(next() % 5).unwrap_or(0) * 1000,
    };
    (0..count).map(one).collect()
}

fn pod(facts: &Facts) -> (Pod, PodUsage) {
    let requested = i64::try_from(facts.requested).unwrap_or(0);
    let mut container = Container::default();
    container.resources.requests.memory =
        Some(Quantity::from_int(requested, Format::BinarySi).into());
    let mut pod = Pod::default();
    pod.spec.containers.push(container);
    pod.spec.priority = Some(facts.priority);
    let usage = PodUsage {
        memory_working_set_bytes: Some(facts.used),
        ..PodUsage::default()
    };
    (pod, usage)
}
