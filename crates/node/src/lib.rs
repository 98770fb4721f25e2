//! The words of node-pressure eviction.
//!
//! Signals, the resources and conditions they stand for, QoS classes, what was
//! measured of each signal, the layout of the node's filesystems, and the
//! switches in which evictd differs from the kubelet. All that is known of a signal
//! stands in one table, see [`Signal`].
//!
//! It parses no text beyond names (and, with the feature `serde`, pods), reads nothing and
//! decides nothing. Time is an argument, as [`Mono`].
//!
//! ```
//! use evictd_node::{Condition, Reading, Readings, Signal};
//!
//! let signal = Signal::from_name("nodefs.inodesFree").unwrap();
//! assert_eq!(signal.condition(), Condition::DiskPressure);
//! assert_eq!(signal.unit().name(), "inodes");
//!
//! let mut readings = Readings::default();
//! let reading = Reading { available: 7, capacity: 100, sampled: None };
//! readings.set(signal, Some(reading));
//! assert_eq!(readings.get(signal), Some(reading));
//! assert_eq!(readings.get(Signal::MemoryAvailable), None, "not measured is no zero");
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod condition;
mod display;
mod layout;
mod mono;
pub mod pod;
mod policy;
mod qos;
mod reading;
mod resource;
mod signal;

pub use condition::{Condition, ConditionSet};
pub use layout::Layout;
pub use mono::Mono;
pub use policy::{KubeletVersion, MemorySource, Policy, Ranking};
pub use qos::QosClass;
pub use reading::{Reading, Readings};
pub use resource::Resource;
pub use signal::{Filesystem, Signal, SignalSet, Source, Unit, Usage};

#[cfg(test)]
mod tests;
