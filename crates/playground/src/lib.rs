#![doc = include_str!("../README.md")]

extern crate alloc;

mod abi;
mod bounds;
mod chart;
mod made_up;
mod recording;
mod replay;

pub use made_up::{features, simulate};
pub use recording::{MAX_BYTES, Recording};
pub use replay::decide;

#[cfg(test)]
mod tests;
