//! The words of node-pressure eviction.
//!
//! Signals, the resources and conditions they stand for, QoS classes, what was
//! measured of each signal, the layout of the node's filesystems, and the
//! switches in which evictd differs from the kubelet. No text is parsed here
//! beyond names, nothing is read, no clock is asked: time comes as [`Mono`].
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod condition;
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
pub use policy::{Policy, Ranking};
pub use qos::QosClass;
pub use reading::{Reading, Readings};
pub use resource::Resource;
pub use signal::{Filesystem, Signal, SignalSet, Source, Unit, Usage};

#[cfg(test)]
mod tests;
