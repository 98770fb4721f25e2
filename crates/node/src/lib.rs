#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod amount;
mod condition;
mod date;
mod image_name;
#[cfg(feature = "std")]
pub mod kill;
mod kubelet_version;
pub mod kubepods;
mod layout;
mod mono;
pub mod pod;
mod policy;
mod qos;
mod reading;
mod relief_step;
mod resource;
#[cfg(feature = "serde")]
mod serde;
mod signal;
mod utc;

pub use amount::Amount;
pub use condition::{Condition, ConditionSet};
pub use date::date;
pub use image_name::{ImageName, split_registry};
pub use kubelet_version::KubeletVersion;
pub use layout::Layout;
pub use mono::Mono;
pub use policy::{MemorySource, Policy, Ranking};
pub use qos::QosClass;
pub use reading::{Reading, Readings};
pub use relief_step::{MemoryStep, ReliefStep};
pub use resource::Resource;
pub use signal::{Filesystem, Signal, SignalSet, Source, Unit, Usage};
pub use utc::Utc;

/// Prints each type by its name.
macro_rules! display_by_name {
    ($($type:ty),+) => {$(
        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    )+};
}
display_by_name!(Condition, Layout, QosClass, Resource, Signal, Unit);

#[cfg(test)]
mod tests;
