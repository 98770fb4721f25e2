//! What the container runtimes of a node hold, and how to end and remove it: pods,
//! sandboxes, containers and images in one model, over the Docker Engine API (feature
//! `docker`: Docker, Podman, balenaEngine) or the Container Runtime Interface (feature
//! `cri`: containerd, CRI-O, cri-dockerd).
//!
//! Every call of a [`ContainerRuntime`] blocks, at most until a deadline of its own; what
//! it receives is bounded, and read in full or not at all. A runtime that was started anew
//! is connected to anew. Containers are put together to pods by one rule for all runtimes:
//! the labels `io.kubernetes.pod.*`, else the runtime's own pods, else the compose project where
//! that is wanted, else each container is a pod.
//!
//! What this crate does not do: it decides nothing, starts no thread, follows no stream of
//! events, and knows no TCP and no TLS.
//!
//! ```
//! # #[cfg(feature = "docker")] {
//! use std::path::Path;
//! use evictd_containers::{ContainerRuntime, DockerRuntime};
//!
//! let mut runtime = DockerRuntime::new(Path::new("/nonexistent/docker.sock"));
//! match runtime.list() {
//!     Ok(listing) => println!("{} pods", listing.pods.len()),
//!     Err(error) => assert_eq!(
//!         error.to_string(),
//!         "unix:///nonexistent/docker.sock: GET /version: No such file or directory (os error 2)"
//!     ),
//! }
//! # }
//! ```
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(any(feature = "cri", feature = "docker"))]
mod bounds;
#[cfg(feature = "cri")]
pub mod cri;
#[cfg(feature = "docker")]
pub mod docker;
mod error;
mod kubepods;
mod model;
#[cfg(any(feature = "cri", feature = "docker"))]
mod pods;
mod runtime;
#[cfg(any(feature = "cri", feature = "docker"))]
mod socket;
#[cfg(any(feature = "cri", feature = "docker"))]
mod text;

// What lists count their items by.
#[cfg(any(feature = "cri", feature = "docker"))]
#[doc(hidden)]
pub use bounds::Weigh;
#[cfg(feature = "cri")]
pub use cri::CriRuntime;
#[cfg(feature = "docker")]
pub use docker::DockerRuntime;
pub use error::{Error, Failure};
pub use kubepods::{KubepodsName, compare_uids, is_uid, parse_kubepods_name};
pub use model::{
    ContainerState, ListedContainer, ListedImage, ListedSandbox, RuntimeDisks, RuntimeListing,
    RuntimePod, WritableLayer,
};
#[cfg(any(feature = "cri", feature = "docker"))]
pub use pods::{Details, Found, Limits};
// For fuzzing.
#[cfg(any(feature = "cri", feature = "docker"))]
#[doc(hidden)]
pub use pods::{assemble, find_cgroup};
pub use runtime::ContainerRuntime;
