#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod decimal;
mod duration;
mod error;
mod format;
mod go;
mod number;
mod ops;
mod parse;
mod print;
mod quantity;
mod scan;
#[cfg(feature = "serde")]
mod serde;
mod small;

pub use duration::{GoDuration, ParseDurationError, ParseDurationErrorKind};
pub use error::{ParseQuantityError, ParseQuantityErrorKind};
pub use format::Format;
pub use go::{parse_go_integer, underscores_separate_digits};
pub use quantity::Quantity;

#[cfg(test)]
mod tests;
