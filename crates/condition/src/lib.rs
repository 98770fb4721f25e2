#![doc = include_str!("../README.md")]
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
