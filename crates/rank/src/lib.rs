#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod measure;
mod order;
mod place;
mod rule;

pub use measure::measured;
pub use order::{awaits_stallers, first, rank};
pub use place::{Candidate, Place};
pub use rule::{Rule, rule};

#[cfg(test)]
mod tests;
