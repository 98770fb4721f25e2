#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "std")]
mod json;
mod plain;

#[cfg(feature = "std")]
pub use json::write_json;
pub use plain::{Plain, is_plain};

#[cfg(all(test, feature = "std"))]
mod tests;
