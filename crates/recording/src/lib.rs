#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod chart;
mod error;
mod line;
mod picture;
mod pod;
mod seen;
mod session;
mod without_nothing;

pub use chart::{Chart, Charted};
pub use error::LineError;
pub use line::{Begun, Line, MAX_LINE_BYTES};
pub use picture::picture;
pub use seen::{Seen, SeenPod};
pub use session::{Decided, Session, ShownError};

#[cfg(test)]
mod tests;
