use std::path::{Path, PathBuf};

use crate::docker_api::EngineInfo;

use crate::RuntimeDisks;
use crate::remote::holds;

/// Where an engine keeps images and writable layers.
///
/// Every driver but one has a directory of its name for both, below the engine's
/// root: `overlay2`, `vfs`, `btrfs`, `zfs`, Podman's `overlay`. That one is
/// `devicemapper`, whose thin pool no directory shows. With containerd's image
/// store (Docker 29) they are in containerd's root.
pub(super) fn find_disks(info: &EngineInfo) -> RuntimeDisks {
    let root = Path::new(&info.root_dir);
    let in_containerd = info
        .driver_status
        .iter()
        .any(|(key, value)| key == "driver-type" && holds(value, "containerd"));
    let places = if in_containerd {
        [root.join("containerd/daemon"), "/var/lib/containerd".into()]
    } else {
        [root.join(&info.driver), PathBuf::new()]
    };
    let mut images = None;
    if !info.root_dir.is_empty() && info.driver != "devicemapper" {
        images = places.into_iter().find(|path| path.is_dir());
    }
    RuntimeDisks {
        images,
        containers: None,
        driver: crate::docker_api::clean(&info.driver),
    }
}
