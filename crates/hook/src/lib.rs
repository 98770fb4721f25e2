#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate alloc;

mod complaints;
mod hook;
mod outlet;
mod records;
mod runner;

pub use hook::Hook;
pub use runner::{ARGUMENT, run};
