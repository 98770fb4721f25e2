use core::time::Duration;
use std::path::Path;

use evictd_cgroup::FoundPod;
use evictd_containers::{ListedContainer, WritableLayer};
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;
use evictd_stats::{DiskScanner, PodDirs, PodTree, Progress, TreeKind, add_disk_usage, pod_trees};

/// What measures the pods' directories, and where these lie.
pub(super) struct Disk {
    scanner: DiskScanner,
    dirs: PodDirs,
}

/// The containers of a pod, as its runtime knows them.
type ContainersOf<'a> = &'a dyn Fn(&FoundPod) -> Vec<&'a ListedContainer>;

impl Disk {
    pub(super) const fn new(scanner: DiskScanner, dirs: PodDirs) -> Self {
        Self { scanner, dirs }
    }

    pub(super) const fn progress(&self) -> Progress {
        self.scanner.progress()
    }

    /// Whether all trees have been measured since then; if not, they are now, without
    /// rests.
    pub(super) fn has_measured(&mut self, since: Mono) -> bool {
        let measured = self.scanner.is_measured_since(since);
        if !measured {
            self.scanner.hurry();
        }
        measured
    }

    pub(super) fn wait_for_all(&mut self, at_most: Duration) {
        self.scanner.hurry();
        self.scanner.wait_for_all(at_most);
    }

    /// Tells the scanner which trees there are, and adds what it knows of them.
    pub(super) fn add(
        &mut self,
        found: &[FoundPod],
        containers_of: ContainersOf<'_>,
        usage: &mut [Option<PodUsage>],
    ) {
        let trees: Vec<Vec<PodTree>> = found
            .iter()
            .map(|found| trees(&found.pod, &self.dirs, &containers_of(found)))
            .collect();
        let paths = trees.iter().flatten().map(|tree| &*tree.path);
        self.scanner.watch(paths);
        for (trees, usage) in trees.iter().zip(usage) {
            if let Some(usage) = usage {
                add_disk_usage(usage, trees, &|tree| self.scanner.usage(tree));
            }
        }
    }
}

/// What a pod keeps on disk, and where.
fn trees(pod: &Pod, dirs: &PodDirs, containers: &[&ListedContainer]) -> Vec<PodTree> {
    let mut trees = pod_trees(pod, dirs);
    // Whose logs all lie elsewhere has none where a kubelet's pods have theirs.
    let elsewhere = |container: &&ListedContainer| {
        let log = container.log.as_deref();
        log.is_some_and(|log| !log.starts_with(&dirs.logs_dir))
    };
    if !containers.is_empty() && containers.iter().all(elsewhere) {
        trees.retain(|tree| !matches!(tree.kind, TreeKind::Log { .. }));
    }
    for container in containers {
        let name = &container.name;
        if let WritableLayer::Dir(path) = &container.layer {
            let container = name.clone();
            let kind = TreeKind::Layer { container };
            let path = path.to_path_buf();
            trees.push(PodTree { path, kind });
        }
        if let Some(path) = container.log.as_deref().and_then(log_dir)
            && trees.iter().all(|tree| !path.starts_with(&tree.path))
        {
            let container = Some(name.clone());
            let kind = TreeKind::Log { container };
            let path = path.to_path_buf();
            trees.push(PodTree { path, kind });
        }
    }
    trees
}

/// The directory of a log: what rotation made lies beside it.
fn log_dir(log: &Path) -> Option<&Path> {
    if log.extension().is_some_and(|extension| extension == "log") {
        log.parent()
    } else {
        Some(log)
    }
}

#[cfg(test)]
mod tests;
