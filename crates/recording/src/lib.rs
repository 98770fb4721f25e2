#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod line;
mod pod;
mod seen;
mod session;

pub use line::{Begun, Line, LineError, MAX_LINE_BYTES};
pub use seen::{Seen, SeenPod};
pub use session::{Decided, Session, ShownError};

#[cfg(test)]
mod tests;
