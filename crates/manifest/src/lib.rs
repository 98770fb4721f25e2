//! Pods from Kubernetes pod manifests.
//!
//! [`parse_pods`] turns the bytes of one manifest into pods: YAML or JSON, one
//! document or several, pods or lists of pods. It fills in what the API server
//! would, because on a node without one nobody else does. [`ManifestDir`] keeps
//! the pods of a directory of manifests and parses again what has changed.
#![forbid(unsafe_code)]

extern crate alloc;

mod defaults;
mod dir;
mod error;
mod parse;
pub mod yaml;

pub use dir::{ManifestDir, ManifestError, Problem};
pub use error::Error;
pub use parse::{MAX_BYTES, parse_pods};

#[cfg(test)]
#[cfg(feature = "yaml")]
mod tests;
