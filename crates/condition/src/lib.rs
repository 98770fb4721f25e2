//! Node conditions over time, and who may still be started under them.
//!
//! [`Pressure`] holds a condition for the transition period after it was last
//! observed; [`NodeCondition`] is what node status publishes, with the kubelet's
//! reasons, messages and events; [`admit`] answers whether a pod may start.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod admission;
mod pressure;
mod status;

pub use admission::{Rejection, admit};
pub use pressure::Pressure;
pub use status::{NodeCondition, Status};

#[cfg(test)]
mod tests;
