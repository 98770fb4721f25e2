use std::path::{Path, PathBuf};

use evictd_node::Mono;
use evictd_node::pod::usage::{ContainerUsage, PodUsage, VolumeUsage};
use evictd_node::pod::{Container, Medium, Pod, Volume, VolumeSource};

use super::{PodDirs, PodTree, TreeKind, add_deleted_of_layers};
use super::{add_disk_usage, add_mounts, pod_trees};
use crate::{DiskTree, Held, MountedOn, OpenFiles, TreeUsage};

fn dirs() -> PodDirs {
    PodDirs {
        root_dir: PathBuf::from("/kubelet"),
        logs_dir: PathBuf::from("/logs"),
        host_paths: true,
        open_files_on: None,
        mounts_on: None,
    }
}

fn container(name: &str) -> Container {
    Container {
        name: name.into(),
        ..Container::default()
    }
}

fn volume(name: &str, source: VolumeSource) -> Volume {
    Volume {
        name: name.into(),
        source,
    }
}

fn empty_dir(medium: Medium) -> VolumeSource {
    VolumeSource::EmptyDir {
        medium,
        size_limit: None,
    }
}

fn host_path(path: &str) -> VolumeSource {
    VolumeSource::HostPath { path: path.into() }
}

fn pod() -> Pod {
    let mut pod = Pod::default();
    pod.metadata.namespace = "shop".into();
    pod.metadata.name = "web".into();
    pod.metadata.uid = "u-1".into();
    pod.spec.init_containers = [container("setup")].into();
    pod.spec.containers = vec![container("main")];
    pod.spec.volumes = vec![
        volume("cache", empty_dir(Medium::Default)),
        volume("ram", empty_dir(Medium::Memory)),
        volume("host", host_path("/srv/data")),
        volume("config", VolumeSource::ConfigMap),
        volume("code", VolumeSource::GitRepo),
        volume("secret", VolumeSource::Other),
        volume("claim", VolumeSource::Other),
    ];
    pod
}

/// Paths in order, each with the first letters of what it is.
fn listed(pod: &Pod, dirs: &PodDirs) -> Vec<String> {
    let line = |tree: &PodTree| {
        let kind = match &tree.kind {
            TreeKind::Log { container } => format!("log {container:?}"),
            TreeKind::Volume { name, is_own: true } => format!("own {name}"),
            TreeKind::Volume { name, .. } => format!("volume {name}"),
            TreeKind::Layer { container } => format!("layer {container}"),
        };
        format!("{} {kind}", tree.path.display())
    };
    pod_trees(pod, dirs).iter().map(line).collect()
}

#[test]
fn trees_lie_where_the_kubelet_puts_them() {
    let volumes = "/kubelet/pods/u-1/volumes/kubernetes.io~";
    let expected = [
        "/logs/shop_web_u-1/setup log Some(\"setup\")".to_owned(),
        "/logs/shop_web_u-1/main log Some(\"main\")".to_owned(),
        "/logs/shop_web_u-1 log None".to_owned(),
        format!("{volumes}empty-dir/cache own cache"),
        format!("{volumes}empty-dir/ram volume ram"),
        "/srv/data volume host".to_owned(),
        format!("{volumes}configmap/config own config"),
        format!("{volumes}git-repo/code own code"),
    ];
    assert_eq!(listed(&pod(), &dirs()), expected);
}

#[test]
fn host_paths_are_measured_where_that_is_wanted() {
    let without = PodDirs {
        host_paths: false,
        ..dirs()
    };
    let all = listed(&pod(), &dirs());
    let mut fewer = all.clone();
    fewer.retain(|line| !line.ends_with("volume host"));
    assert_eq!(listed(&pod(), &without), fewer);
    let mut relative = pod();
    relative.spec.volumes = vec![volume("host", host_path("etc/../passwd"))];
    assert_eq!(listed(&relative, &dirs()).len(), 3);
}

#[test]
fn names_that_are_no_part_of_a_path_give_no_tree() {
    for bad in ["", ".", "..", "a/b", "/", "../..", "a\0b"] {
        let mut of_pod = pod();
        of_pod.metadata.uid = bad.into();
        assert_eq!(listed(&of_pod, &dirs()), ["/srv/data volume host"], "{bad}");
        let mut named = pod();
        named.metadata.namespace = bad.into();
        assert!(
            listed(&named, &dirs())
                .iter()
                .all(|line| !line.contains("/logs"))
        );
        let mut inside = pod();
        inside.spec.containers = vec![container(bad)];
        inside.spec.volumes = vec![volume(bad, empty_dir(Medium::Default))];
        assert_eq!(listed(&inside, &dirs()).len(), 2, "{bad}");
    }
}

/// Each tree holds the bytes and inodes that its last name says.
fn known(path: &Path) -> Option<TreeUsage> {
    let (used_bytes, inodes_used) = match path.file_name()?.to_str()? {
        "setup" => (1, 1),
        "main" => (20, 2),
        "shop_web_u-1" => (50, 5),
        "cache" => (1_000, 10),
        "ram" => (70_000, 7),
        "data" => (900_000, 9),
        "config" => (300, 3),
        _ => return None,
    };
    Some(TreeUsage {
        used_bytes,
        inodes_used,
        sampled: Mono::ZERO,
        complete: true,
        by_quota: false,
        device: 0,
        mounted_on: None,
    })
}

fn used(name: &str, bytes: u64, inodes: u64) -> VolumeUsage {
    VolumeUsage {
        name: name.into(),
        used_bytes: Some(bytes),
        inodes_used: Some(inodes),
    }
}

#[test]
fn usage_names_volumes_and_logs_and_sums_up_what_is_the_pods_own() {
    let pod = pod();
    let trees = pod_trees(&pod, &dirs());
    let mut usage = PodUsage {
        memory_working_set_bytes: Some(5),
        containers: vec![ContainerUsage {
            name: "main".into(),
            memory_working_set_bytes: Some(4),
            rootfs_bytes: Some(4_000),
            ..ContainerUsage::default()
        }],
        ..PodUsage::default()
    };
    add_disk_usage(&mut usage, &trees, &|tree| known(&tree.path));
    let volumes = [
        used("cache", 1_000, 10),
        used("ram", 70_000, 7),
        used("host", 900_000, 9),
        used("config", 300, 3),
    ];
    assert_eq!(usage.volumes, volumes);
    let names: Vec<_> = usage.containers.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["main", "setup"]);
    assert_eq!(usage.containers[0].logs_bytes, Some(20));
    assert_eq!(usage.containers[0].logs_inodes, Some(2));
    assert_eq!(usage.containers[0].memory_working_set_bytes, Some(4));
    assert_eq!(usage.containers[1].logs_bytes, Some(1));
    assert_eq!(usage.memory_working_set_bytes, Some(5));
    // Logs of the whole pod, the writable layer, and volumes on disk that are
    // the pod's own: neither memory nor the node's directories.
    assert_eq!(
        usage.ephemeral_storage_bytes,
        Some(50 + 4_000 + 1_000 + 300)
    );
    assert!(usage.disk_in_part, "the volume of code was not measured");
}

#[test]
fn what_is_not_known_is_left_open() {
    let pod = pod();
    let trees = pod_trees(&pod, &dirs());
    let mut usage = PodUsage::default();
    add_disk_usage(&mut usage, &trees, &|_| None);
    let nothing = PodUsage {
        disk_in_part: true,
        ..PodUsage::default()
    };
    assert_eq!(usage, nothing);

    // The pod's log directory is still to be measured, its containers' are not.
    let some = |tree: &PodTree| {
        let path = &tree.path;
        known(path).filter(|_| path.ends_with("main") || path.ends_with("setup"))
    };
    add_disk_usage(&mut usage, &trees, &some);
    assert_eq!(usage.ephemeral_storage_bytes, Some(21));
    assert_eq!(usage.volumes, []);
}

/// Acceptance row 173: that some of it is empty says nothing of the rest.
#[test]
fn what_was_not_seen_is_not_nothing() {
    let pod = pod();
    let trees = pod_trees(&pod, &dirs());
    let mut usage = PodUsage::default();
    let empty_logs = |tree: &PodTree| tree.path.ends_with("main").then(TreeUsage::default);
    add_disk_usage(&mut usage, &trees, &empty_logs);
    assert_eq!(usage.ephemeral_storage_bytes, None);
    let in_part = |tree: &PodTree| {
        known(&tree.path).map(|usage| TreeUsage {
            complete: false,
            ..usage
        })
    };
    add_disk_usage(&mut usage, &trees, &in_part);
    assert_eq!(usage.ephemeral_storage_bytes, Some(50 + 1_000 + 300));
    assert!(usage.disk_in_part);
}

/// Acceptance row 165: Docker keeps a container's log beside its layer.
#[test]
fn logs_may_lie_where_the_layer_does() {
    for (log, layer, expected) in [(7, 7, true), (7, 8, false), (0, 0, false)] {
        let container = String::from("web");
        let tree = |path: &str, kind| PodTree::whole(Path::new(path).into(), kind);
        let of = Some(container.clone());
        let trees = [
            tree("/d/layer", TreeKind::Layer { container }),
            tree("/d/log", TreeKind::Log { container: of }),
        ];
        let mut usage = PodUsage::default();
        add_disk_usage(&mut usage, &trees, &|tree| {
            let path = &*tree.path;
            let device = if path.ends_with("log") { log } else { layer };
            known(Path::new("main")).map(|usage| TreeUsage { device, ..usage })
        });
        let web = &usage.containers[0];
        assert_eq!((web.logs_bytes, web.rootfs_bytes), (Some(20), Some(20)));
        assert_eq!(web.logs_beside_layer, expected, "{log} {layer}");
    }
}

/// Acceptance row 253.
#[test]
fn what_is_mounted_ranks_a_pod_and_is_no_storage_of_its_own() {
    let of = |tree: &DiskTree| {
        let path = &tree.path;
        let mounted_on = match path.file_name()?.to_str()? {
            "main" => Some(MountedOn::Nodefs),
            "data" => Some(MountedOn::Layers),
            _ => None,
        };
        known(path).map(|usage| TreeUsage {
            mounted_on,
            ..usage
        })
    };
    let paths =
        |all: &[&str]| -> Vec<_> { all.iter().map(|path| Path::new(path).into()).collect() };
    let mut usage = PodUsage::default();
    add_mounts(&mut usage, &paths(&["/v/main", "/v/data", "/v/cache"]), &of);
    let mounted = usage.mounts.iter();
    let mounted: Vec<_> = mounted
        .map(|mount| (mount.path.as_str(), mount.used_bytes, mount.beside_layers))
        .collect();
    let expected = [
        ("/v/main", Some(20), false),
        ("/v/data", Some(900_000), true),
    ];
    assert_eq!(mounted, expected);
    assert!(!usage.disk_in_part);
    assert_eq!(usage.ephemeral_storage_bytes, None);
    add_mounts(&mut usage, &paths(&["/v/unknown"]), &of);
    assert!(usage.disk_in_part);
}

/// Acceptance row 291: a file that is deleted and open takes as much of a disk as before.
#[test]
fn deleted_open_files_of_the_layer_count_for_the_limit() {
    let mib = 1 << 20;
    let held = |bytes| Held { bytes, inodes: 1 };
    let found = OpenFiles {
        nodefs: held(7 * mib),
        layers: held(300 * mib),
        own_layer: held(200 * mib),
    };
    for (known, expected) in [(Some(mib), 201 * mib), (None, 200 * mib)] {
        let mut usage = PodUsage {
            ephemeral_storage_bytes: known,
            ..PodUsage::default()
        };
        add_deleted_of_layers(&mut usage, found);
        assert_eq!(usage.ephemeral_storage_bytes, Some(expected));
    }
    let mut unknown = PodUsage::default();
    add_deleted_of_layers(&mut unknown, OpenFiles::default());
    assert_eq!(
        unknown,
        PodUsage::default(),
        "which says nothing of the rest"
    );
}
