//! `oom_score_adj` of a container, as the kubelet sets it
//! (`pkg/kubelet/qos/policy.go`).
//!
//! The kernel kills the process with the highest `oom_score`: its share of the
//! memory in thousandths plus this adjustment. The adjustment makes BestEffort
//! containers be killed first, then the Burstable one that uses most beyond its
//! request, Guaranteed ones last.
//!
//! It does not know `/proc`: it neither finds processes nor writes their scores.
//!
//! ```
//! use evictd_node::Policy;
//! use evictd_node::pod::{Container, Pod};
//! use evictd_oom::{GuaranteedScore, Scale, member_score};
//! use evictd_quantity::Quantity;
//!
//! let mut container = Container::default();
//! container.resources.requests.memory = Quantity::parse("256Mi").ok().map(Into::into);
//! let mut pod = Pod::default();
//! pod.spec.containers.push(container);
//! let scale = Scale {
//!     memory_capacity_bytes: 1 << 30,
//!     guaranteed: GuaranteedScore::KUBELET,
//!     policy: Policy::default(),
//! };
//! assert_eq!(member_score(&pod, None, &scale).score, 750);
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod guaranteed;
mod member;
mod reason;
mod score;

pub use guaranteed::{GuaranteedScore, ScoreRangeError};
pub use member::{MemberScore, Scale, member_score};
pub use reason::Reason;
pub use score::{ContainerRef, score_adj};

#[cfg(test)]
mod tests;
