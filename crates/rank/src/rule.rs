use core::cmp::Ordering;
use core::fmt;

use evictd_node::{Layout, Policy, Ranking, Resource, Signal};

use crate::order::{are_stallers_known, compare_above_request, compare_stalls, standing};
use crate::{Candidate, Place};

/// The rule that puts one pod before another in the order of eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// One is above its request and the other is not known to be.
    AboveRequest,
    /// One has a lower priority.
    LowerPriority,
    /// One takes more from the others, for lost time.
    StallsMore,
    /// One is further above its request; of process ids it uses more.
    FurtherAbove,
    /// One's QoS class goes first, in the old order.
    QosClass,
    /// Nothing else tells them apart but that one is described, or was listed first.
    Listed,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AboveRequest => "it is above its request, and the other is not known to be",
            Self::LowerPriority => "its priority is lower",
            Self::StallsMore => "it takes more from the others",
            Self::FurtherAbove => "it is further above its request",
            Self::QosClass => "its QoS class goes first",
            Self::Listed => "no rule tells them apart",
        })
    }
}

/// The rule that puts `first` before `second`, two places of these candidates in the order of
/// [`rank`](crate::rank).
#[must_use]
pub fn rule(
    (first, second): (&Place, &Place),
    layout: Layout,
    candidates: &[Candidate],
    policy: &Policy,
) -> Rule {
    let signal: Signal = first.signal;
    let priority = (first.priority.cmp(&second.priority), Rule::LowerPriority);
    let standing = (
        standing(first, policy).cmp(&standing(second, policy)),
        Rule::AboveRequest,
    );
    let stallers_are_known = are_stallers_known(signal, layout, candidates, policy);
    let stalls = (
        compare_stalls(first, second, stallers_are_known),
        Rule::StallsMore,
    );
    let further = (compare_above_request(first, second), Rule::FurtherAbove);
    let class = (first.qos.cmp(&second.qos), Rule::QosClass);
    let rules = match (policy.ranking, signal.resource()) {
        (Ranking::Qos, _) => [class, standing, further, further],
        (Ranking::Priority, Resource::Pids) => [priority, standing, stalls, further],
        (Ranking::Priority, Resource::Memory | Resource::EphemeralStorage | Resource::Inodes) => {
            [standing, priority, stalls, further]
        }
    };
    let mut rules = rules.into_iter();
    let first = rules.find(|(order, _)| *order != Ordering::Equal);
    first.map_or(Rule::Listed, |(_, rule)| rule)
}
