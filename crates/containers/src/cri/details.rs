use alloc::sync::Arc;
use std::path::Path;

use crate::cri_api::{Container, ContainerState, ContainerStatus, Resources};

use super::json::find_value;
use super::layer::read_layer;
use crate::remote::read_cgroup;

/// What is known of a container beside the list.
#[derive(Clone, Debug, Default)]
pub(super) struct Details {
    pub(super) id: Arc<str>,
    /// The state in which it was asked for; `None` when it is to be asked again.
    state: Option<ContainerState>,
    pub(super) cgroup: Option<Arc<Path>>,
    pub(super) finished_nanos: Option<i64>,
    pub(super) log: Option<Arc<Path>>,
    pub(super) layer: Option<Arc<Path>>,
    pub(super) resources: Resources,
    /// The image, by its id where that could be found.
    pub(super) image: Arc<str>,
}

impl Details {
    /// Whether this is still so.
    pub(super) fn is_of(&self, container: &Container) -> bool {
        self.state == Some(container.state)
    }

    pub(super) fn new(
        container: &Container,
        status: Option<ContainerStatus>,
        image: Arc<str>,
        proc: &Path,
    ) -> Self {
        let id = container.id.as_str().into();
        let Some(status) = status else {
            return Self {
                id,
                image,
                ..Self::default()
            };
        };
        let pid = pid_of(status.info.as_deref());
        let cgroup = pid.and_then(|pid| read_cgroup(proc, pid, &container.id));
        // Who runs in no cgroup that could be found is asked again the next time.
        let is_whole = container.state != ContainerState::Running || cgroup.is_some();
        Self {
            id,
            // Not the list's: what has changed since is asked for again.
            state: is_whole.then_some(status.state),
            layer: pid
                .and_then(|pid| read_layer(proc, pid))
                .filter(|_| cgroup.is_some())
                .map(Into::into),
            cgroup: cgroup.map(Into::into),
            finished_nanos: Some(status.finished_nanos).filter(|nanos| *nanos > 0),
            log: Some(status.log_path)
                .filter(|path| !path.is_empty())
                .map(|path| Path::new(&path).into()),
            resources: status.resources,
            image,
        }
    }
}

/// The first process: containerd and CRI-O tell it so.
fn pid_of(info: Option<&str>) -> Option<u32> {
    find_value(info?, "pid")?.parse().ok()
}
