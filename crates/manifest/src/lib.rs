//! Pods from Kubernetes pod manifests.
//!
//! [`parse_pods`] turns the bytes of one manifest into pods: YAML or JSON, one
//! document or several, pods or lists of pods. It fills in what the API server
//! would, because a node without one has nothing else that does. [`ManifestDir`] keeps
//! the pods of a directory of manifests and parses again what has changed. [`yaml`] reads
//! YAML as Kubernetes does, or JSON alone without the feature of that name.
//!
//! It does not know the node: which of these pods run, others find out.
//!
//! ```
//! # #[cfg(feature = "yaml")]
//! # {
//! let pods = evictd_manifest::parse_pods(b"
//! kind: Pod
//! metadata: {name: web}
//! spec:
//!   containers:
//!   - name: main
//!     resources: {limits: {memory: 64Mi}}
//! ")?;
//! assert_eq!(pods[0].metadata.namespace, "default");
//! assert_eq!(pods[0].metadata.uid, "default_web");
//! let requests = &pods[0].spec.containers[0].resources.requests;
//! assert_eq!(requests.memory.as_ref().map(|memory| memory.value()), Some(64 << 20));
//! # }
//! # Ok::<(), evictd_manifest::Error>(())
//! ```
#![forbid(unsafe_code)]

extern crate alloc;

mod defaults;
mod dir;
mod error;
mod parse;
pub mod yaml;

pub use dir::{MAX_FILES, MAX_PARTS, ManifestDir, ManifestError, Problem};
pub use error::Error;
pub use parse::{MAX_BYTES, parse_pods};

#[cfg(test)]
#[cfg(feature = "yaml")]
mod tests;
