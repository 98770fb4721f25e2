//! The order in which pods are evicted, with the reason of each place.
//!
//! [`rank`] orders pods as the kubelet does: usage above request, then priority,
//! then how far usage is above request; or, with
//! [`Ranking::Qos`](evictd_node::Ranking::Qos), as it did before Kubernetes 1.9.
//! It does not know how the numbers were read, and leaves critical pods in: to
//! pass over them is the caller's.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod measure;
mod order;
mod place;

pub use measure::{Measured, measured};
pub use order::{first, rank};
pub use place::{Candidate, Place};

#[cfg(test)]
mod tests;
