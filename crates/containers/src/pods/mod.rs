//! From what a runtime lists to pods: what both clients have in common. No I/O but
//! `cgroup` and `layer`, which read `/proc`.

mod assembly;
mod cgroup;
mod found;
mod known;
mod layer;
mod resources;
mod wishes;

pub use assembly::assemble;
pub(crate) use assembly::{Assembly, Grouping};
pub use cgroup::find_cgroup;
#[cfg(feature = "cri")]
pub(crate) use cgroup::own_cgroup;
pub(crate) use cgroup::read_cgroup;
pub use found::{Details, Found, Limits};
pub(crate) use found::{keep_mount, millis_of_shares, path, positive};
pub(crate) use known::Known;
pub(crate) use layer::HostOverlays;
pub use layer::find_layer;
pub(crate) use resources::kubepods_class;

/// The labels by which Kubernetes' tools say which pod something belongs to.
pub(crate) const POD_UID: &str = "io.kubernetes.pod.uid";
pub(crate) const POD_NAME: &str = "io.kubernetes.pod.name";
pub(crate) const POD_NAMESPACE: &str = "io.kubernetes.pod.namespace";
/// The label by which docker compose says which project a container belongs to.
const COMPOSE_PROJECT: &str = "com.docker.compose.project";

/// Annotations have no place of their own in Docker: dockershim and cri-dockerd
/// keep them among the labels.
#[cfg(feature = "docker")]
pub(crate) const ANNOTATION: &str = "annotation.";

/// Whether a label or an annotation decides what evictd does. No other is kept.
#[cfg(feature = "docker")]
pub(crate) fn decides(key: &str) -> bool {
    const DECIDING: [&str; 3] = ["evictd.", "io.kubernetes.", "kubernetes.io/config."];
    let key = key.strip_prefix(ANNOTATION).unwrap_or(key);
    key == COMPOSE_PROJECT || DECIDING.iter().any(|prefix| key.starts_with(prefix))
}
