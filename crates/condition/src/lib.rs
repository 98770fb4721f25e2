//! Node conditions over time, and which pods may still start under them.
//!
//! [`Pressure`] holds a condition for the transition period after it was last
//! observed; [`NodeCondition`] is what node status publishes, with the kubelet's
//! reasons, messages and events; [`admit`] returns whether a pod may start.
//!
//! It does not know thresholds or their text, nor where conditions are published. Time
//! is an argument.
//!
//! ```
//! use core::time::Duration;
//!
//! use evictd_condition::Pressure;
//! use evictd_node::{ConditionSet, Mono, Policy};
//!
//! let (period, policy) = (Duration::from_secs(300), Policy::default());
//! let at = |seconds: u64| Mono::from_millis(seconds * 1000);
//! let mut pressure = Pressure::default();
//! let memory = ConditionSet::MEMORY_PRESSURE;
//! assert_eq!(pressure.observe(at(0), memory, period, &policy), memory);
//! // No threshold is met any more, and the condition is held on.
//! let none = ConditionSet::empty();
//! assert_eq!(pressure.observe(at(299), none, period, &policy), memory);
//! assert_eq!(pressure.observe(at(301), none, period, &policy), none);
//! ```
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
