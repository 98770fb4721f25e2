#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

extern crate alloc;

mod confined;
mod device;
pub mod disk;
pub mod gc;
pub mod knobs;
pub mod memory;

pub use confined::{confine_to_knobs, no_thread};
