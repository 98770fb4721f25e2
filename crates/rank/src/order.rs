use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use evictd_node::{Layout, Policy, Ranking, Resource, Signal};

use crate::{Candidate, Place};

/// The order of eviction when a threshold of `signal` is met: the first is evicted first.
///
/// Every candidate appears once. Candidates that no rule tells apart keep the order in
/// which they were given.
#[must_use]
pub fn rank(
    signal: Signal,
    layout: Layout,
    candidates: &[Candidate],
    policy: &Policy,
) -> Vec<Place> {
    let places = candidates.iter().enumerate();
    let mut places: Vec<Place> = places
        .map(|(index, candidate)| Place::new(signal, layout, policy, index, candidate))
        .collect();
    places.sort_unstable_by(|a, b| compare(a, b, policy));
    places
}

/// The first of this order that `may_be_evicted`, and how many come before it: what
/// `rank(..).enumerate().find(..)` gives, without allocation. The closure is called with
/// each candidate and its index.
#[must_use]
pub fn first(
    signal: Signal,
    layout: Layout,
    candidates: &[Candidate],
    policy: &Policy,
    may_be_evicted: impl Fn(usize, &Candidate) -> bool,
) -> Option<(usize, Place)> {
    let may_be_evicted = &may_be_evicted;
    let places_where = |wanted: bool| {
        let candidates = candidates.iter().enumerate();
        candidates
            .filter(move |(index, candidate)| may_be_evicted(*index, candidate) == wanted)
            .map(|(index, candidate)| Place::new(signal, layout, policy, index, candidate))
    };
    let first = places_where(true).min_by(|a, b| compare(a, b, policy))?;
    let passed_over = places_where(false).filter(|other| compare(other, &first, policy).is_lt());
    Some((passed_over.count(), first))
}

/// `Less` when the pod of `a` is evicted before that of `b`. No two places are equal.
fn compare(a: &Place, b: &Place, policy: &Policy) -> Ordering {
    let by_rule = match policy.ranking {
        Ranking::Priority => by_priority(a, b, policy),
        Ranking::Qos => by_qos(a, b, policy),
    };
    // What nobody has described yet may be protected. That is no reason to evict another in
    // its place that the rule puts after it: whoever starts a container would then have its
    // neighbours evicted.
    by_rule
        .then_with(|| a.undescribed.cmp(&b.undescribed))
        .then_with(|| a.candidate.cmp(&b.candidate))
}

/// Kubernetes since 1.9: pods above their request first, then the lower priority, then the
/// pod that is further above it. Process ids know no request, so there priority comes first (K:
/// `rankPIDPressure`).
fn by_priority(a: &Place, b: &Place, policy: &Policy) -> Ordering {
    let priority = a.priority.cmp(&b.priority);
    let standing = standing(a, policy).cmp(&standing(b, policy));
    let first = match a.signal.resource() {
        Resource::Pids => priority.then(standing),
        Resource::Memory | Resource::EphemeralStorage | Resource::Inodes => standing.then(priority),
    };
    first.then_with(|| b.over_nanos().cmp(&a.over_nanos()))
}

/// Where a pod stands by what is known of its usage; the lowest is evicted first.
///
/// The kubelet evicts the unknown before all (decision D59); evictd after those that are
/// known to exceed their requests, so that a failed read does not evict. No pod
/// exceeds a request of process ids, so there all that are known come before it. What was
/// measured in part may exceed its request as well.
fn standing(place: &Place, policy: &Policy) -> u8 {
    let knows_request = place.signal.resource() != Resource::Pids;
    match place.used {
        None if policy.missing_stats_rank_first => 0,
        Some(_) if place.exceeds || !knows_request => 1,
        None => 2,
        Some(_) if place.in_part && !policy.missing_stats_rank_first => 2,
        Some(_) => 3,
    }
}

/// Kubernetes before 1.9 and OKD 3 (acceptance rows 98 to 106): class by class. Within
/// one, pods above their request of memory come first, by how much, then the rest by what
/// they use. Disk, inodes and process ids are compared by use alone.
fn by_qos(a: &Place, b: &Place, policy: &Policy) -> Ordering {
    let is_known = |place: &Place| place.used.is_some() == policy.missing_stats_rank_first;
    let within_class = |place: &Place| match place.signal.resource() {
        Resource::Memory if place.exceeds => (0, Reverse(place.over_nanos())),
        Resource::Memory => (1, Reverse(i128::from(place.used.unwrap_or(0)))),
        Resource::EphemeralStorage | Resource::Inodes | Resource::Pids => {
            (0, Reverse(i128::from(place.used.unwrap_or(0))))
        }
    };
    (a.qos, is_known(a), within_class(a)).cmp(&(b.qos, is_known(b), within_class(b)))
}
