// The example needs the feature.
#![cfg_attr(feature = "yaml", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "yaml"),
    doc = "With the feature `yaml` its README stands here, with an example."
)]
#![forbid(unsafe_code)]

extern crate alloc;

mod defaults;
#[cfg(unix)]
mod dir;
mod error;
mod parse;
#[cfg(unix)]
mod problem;
pub mod yaml;

#[cfg(unix)]
pub use dir::ManifestDir;
pub use error::Error;
pub use parse::{MAX_BYTES, parse_each_pod, parse_pods};
#[cfg(unix)]
pub use problem::{MAX_FILES, MAX_PARTS, ManifestError, Problem};

#[cfg(test)]
#[cfg(feature = "yaml")]
mod tests;
