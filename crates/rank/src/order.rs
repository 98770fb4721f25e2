use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use evictd_node::{Layout, Policy, Ranking, Resource, Signal};
use evictd_pod::Requested;

use crate::{Candidate, Place, measured};

/// The order of eviction when `signal` starves: the first goes first.
///
/// Every candidate appears once. Candidates that nothing tells apart keep the
/// order in which they were given.
#[must_use]
pub fn rank(
    signal: Signal,
    layout: Layout,
    candidates: &[Candidate<'_>],
    policy: &Policy,
) -> Vec<Place> {
    let place = |(index, candidate)| place(signal, layout, index, candidate, policy);
    let mut order: Vec<Place> = candidates.iter().enumerate().map(place).collect();
    order.sort_by(|a, b| match policy.ranking {
        Ranking::Priority => by_priority(a, b, policy),
        Ranking::Qos => by_qos(a, b, policy),
    });
    order
}

fn place(
    signal: Signal,
    layout: Layout,
    index: usize,
    candidate: &Candidate<'_>,
    policy: &Policy,
) -> Place {
    let pod = candidate.pod;
    let used = candidate
        .usage
        .map(|usage| measured(signal, layout, pod, usage));
    let nanos = |requested| pod.request(requested).nanos();
    // What "exceeds" compares with, and what the last step subtracts: the same,
    // but for the kubelet's inodes (decision D4).
    let (request_nanos, subtracted_nanos) = match signal.resource() {
        Resource::Memory => both(nanos(Requested::Memory)),
        Resource::EphemeralStorage => both(nanos(Requested::EphemeralStorage)),
        Resource::Inodes if policy.inodes_minus_storage_request => {
            (nanos(Requested::Inodes), nanos(Requested::EphemeralStorage))
        }
        Resource::Inodes => (nanos(Requested::Inodes), 0),
        Resource::Pids => (0, 0),
    };
    let used_nanos = i128::from(used.unwrap_or(0)).saturating_mul(1_000_000_000);
    Place {
        candidate: index,
        signal,
        used,
        request_nanos: subtracted_nanos,
        exceeds: used.is_some() && used_nanos > request_nanos,
        priority: pod.priority(),
        qos: pod.qos_class(),
    }
}

const fn both(nanos: i128) -> (i128, i128) {
    (nanos, nanos)
}

/// Kubernetes since 1.9. Process ids know no request, so there priority comes
/// first (K: `rankPIDPressure`).
fn by_priority(a: &Place, b: &Place, policy: &Policy) -> Ordering {
    let priority = a.priority.cmp(&b.priority);
    let standing = standing(a, policy).cmp(&standing(b, policy));
    let first = match a.signal.resource() {
        Resource::Pids => priority.then(standing),
        Resource::Memory | Resource::EphemeralStorage | Resource::Inodes => standing.then(priority),
    };
    first.then_with(|| Reverse(a.over_nanos()).cmp(&Reverse(b.over_nanos())))
}

/// Kubernetes before 1.9 and OKD 3 (acceptance rows 98 to 106): class by class;
/// within one, who exceeds the request comes first, by how much, then the rest
/// by what they use. Disk, inodes and process ids go by use alone.
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

/// Where a pod stands by what is known of its usage, lowest first. The kubelet
/// evicts the unknown before all (decision D59); evictd after those that are
/// known to exceed their requests, so that a failed read is no death sentence.
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
