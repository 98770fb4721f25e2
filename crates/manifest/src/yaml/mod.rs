//! YAML as Kubernetes reads it, into JSON values.
//!
//! Kubernetes reads YAML 1.1 scalars, turns the result into JSON and decodes
//! that into its types (`sigs.k8s.io/yaml`). So `no` is false, `010` is eight, a
//! number as a key is a text, and an infinity, which JSON has not, is an error.
//! JSON is read by a JSON parser and not as YAML, because of escapes such as
//! `\ud83d\ude00`.
//!
//! Differences from Kubernetes: a duplicate key is an error; an explicit key
//! wins over a merged one (`<<`) wherever it stands; a number too large for 64
//! bits that is no decimal stays a text.
//!
//! Input is bounded in bytes, nodes and depth, see [`MAX_BYTES`], [`MAX_NODES`]
//! and [`MAX_DEPTH`]; what aliases stand for is counted each time.
//!
//! The feature `yaml`, on by default, can be left out: then only JSON is read, and
//! everything else is refused as [`ErrorKind::NotJson`], with a fifth of the code.
//!
//! ```
//! # #[cfg(feature = "yaml")]
//! # {
//! let documents = evictd_manifest::yaml::parse_documents(b"failSwapOn: no\nports: [010, 0x1F]\n")?;
//! assert_eq!(documents[0]["failSwapOn"], false);
//! assert_eq!(documents[0]["ports"][0], 8);
//!
//! let error = evictd_manifest::yaml::parse_documents(b"a: 1\na: 2\n").unwrap_err();
//! assert_eq!(error.to_string(), "line 2, column 1: the key \"a\" is there twice");
//! # }
//! # Ok::<(), evictd_manifest::yaml::Error>(())
//! ```

mod error;
mod json;
mod limits;
mod parse;
#[cfg(feature = "yaml")]
mod reader;

pub use error::{Error, ErrorKind, MAX_BYTES, MAX_DEPTH, MAX_NODES};
pub use parse::parse_documents;

#[cfg(test)]
#[cfg(feature = "yaml")]
mod tests;
