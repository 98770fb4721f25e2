//! What node-pressure eviction needs of a pod.
//!
//! [`Pod`] has the shape of the Kubernetes `v1` Pod, cut down to the fields
//! that eviction, admission and `oom_score_adj` look at: identity, requests and
//! limits, priority, volumes, tolerations, owner. Its methods return
//! what the kubelet wants to know of a pod: its QoS class, whether it is
//! critical, what it requests, how much local storage it may use.
//! [`usage`] holds what was measured of a pod.
//!
//! The feature `serde` adds `Pod::from_json` and `Deserialize` in the Kubernetes
//! JSON shape: unknown fields are ignored, `null` counts as absent, and a value of
//! the wrong type is an error that names the field, as in
//! `.spec.containers[0].resources.requests.cpu: ...`.
//!
//! Nothing here knows the state of the node, and nothing fills in defaults.

mod container;
#[cfg(feature = "serde")]
mod json;
mod requests;
mod resources;
#[cfg(feature = "std")]
mod runtime;
mod spec;
mod toleration;
pub mod usage;
mod volume;

pub use container::Container;
#[cfg(feature = "serde")]
pub use json::JsonError;
pub use requests::Requested;
pub use resources::{ResourceList, Resources};
#[cfg(feature = "std")]
pub use runtime::RuntimePod;
pub use spec::{Metadata, Pod, Spec, Status};
pub use toleration::Toleration;
pub use volume::{Medium, Volume, VolumeSource, volume_key};

#[cfg(test)]
mod tests;
