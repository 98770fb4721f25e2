use std::path::Path;

use evictd_containers::{ListedContainer, WritableLayer};
use evictd_node::pod::Pod;
use evictd_stats::PodDirs;

use super::trees;

fn paths(containers: &[ListedContainer]) -> Vec<String> {
    let mut pod = Pod::default();
    pod.metadata.name = "a".into();
    pod.metadata.namespace = "docker".into();
    pod.metadata.uid = "1".into();
    let dirs = PodDirs {
        root_dir: "/root".into(),
        logs_dir: "/logs".into(),
        host_paths: false,
        open_files_on: None,
    };
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
