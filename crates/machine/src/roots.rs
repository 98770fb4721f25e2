//! What is odd about where pods are looked for on this machine.

use core::ops::ControlFlow;
use std::path::Path;

use evictd_config::{PodSources, Warning};
use evictd_pods::Pods;
use evictd_stats::{Hierarchies, Hierarchy, each_child};
use rustix::fd::AsFd;

/// A line for each root that cannot be right, and for services that are not found.
pub fn warnings(sources: &PodSources, pods: &Pods) -> Vec<Warning> {
    let roots = sources.cgroup_roots.iter();
    let odd = |root| about(root, pods.hierarchies());
    let mut found: Vec<Warning> = roots.filter_map(|root| odd(root)).collect();
    if let Some(of) = sources.of_services
        && !pods.has_services()
    {
        let line = format!(
            "--pods-of: no service of {of} is in a cgroup of its own, but for the system's own"
        );
        found.push(line.into());
    }
    found
}

fn about(root: &Path, hierarchies: &Hierarchies) -> Option<Warning> {
    let Hierarchies {
        memory,
        pids,
        unified,
        freezer,
        ..
    } = hierarchies;
    let all = [memory, pids, unified, freezer];
    let hierarchy = all.into_iter().flatten().next()?;
    let shown = format!("--pod-cgroup-root=/{}", root.display());
    let dir = hierarchy.below(root);
    let mounts = all.into_iter().flatten().map(|of| of.mount_point.as_path());
    let mut mounts = mounts.chain([Path::new("/sys/fs/cgroup")]);
    let inner = mounts.find_map(|mount| root.strip_prefix(mount.strip_prefix("/").ok()?).ok());
    let line = if let Some(inner) = inner {
        let inner = inner.display();
        format!("{shown}: the path begins at the root of the hierarchies; write /{inner}")
    } else if !dir.is_dir() {
        let dir = dir.display();
        format!("{shown}: there is no {dir}; no pod is found there before it exists")
    } else if has_no_children(hierarchy, root) {
        format!("{shown}: it has no children; each child is a pod, and not the cgroup itself")
    } else {
        return None;
    };
    Some(line.into())
}

/// Not with `std::fs::read_dir`, which ends the program when closing fails.
fn has_no_children(hierarchy: &Hierarchy, root: &Path) -> bool {
    let dir = hierarchy.open(root).ok().flatten();
    dir.is_some_and(|dir| {
        let walked = each_child(dir.as_fd(), &mut |_| Ok(ControlFlow::Break(())));
        walked.is_ok_and(|walked| walked.is_continue())
    })
}
