// The example needs the feature.
#![cfg_attr(feature = "docker", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "docker"),
    doc = "With the feature `docker` its README stands here, with an example."
)]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(feature = "cri")]
pub mod cri;
#[cfg(feature = "docker")]
pub mod docker;
mod error;
#[cfg(any(feature = "cri", feature = "docker"))]
mod follow;
#[cfg(any(feature = "cri", feature = "docker"))]
mod list;
mod model;
#[cfg(any(feature = "cri", feature = "docker"))]
mod notes;
#[cfg(any(feature = "cri", feature = "docker"))]
mod pods;
mod runtime;
#[cfg(any(feature = "cri", feature = "docker"))]
mod socket;
#[cfg(any(feature = "cri", feature = "docker"))]
mod text;

#[cfg(feature = "cri")]
pub use cri::CriRuntime;
#[cfg(feature = "docker")]
pub use docker::DockerRuntime;
pub use error::{Error, Failure};
// A listing is made of these.
pub use evictd_node::pod::RuntimePod;
pub use model::{
    ContainerState, ListedContainer, ListedImage, ListedMount, ListedSandbox, ListedVolume,
    LogFormat, RuntimeDisks, RuntimeListing, WritableLayer,
};
#[cfg(any(feature = "cri", feature = "docker"))]
pub use pods::{Details, Found, Limits};
// For fuzzing.
#[cfg(any(feature = "cri", feature = "docker"))]
#[doc(hidden)]
pub use list::{Item, Items, Ranked, Unread};
#[cfg(any(feature = "cri", feature = "docker"))]
#[doc(hidden)]
pub use pods::{assemble, find_cgroup, find_layer};
pub use runtime::{Changes, ContainerRuntime};
