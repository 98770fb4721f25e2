use std::path::Path;

use alloc::sync::Arc;

use evictd_containers::{
    ContainerState, ListedContainer, ListedMount, RuntimeDisks, WritableLayer,
};
use evictd_node::pod::{Container, Pod};
use evictd_quantity::Quantity;
use evictd_stats::{DiskTree, PodDirs, PodTree, TreeKind};

use super::mounts::Others;
use super::own_places;
use super::trees;

fn dirs() -> PodDirs {
    PodDirs {
        root_dir: "/kubelet".into(),
        logs_dir: "/logs".into(),
        host_paths: false,
        open_files_on: None,
        mounts_on: None,
    }
}

fn paths(containers: &[ListedContainer]) -> Vec<String> {
    let mut pod = Pod::default();
    pod.metadata.name = "a".into();
    pod.metadata.namespace = "docker".into();
    pod.metadata.uid = "1".into();
    let dirs = dirs();
    let containers: Vec<&ListedContainer> = containers.iter().collect();
    let trees = trees(&pod, &dirs, &containers);
    let path = |tree: &evictd_stats::PodTree| tree.path.display().to_string();
    trees.iter().map(path).collect()
}

#[test]
fn logs_are_looked_for_where_they_are() {
    let container = |log: &str| {
        let mut container = ListedContainer::default();
        container.log = (!log.is_empty()).then(|| Path::new(log).into());
        container.layer = WritableLayer::Dir(Path::new("/layer").into());
        container
    };
    let (own, engines) = ("/logs/docker_a_1/x/0.log", "/containers/1/1-json.log");
    for (name, logs, expected) in [
        ("nobody knows", &[][..], &["/logs/docker_a_1"][..]),
        (
            "one does not say",
            &[engines, ""],
            &["/logs/docker_a_1", "/layer", "/containers/1", "/layer"],
        ),
        ("below the pods'", &[own], &["/logs/docker_a_1", "/layer"]),
        ("elsewhere", &[engines], &["/layer", "/containers/1"]),
    ] {
        let containers: Vec<ListedContainer> = logs.iter().map(|log| container(log)).collect();
        assert_eq!(paths(&containers), expected, "{name}");
    }
}

/// Acceptance row 291: what was made for a container alone is its pod's own where that has a
/// limit; a named volume never is.
#[test]
fn a_volume_without_a_name_counts_for_the_limit_of_its_pod() {
    let volume = |path: &str, is_anonymous| {
        let mut mount = ListedMount::new(Path::new(path).into(), true);
        mount.is_anonymous = is_anonymous;
        mount
    };
    let mut container = mounting(&[]);
    container.mounts = [volume("/v/0f/_data", true), volume("/v/media/_data", false)].into();
    let mut pod = Pod::default();
    let own = |pod: &Pod| {
        let trees = trees(pod, &dirs(), &[&container]);
        let own = trees
            .iter()
            .filter(|tree| matches!(&tree.kind, TreeKind::Volume { is_own: true, .. }));
        own.map(|tree| tree.path.display().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(own(&pod), [""; 0]);
    let mut limited = Container::default();
    let limit = Quantity::parse("2Gi").unwrap();
    limited.resources.limits.ephemeral_storage = Some(Box::new(limit));
    pod.spec.containers.push(limited);
    assert_eq!(own(&pod), ["/v/0f/_data"]);
    // And it ranks, as what is mounted does.
    let places = own_places(&pod, &dirs(), &[&container]);
    let (dirs, runtimes) = (dirs(), []);
    let others = Others {
        dirs: &dirs,
        runtimes: &runtimes,
    };
    let mounts = others.mounts(&places, &[&container]);
    let mounts: Vec<_> = mounts.iter().map(|mount| &*mount.path).collect();
    assert_eq!(
        mounts,
        [Path::new("/v/0f/_data"), Path::new("/v/media/_data")]
    );
}

/// A container that runs; volumes of its runtime have a `+` before them.
fn mounting(sources: &[&str]) -> ListedContainer {
    let mount = |source: &&str| {
        let path = source.trim_start_matches('+');
        ListedMount::new(Path::new(path).into(), path != *source)
    };
    let mut container = ListedContainer::default();
    container.state = ContainerState::Running;
    container.mounts = sources.iter().map(mount).collect();
    container
}

/// What is mounted into a container, and what of it counts.
const MOUNTED: &[(&str, &[&str], &[&str])] = &[
    (
        "a volume",
        &["+/var/lib/docker/volumes/media/_data"],
        &["/var/lib/docker/volumes/media/_data"],
    ),
    ("twice", &["/srv/app", "/srv/app"], &["/srv/app"]),
    (
        "one in the other",
        &["/srv/app/a", "/srv", "/srv2"],
        &["/srv", "/srv2"],
    ),
    ("around a runtime", &["/", "/var", "/var/lib/docker"], &[]),
    (
        "among a runtime's things",
        &[
            "/var/lib/docker/containers",
            "/var/lib/docker/volumes/media/_data",
        ],
        &[],
    ),
    ("logs", &["/logs", "/logs/x"], &[]),
    ("around the pods", &["/kubelet", "/kubelet/pods"], &[]),
    (
        "what is the pod's own",
        &["/kubelet/pods/u/volumes/kubernetes.io~empty-dir/data"],
        &[],
    ),
    (
        "around what is the pod's own",
        &["/kubelet/pods/u/volumes"],
        &[],
    ),
    (
        "of a pod without a manifest",
        &["/kubelet/pods/v/volumes/kubernetes.io~empty-dir/data"],
        &["/kubelet/pods/v/volumes/kubernetes.io~empty-dir/data"],
    ),
    (
        "a part of a volume",
        &["/kubelet/pods/v/volume-subpaths/data/main/0"],
        &[],
    ),
    ("a kubelet's file", &["/kubelet/pods/v/etc-hosts"], &[]),
];

/// Acceptance rows 253 and 254.
#[test]
fn what_is_mounted_counts_once_and_not_what_is_a_runtimes() {
    let mut docker = RuntimeDisks::default();
    docker.root = Some("/var/lib/docker".into());
    docker.images = Some("/var/lib/docker/overlay2".into());
    let (dirs, runtimes) = (dirs(), [docker]);
    let others = Others {
        dirs: &dirs,
        runtimes: &runtimes,
    };
    let data = TreeKind::Volume {
        name: "data".into(),
        is_own: true,
    };
    let path = Path::new("/kubelet/pods/u/volumes/kubernetes.io~empty-dir/data");
    let own = PodTree::whole(path.into(), data);
    let mounts = |containers: &[ListedContainer]| {
        let containers: Vec<&ListedContainer> = containers.iter().collect();
        let found = others.mounts(core::slice::from_ref(&own), &containers);
        let shown = found.iter().map(|tree| tree.path.display().to_string());
        shown.collect::<Vec<_>>()
    };
    for (name, sources, expected) in MOUNTED {
        assert_eq!(mounts(&[mounting(sources)]), *expected, "{name}");
    }
    let both = [mounting(&["/b", "/a"]), mounting(&["/a"])];
    assert_eq!(mounts(&both), ["/a", "/b"]);
    let mut ended = mounting(&["/srv/app"]);
    ended.state = ContainerState::Exited;
    assert!(mounts(&[ended]).is_empty(), "it writes nothing any more");
}

/// Acceptance row 253: volumes without a name lie in one directory with those of others.
#[test]
fn some_volumes_of_a_directory_count_beside_others_of_it() {
    let (dirs, runtimes) = (dirs(), []);
    let others = Others {
        dirs: &dirs,
        runtimes: &runtimes,
    };
    let mut container = mounting(&["+/v/media/_data", "/v", "+/v"]);
    let mut mounts = container.mounts.to_vec();
    mounts[1].left_out = 3;
    mounts[2].among = Some([7, 9].into());
    container.mounts = mounts.clone().into();
    let tree = |path: &str, among: Option<&[u64]>| DiskTree {
        path: Path::new(path).into(),
        among: among.map(Arc::from),
    };
    let some = tree("/v", Some(&[7, 9]));
    let found = others.mounts(&[], &[&container]);
    assert_eq!(found, [some.clone(), tree("/v/media/_data", None)]);
    // Where the pod has a limit they are its own already.
    let mut own = PodTree::whole(Path::new("/v").into(), TreeKind::Log { container: None });
    own.among = some.among;
    assert_eq!(
        others.mounts(&[own], &[&container]),
        [tree("/v/media/_data", None)]
    );
    assert!(super::has_mounts_left_out(&container));
    assert!(!super::has_mounts_left_out(&mounting(&["/v"])));
}
