//! Which directory trees belong to a pod, and what they come to. No I/O.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::path::{Path, PathBuf};

use evictd_node::pod::usage::{ContainerUsage, MountUsage, PodUsage, VolumeUsage};
use evictd_node::pod::{Pod, VolumeSource};

use crate::{DiskTree, MountedOn, OpenFiles, TreeUsage, WatchedDisks};

/// Where pods' files lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodDirs {
    /// Volumes lie in `ROOT/pods/UID/volumes/kubernetes.io~KIND/NAME`
    /// (the kubelet's `--root-dir`).
    pub root_dir: PathBuf,
    /// Logs lie in `DIR/NAMESPACE_NAME_UID/CONTAINER` (`--pod-logs-dir`).
    pub logs_dir: PathBuf,
    /// Whether `hostPath` volumes are measured.
    ///
    /// They count for ranking, and not as the pod's own storage (decision D58).
    /// The kubelet does not measure them, so there they count as nothing: with
    /// this set, a pod that mounts the node's `/` to look at it is the one that
    /// holds most.
    pub host_paths: bool,
    /// Where deleted files that a process holds open count for its pod; `None` where they
    /// count for nothing, as the kubelet has it.
    pub open_files_on: Option<WatchedDisks>,
    /// Where what is mounted into containers counts for their pods; `None` where it counts
    /// for nothing, as the kubelet has it.
    pub mounts_on: Option<WatchedDisks>,
}

/// What a tree is to its pod.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeKind {
    /// Logs: of one container, or the directory of all of them.
    Log {
        /// Whose; `None` for all, which holds the others.
        container: Option<String>,
    },
    /// The writable layer of a container.
    Layer {
        /// Whose.
        container: String,
    },
    /// A volume.
    Volume {
        /// Its name.
        name: String,
        /// Whether it is the pod's own storage on disk: neither an `emptyDir` in memory nor
        /// a `hostPath`, which is a directory or file of the node.
        is_own: bool,
    },
}

/// A directory tree of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodTree {
    /// Where it lies, if it is there at all.
    pub path: Arc<Path>,
    /// What of it counts, as [`DiskTree::among`].
    pub among: Option<Arc<[u64]>>,
    /// What it is.
    pub kind: TreeKind,
}

impl PodTree {
    /// All that lies there.
    #[must_use]
    pub const fn whole(path: Arc<Path>, kind: TreeKind) -> Self {
        let among = None;
        Self { path, among, kind }
    }

    /// What is to be measured.
    #[must_use]
    pub fn tree(&self) -> DiskTree {
        DiskTree {
            path: Arc::clone(&self.path),
            among: self.among.clone(),
        }
    }
}

/// The trees of a pod (K: `GetPodVolumeDir`, `BuildPodLogsDirectory`).
///
/// A name that is no single part of a path, such as `..`, gives no tree. A pod
/// without uid has no volumes here; one without name or namespace, no logs.
#[must_use]
pub fn pod_trees(pod: &Pod, dirs: &PodDirs) -> Vec<PodTree> {
    let mut trees = Vec::new();
    log_trees(pod, dirs, &mut trees);
    let volumes = pod.spec.volumes.iter();
    trees.extend(volumes.filter_map(|volume| {
        let below = |kind| volume_dir(pod, dirs, kind, &volume.name);
        let path = match &volume.source {
            VolumeSource::EmptyDir { .. } => below("empty-dir")?,
            VolumeSource::ConfigMap => below("configmap")?,
            VolumeSource::GitRepo => below("git-repo")?,
            VolumeSource::HostPath { path } if dirs.host_paths && path.starts_with('/') => {
                PathBuf::from(path)
            }
            VolumeSource::HostPath { .. } | VolumeSource::Other => return None,
        };
        let kind = TreeKind::Volume {
            name: volume.name.clone(),
            is_own: volume.is_local() && !matches!(volume.source, VolumeSource::HostPath { .. }),
        };
        Some(PodTree::whole(path.into(), kind))
    }));
    trees
}

fn log_trees(pod: &Pod, dirs: &PodDirs, trees: &mut Vec<PodTree>) {
    let of = &pod.metadata;
    if ![&of.namespace, &of.name, &of.uid]
        .iter()
        .all(|p| is_part(p))
    {
        return;
    }
    let all = dirs
        .logs_dir
        .join(format!("{}_{}_{}", of.namespace, of.name, of.uid));
    let containers = pod.spec.init_containers.iter().chain(&pod.spec.containers);
    for container in containers.filter(|container| is_part(&container.name)) {
        let path = all.join(&container.name).into();
        let container = Some(container.name.clone());
        trees.push(PodTree::whole(path, TreeKind::Log { container }));
    }
    let kind = TreeKind::Log { container: None };
    trees.push(PodTree::whole(all.into(), kind));
}

fn volume_dir(pod: &Pod, dirs: &PodDirs, kind: &str, name: &str) -> Option<PathBuf> {
    let uid = &pod.metadata.uid;
    (is_part(uid) && is_part(name)).then(|| {
        let kind = format!("kubernetes.io~{kind}");
        let volumes = dirs.root_dir.join("pods").join(uid).join("volumes");
        volumes.join(kind).join(name)
    })
}

/// Whether a name is one part of a path, and stays below what it is joined to.
fn is_part(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\0'])
}

/// Adds to a pod's usage what its trees hold, as far as `usage_of` knows them:
/// its volumes, its containers' logs, and its ephemeral storage.
///
/// Ephemeral storage is logs, volumes on local disk other than `hostPath`, and
/// the writable layers that `usage` already names. It stays `None` while
/// nothing of it is known, or nothing but that some of it is empty. What was measured in
/// part counts with what was seen: the pod holds at least that.
pub fn add_disk_usage(
    usage: &mut PodUsage,
    trees: &[PodTree],
    usage_of: &dyn Fn(&PodTree) -> Option<TreeUsage>,
) {
    let (mut all_logs, mut volumes, mut is_whole) = (None, None, true);
    let is_volume = |tree: &&PodTree| matches!(tree.kind, TreeKind::Volume { .. });
    usage
        .volumes
        .reserve_exact(trees.iter().filter(is_volume).count());
    for tree in trees {
        let found = usage_of(tree);
        is_whole &= found.is_some_and(|found| found.complete);
        let Some(found) = found else {
            continue;
        };
        match &tree.kind {
            TreeKind::Log { container: None } => all_logs = Some(found.used_bytes),
            TreeKind::Log {
                container: Some(name),
            } => {
                let container = container_of(usage, name);
                container.logs_bytes = Some(found.used_bytes);
                container.logs_inodes = Some(found.inodes_used);
            }
            TreeKind::Layer { container } => {
                let container = container_of(usage, container);
                container.rootfs_bytes = Some(found.used_bytes);
                container.rootfs_inodes = Some(found.inodes_used);
            }
            TreeKind::Volume { name, is_own } => {
                usage.volumes.push(VolumeUsage {
                    name: name.clone(),
                    used_bytes: Some(found.used_bytes),
                    inodes_used: Some(found.inodes_used),
                });
                volumes = sum(volumes, is_own.then_some(found.used_bytes));
            }
        }
    }
    for container in &mut usage.containers {
        container.logs_beside_layer = lie_together(&container.name, trees, usage_of);
    }
    let containers = &usage.containers;
    let logs = all_logs.or_else(|| {
        containers
            .iter()
            .fold(None, |all, c| sum(all, c.logs_bytes))
    });
    let layers = containers
        .iter()
        .fold(None, |all, c| sum(all, c.rootfs_bytes));
    let known = sum(sum(logs, layers), volumes);
    usage.disk_in_part = !is_whole;
    usage.ephemeral_storage_bytes = known.filter(|bytes| is_whole || *bytes > 0);
}

/// Whether a container's logs and its layer are known to lie on one filesystem.
fn lie_together(
    name: &str,
    trees: &[PodTree],
    usage_of: &dyn Fn(&PodTree) -> Option<TreeUsage>,
) -> bool {
    let device_of = |is_it: &dyn Fn(&TreeKind) -> bool| {
        let tree = trees.iter().find(|tree| is_it(&tree.kind))?;
        usage_of(tree)
            .map(|found| found.device)
            .filter(|device| *device != 0)
    };
    let layer =
        device_of(&|kind| matches!(kind, TreeKind::Layer { container } if container == name));
    let log =
        device_of(&|kind| matches!(kind, TreeKind::Log { container: Some(of) } if of == name));
    layer.is_some() && layer == log
}

/// Adds what a pod's processes hold of deleted files of its containers' layers to what it keeps
/// itself, so that it counts for its own limit.
pub fn add_deleted_of_layers(usage: &mut PodUsage, found: OpenFiles) {
    let more = Some(found.own_layer.bytes).filter(|bytes| *bytes > 0);
    usage.ephemeral_storage_bytes = sum(usage.ephemeral_storage_bytes, more);
}

/// Adds what a pod's processes hold of deleted files, so that the pod is ranked by it.
pub fn add_open_files(usage: &mut PodUsage, found: OpenFiles) {
    const NAME: &str = "deleted, open files";
    if found == OpenFiles::default() {
        return; // which says nothing of what else the pod holds
    }
    let container = container_of(usage, NAME);
    container.logs_bytes = Some(found.nodefs.bytes);
    container.logs_inodes = Some(found.nodefs.inodes);
    container.rootfs_bytes = Some(found.layers.bytes);
    container.rootfs_inodes = Some(found.layers.inodes);
}

/// Adds what lies in the places that are mounted into a pod's containers, so that the pod is
/// ranked by it. It is no ephemeral storage, and stays when the pod is gone.
pub fn add_mounts(
    usage: &mut PodUsage,
    mounts: &[DiskTree],
    usage_of: &dyn Fn(&DiskTree) -> Option<TreeUsage>,
) {
    for mount in mounts {
        let found = usage_of(mount);
        usage.disk_in_part |= !found.is_some_and(|found| found.complete);
        let Some((found, on)) = found.and_then(|found| Some((found, found.mounted_on?))) else {
            continue;
        };
        usage.mounts.push(MountUsage {
            path: mount.path.to_string_lossy().into_owned(),
            used_bytes: Some(found.used_bytes),
            inodes_used: Some(found.inodes_used),
            beside_layers: on == MountedOn::Layers,
        });
    }
}

/// What is known of the two.
fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (known, None) | (None, known) => known,
    }
}

/// The container of that name, which is added where it was not measured yet.
fn container_of<'a>(usage: &'a mut PodUsage, name: &str) -> &'a mut ContainerUsage {
    let containers = &mut usage.containers;
    let known = containers.iter().position(|c| c.name == name);
    let index = known.unwrap_or_else(|| {
        containers.push(ContainerUsage {
            name: name.into(),
            ..ContainerUsage::default()
        });
        containers.len() - 1
    });
    #[expect(clippy::indexing_slicing, reason = "found, or pushed just now")]
    &mut containers[index]
}

#[cfg(test)]
mod tests;
