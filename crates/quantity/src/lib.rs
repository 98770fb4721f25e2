//! Kubernetes quantities and Go durations, as Kubernetes v1.32 reads and prints
//! them.
//!
//! A [`Quantity`] is a decimal number with a suffix: `100Mi`, `1.5Gi`, `500m`,
//! `1e3`. It is kept exactly down to a billionth, compared and calculated
//! without floats, and printed in the form that the kubelet prints, oddities
//! included. Most quantities are an `i64` times a power of ten; those are
//! compared, added and subtracted without allocation. The others are
//! kept as decimal digits. The work is bounded by the length of the texts,
//! whatever their exponents say.
//!
//! It knows no resources and no units: `100Mi` is a number.
//!
//! A [`GoDuration`] is the text form that the kubelet's flags use: `1m30s`. Go's grammar of
//! numbers is here too.
//!
//! ```
//! use evictd_quantity::{GoDuration, Quantity};
//!
//! let threshold = Quantity::parse("1.5Gi")?;
//! assert_eq!(threshold.value(), 1_610_612_736);
//! assert_eq!(threshold.to_string(), "1536Mi");
//! assert!(threshold > Quantity::parse("1.5G")?);
//!
//! let grace = GoDuration::parse("90s").unwrap();
//! assert_eq!(grace.to_string(), "1m30s");
//! # Ok::<(), evictd_quantity::ParseQuantityError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod decimal;
mod duration;
mod error;
mod format;
mod go;
mod number;
mod parse;
mod print;
mod quantity;
mod scan;
mod small;

pub use duration::{GoDuration, ParseDurationError, ParseDurationErrorKind};
pub use error::{ParseQuantityError, ParseQuantityErrorKind};
pub use format::Format;
pub use go::{parse_go_integer, underscores_separate_digits};
pub use quantity::Quantity;

#[cfg(test)]
mod tests;
