use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use evictd_node::pod::usage::Stalls;
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
    let mut places: Vec<Place> = places(signal, layout, candidates, policy).collect();
    let stallers_are_known = are_stallers_known(signal, layout, candidates, policy);
    places.sort_unstable_by(|a, b| compare(a, b, policy, stallers_are_known));
    places
}

fn places<'a>(
    signal: Signal,
    layout: Layout,
    candidates: &'a [Candidate],
    policy: &'a Policy,
) -> impl Iterator<Item = Place> + 'a {
    let candidates = candidates.iter().enumerate();
    candidates.map(move |(index, candidate)| Place::new(signal, layout, policy, index, candidate))
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
    let all = || places(signal, layout, candidates, policy);
    let may_be_evicted = |place: &Place| {
        let candidate = candidates.get(place.candidate);
        candidate.is_some_and(|candidate| may_be_evicted(place.candidate, candidate))
    };
    let stallers_are_known = are_stallers_known(signal, layout, candidates, policy);
    let compare = |a: &Place, b: &Place| compare(a, b, policy, stallers_are_known);
    let first = all().filter(may_be_evicted).min_by(compare)?;
    let is_before = |other: &Place| !may_be_evicted(other) && compare(other, &first).is_lt();
    Some((all().filter(is_before).count(), first))
}

/// Whether lost time may be due to a pod of which it is not measured yet what it takes from
/// the others, as it has just begun: of several above their requests another would be evicted
/// in its place.
#[must_use]
pub fn awaits_stallers(
    signal: Signal,
    layout: Layout,
    candidates: &[Candidate],
    policy: &Policy,
) -> bool {
    let exceeding = places(signal, layout, candidates, policy).filter(|place| place.exceeds);
    signal.grows_with_trouble()
        && exceeding.count() > 1
        && !are_stallers_known(signal, layout, candidates, policy)
}

/// Whether lost time is known to whom it is due: what each pod above its request takes from the
/// others was measured. Where that lacks of one, it puts none before another.
pub(crate) fn are_stallers_known(
    signal: Signal,
    layout: Layout,
    candidates: &[Candidate],
    policy: &Policy,
) -> bool {
    let is_known = |place: Place| !place.exceeds || place.stalls.is_some();
    signal.grows_with_trouble() && places(signal, layout, candidates, policy).all(is_known)
}

/// `Less` when the pod of `a` is evicted before that of `b`. No two places are equal.
fn compare(a: &Place, b: &Place, policy: &Policy, stallers_are_known: bool) -> Ordering {
    let by_rule = match policy.ranking {
        Ranking::Priority => by_priority(a, b, policy, stallers_are_known),
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
/// `rankPIDPressure`). For lost time, which the kubelet does not know, the one that stalls the
/// others comes before the one that is further above its request.
fn by_priority(a: &Place, b: &Place, policy: &Policy, stallers_are_known: bool) -> Ordering {
    let priority = a.priority.cmp(&b.priority);
    let standing = standing(a, policy).cmp(&standing(b, policy));
    let first = match a.signal.resource() {
        Resource::Pids => priority.then(standing),
        Resource::Memory | Resource::EphemeralStorage | Resource::Inodes => standing.then(priority),
    };
    first
        .then_with(|| compare_stalls(a, b, stallers_are_known))
        .then_with(|| compare_above_request(a, b))
}

/// Of two above their requests, the one that takes more from the others goes first.
pub(crate) fn compare_stalls(a: &Place, b: &Place, stallers_are_known: bool) -> Ordering {
    match stallers_are_known && a.exceeds && b.exceeds {
        true => stalled_bytes(b).cmp(&stalled_bytes(a)),
        false => Ordering::Equal,
    }
}

/// The one that is further above its request goes first.
pub(crate) fn compare_above_request(a: &Place, b: &Place) -> Ordering {
    b.over_nanos().cmp(&a.over_nanos())
}

/// What the pod reads back and gains in a second.
fn stalled_bytes(place: &Place) -> Option<u64> {
    place.stalls.map(Stalls::bytes)
}

/// Where a pod stands by what is known of its usage; the lowest is evicted first.
///
/// The kubelet evicts the unknown before all (decision D59); evictd after those that are
/// known to exceed their requests, so that a failed read does not evict. No pod
/// exceeds a request of process ids, so there all that are known come before it. What was
/// measured in part may exceed its request as well.
pub(crate) fn standing(place: &Place, policy: &Policy) -> u8 {
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
