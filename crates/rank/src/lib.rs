//! The order in which pods are evicted, with the reason of each place.
//!
//! [`rank`] orders pods as the kubelet does: usage above request, then priority,
//! then how far usage is above request; or, with
//! [`Ranking::Qos`](evictd_node::Ranking::Qos), as it did before Kubernetes 1.9.
//! [`first`] finds the first pod that may be evicted, without sorting or allocating.
//!
//! It does not know how the numbers were read, when a threshold is met, or which pods are
//! protected: critical ones are ranked like all others, and the caller passes over them.
//!
//! ```
//! use evictd_node::pod::Pod;
//! use evictd_node::pod::usage::PodUsage;
//! use evictd_node::{Layout, Policy, Signal};
//! use evictd_rank::{Candidate, rank};
//!
//! let pod = Pod::default();
//! let using = |bytes| PodUsage {
//!     memory_working_set_bytes: Some(bytes),
//!     ..PodUsage::default()
//! };
//! let (small, large) = (using(1 << 20), using(3 << 20));
//! let candidates = [&small, &large].map(|usage| Candidate { pod: &pod, usage: Some(usage) });
//! let signal = Signal::MemoryAvailable;
//! let order = rank(signal, Layout::OneFilesystem, &candidates, &Policy::default());
//! assert_eq!(order[0].candidate, 1);
//! assert_eq!(order[0].to_string(), "uses 3Mi, 3Mi above its request, priority 0, BestEffort");
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod measure;
mod order;
mod place;

pub use measure::measured;
pub use order::{first, rank};
pub use place::{Candidate, Place};

#[cfg(test)]
mod tests;
