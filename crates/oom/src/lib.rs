//! `oom_score_adj` of a container, as the kubelet v1.32 sets it
//! (`pkg/kubelet/qos/policy.go`).
//!
//! The kernel kills the process with the highest `oom_score`: its share of the
//! memory in thousandths plus this adjustment. The adjustment makes BestEffort
//! containers go first, then the Burstable one that uses most beyond its
//! request, Guaranteed ones last.
//!
//! Nothing here reads or writes `/proc`.
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
