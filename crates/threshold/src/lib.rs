//! Eviction thresholds, as the kubelet's flags write them.
//!
//! `signal<value` lists become [`Threshold`]s with grace period and minimum
//! reclaim; [`Threshold::is_met`] judges one against a reading;
//! [`derive_containerfs`] adds what the filesystem layout implies. All of it
//! follows Kubernetes v1.32.10 to the byte, the float32 percentages included.
//!
//! It does not know pods, how a reading was taken, or how long a threshold is met: grace
//! periods are numbers here.
//!
//! ```
//! use evictd_node::{Reading, Signal};
//! use evictd_threshold::{Lists, parse};
//!
//! let thresholds = parse(&Lists { hard: "memory.available<10%", ..Lists::default() }).unwrap();
//! let reading = Reading { available: 900 << 20, capacity: 10 << 30, sampled: None };
//! assert_eq!(thresholds[0].signal, Signal::MemoryAvailable);
//! assert!(thresholds[0].is_met(&reading));
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod error;
mod layout;
mod memcg;
mod met;
mod pairs;
mod parse;
mod percent;
mod threshold;

pub use error::{Error, ErrorKind, List};
pub use layout::{derive_containerfs, names_containerfs};
pub use memcg::{MemoryUsage, notification_usage};
pub use pairs::{Pair, Pairs};
pub use parse::{Lists, parse};
pub use threshold::{Operator, Threshold, ThresholdValue};

#[cfg(test)]
mod tests;
