use std::path::Path;

use evictd_pod::Pod;
use evictd_pod::usage::{ContainerUsage, PodUsage};
use evictd_runtime::{ContainerState, FoundPod, ListedContainer, WritableLayer};
use evictd_stats::{Dir, Hierarchies, Hierarchy, PodReader, PodSample};

/// All cgroups of a pod have vanished.
pub(super) struct Gone;

/// What a pod uses, summed over its cgroups; `None` when nothing of them could be
/// read.
pub(super) fn read(
    found: &FoundPod,
    containers: &[&ListedContainer],
    of: &Hierarchies,
    reader: &mut PodReader,
) -> Result<Option<PodUsage>, Gone> {
    let mut usage = PodUsage::default();
    let mut is_there = false;
    for cgroup in found.cgroups() {
        let Some(sample) = read_cgroup(cgroup, of, reader) else {
            continue;
        };
        is_there = true;
        usage.memory_working_set_bytes = sum(usage.memory_working_set_bytes, working_set(&sample));
        usage.process_count = sum(usage.process_count, sample.process_count);
    }
    if !is_there {
        return Err(Gone);
    }
    if usage.memory_working_set_bytes.is_none() && usage.process_count.is_none() {
        return Ok(None);
    }
    usage.containers = match containers {
        [] => only_container(&found.pod, usage.memory_working_set_bytes),
        containers => {
            let all = containers.iter();
            all.filter_map(|container| container_usage(container, of, reader))
                .collect()
        }
    };
    Ok(Some(usage))
}

/// Without a runtime nobody can tell which cgroup is which container, so only a
/// sole container is named.
fn only_container(pod: &Pod, memory: Option<u64>) -> Vec<ContainerUsage> {
    match pod.spec.containers.as_slice() {
        [only] => vec![ContainerUsage {
            name: only.name.clone(),
            memory_working_set_bytes: memory,
            ..ContainerUsage::default()
        }],
        _ => Vec::new(),
    }
}

/// What a container uses; one that has ended still holds its layer and its logs.
fn container_usage(
    container: &ListedContainer,
    of: &Hierarchies,
    reader: &mut PodReader,
) -> Option<ContainerUsage> {
    let mut usage = ContainerUsage {
        name: container.name.clone(),
        ..ContainerUsage::default()
    };
    if let WritableLayer::Used { bytes, inodes } = container.layer {
        (usage.rootfs_bytes, usage.rootfs_inodes) = (Some(bytes), inodes);
    }
    if container.state == ContainerState::Running {
        let cgroup = container.cgroup.as_deref()?;
        let sample = read_cgroup(cgroup, of, reader);
        usage.memory_working_set_bytes = sample.as_ref().and_then(working_set);
    }
    Some(usage)
}

fn working_set(sample: &PodSample) -> Option<u64> {
    Some(sample.memory.as_ref()?.working_set_bytes())
}

/// What is known of the two.
fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (known, None) | (None, known) => known,
    }
}

/// A cgroup's numbers; `None` when it is gone.
fn read_cgroup(cgroup: &Path, of: &Hierarchies, reader: &mut PodReader) -> Option<PodSample> {
    let open = |hierarchy: &Option<Hierarchy>| Dir::open(&hierarchy.as_ref()?.below(cgroup)).ok();
    let memory = open(&of.memory);
    let pids = open(&of.pids)
        .or_else(|| open(&of.unified))
        .or_else(|| open(&of.memory));
    if memory.is_none() && pids.is_none() {
        return None;
    }
    Some(reader.read(memory.as_ref(), pids.as_ref()))
}
