use std::path::{Path, PathBuf};

use super::about::{EngineInfo, EngineVersion};
use crate::text::clean;
use crate::{LogFormat, RuntimeDisks};

/// The engine behind the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Docker,
    Podman,
    Balena,
}

impl Engine {
    pub(super) fn of(version: &EngineVersion, endpoint: &str) -> Self {
        if version.names("podman") {
            Self::Podman
        } else if version.names("balena") || endpoint.contains("balena") {
            Self::Balena
        } else {
            Self::Docker
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Docker => "Docker",
            Self::Podman => "Podman",
            Self::Balena => "balenaEngine",
        }
    }

    /// For Podman `json-file` is another word for `k8s-file`.
    pub(super) const fn log_format(self, told: LogFormat) -> LogFormat {
        match (self, told) {
            (Self::Podman, LogFormat::JsonFile) => LogFormat::K8sFile,
            _ => told,
        }
    }

    /// The namespace of pods that have none.
    pub(super) const fn namespace(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Podman => "podman",
            Self::Balena => "balena",
        }
    }
}

/// Where an engine keeps images and writable layers.
///
/// Every driver but one has a directory of its name for both, below the engine's
/// root: `overlay2`, `vfs`, `btrfs`, `zfs`, Podman's `overlay`. That one is
/// `devicemapper`, whose thin pool no directory shows. With containerd's image
/// store (Docker 29) they are in containerd's root.
pub(super) fn find_disks(info: &EngineInfo) -> RuntimeDisks {
    let root = Path::new(&info.docker_root_dir);
    let places: &[PathBuf] = if info.is_in_containerd() {
        &[root.join("containerd/daemon"), "/var/lib/containerd".into()]
    } else {
        &[root.join(&info.driver)]
    };
    let is_told = !info.docker_root_dir.is_empty() && info.driver != "devicemapper";
    let place = places.iter().find(|path| path.is_dir());
    RuntimeDisks {
        root: (!root.as_os_str().is_empty()).then(|| root.to_path_buf()),
        images: place.filter(|_| is_told).cloned(),
        containers: None,
        driver: clean(&info.driver),
    }
}
