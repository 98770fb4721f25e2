#![doc = include_str!("../README.md")]
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

pub use error::{Error, ErrorKind, List, Pair};
pub use layout::{derive_containerfs, names_containerfs};
pub use memcg::{MemoryUsage, notification_usage};
pub use pairs::Pairs;
pub use parse::{Lists, parse};
pub use threshold::{Operator, Threshold, ThresholdValue};

#[cfg(test)]
mod tests;
