//! From what a runtime lists to pods: what both clients have in common. No I/O but
//! `cgroup` and `layer`, which read `/proc`.

mod assembly;
mod cgroup;
mod found;
mod known;
mod layer;
mod mounted_images;
mod patience;
mod resources;
mod wishes;

pub use assembly::assemble;
pub(crate) use assembly::{Assembly, Grouping};
pub use cgroup::find_cgroup;
#[cfg(feature = "cri")]
pub(crate) use cgroup::own_cgroup;
pub(crate) use cgroup::read_cgroup;
#[cfg(feature = "docker")]
pub(crate) use found::leave_out;
pub use found::{Details, Found, Limits};
pub(crate) use found::{keep_mount, millis_of_shares, path, positive};
pub(crate) use known::{Answer, Known, Question};
pub(crate) use layer::HostOverlays;
pub use layer::find_layer;
pub(crate) use mounted_images::find_mounted_images;
pub(crate) use patience::left;
#[cfg(feature = "docker")]
pub(crate) use patience::{Patience, Rest};
pub(crate) use resources::class_by_cgroup;
#[cfg(feature = "docker")]
pub(crate) use resources::kubepods_class;
pub(crate) use wishes::PROTECT;
use wishes::{DISK_LIMIT, LOG_RELIEF, MEMORY_REQUEST, PRIORITY};

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

/// The labels by which Kubernetes' tools say what a container is in its pod.
pub(crate) const CONTAINER_NAME: &str = "io.kubernetes.container.name";
pub(crate) const CONTAINER_TYPE: &str = "io.kubernetes.docker.type";
pub(crate) const SANDBOX_ID: &str = "io.kubernetes.sandbox.id";
pub(crate) const RESTART_COUNT: &str = "io.kubernetes.container.restartCount";
pub(crate) const GRACE: &str = "io.kubernetes.pod.terminationGracePeriod";

/// Whether a label or an annotation decides what evictd does. No other is kept: so there are
/// few of one item, however many it has.
pub(crate) fn decides(key: &str) -> bool {
    const DECIDING: [&str; 16] = [
        POD_UID,
        POD_NAME,
        POD_NAMESPACE,
        CONTAINER_NAME,
        CONTAINER_TYPE,
        SANDBOX_ID,
        RESTART_COUNT,
        GRACE,
        COMPOSE_PROJECT,
        PRIORITY,
        MEMORY_REQUEST,
        PROTECT,
        DISK_LIMIT,
        LOG_RELIEF,
        "kubernetes.io/config.source",
        "kubernetes.io/config.mirror",
    ];
    DECIDING.contains(&key)
}
