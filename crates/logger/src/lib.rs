#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod console;
mod json;
mod line;
pub mod stream;
mod target;

pub use line::{Format, write_line};
pub use target::Target;

#[cfg(test)]
mod tests;
