//! Containers, sandboxes and images: one model, with a client of the Docker Engine API
//! and one of the Container Runtime Interface, each behind a feature.
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(feature = "cri")]
mod cri;
#[cfg(feature = "cri")]
pub mod cri_api;
#[cfg(feature = "docker")]
mod docker;
#[cfg(feature = "docker")]
pub mod docker_api;
mod kubepods;
mod model;
#[cfg(any(feature = "cri", feature = "docker"))]
mod remote;

#[cfg(feature = "cri")]
pub use cri::CriRuntime;
#[cfg(feature = "docker")]
pub use docker::DockerRuntime;
pub use kubepods::{KubepodsName, compare_uids, is_uid, parse_kubepods_name};
pub use model::{
    CallError, CallFailure, ContainerRuntime, ContainerState, ListedContainer, ListedImage,
    ListedSandbox, RuntimeDisks, RuntimeListing, RuntimePod, WritableLayer,
};
