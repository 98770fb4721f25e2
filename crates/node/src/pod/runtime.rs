use alloc::sync::Arc;
use alloc::vec::Vec;
use std::path::Path;

use super::Pod;

/// A pod as a container runtime knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuntimePod {
    /// Names, uid, labels and annotations; requests and limits where the runtime
    /// knows them; priority and protection by `evictd.*` labels. Where no
    /// Kubernetes-like tool gave a uid, one that stays the same: the id of the
    /// sandbox or container, or the name of the compose project.
    pub pod: Arc<Pod>,
    /// Whether a controller brings it back when it is gone, as the label
    /// `io.kubernetes.pod.uid` says.
    pub is_replaced: bool,
    /// Whether its runtime keeps it down only where it ended it while it ran, as Podman
    /// does: what dies otherwise is started again as its restart policy says, however often.
    pub stays_down_only_if_ended_running: bool,
    /// The containers of it that run or may just be started again, by id.
    pub running: Vec<Arc<str>>,
    /// Its sandbox, where it has one.
    pub sandbox: Option<Arc<str>>,
    /// The cgroups of what runs, below the mount point of each hierarchy and
    /// without `/` in front: the pod's own where one holds all of it, else one
    /// of each container that runs or may just be started again.
    pub cgroups: Vec<Arc<Path>>,
}
