use evictd_node::pod::Pod;
use evictd_node::pod::usage::{ContainerUsage, PodUsage, VolumeUsage};
use evictd_node::{Filesystem, Layout, Signal, Usage};

/// Which parts of a pod's disk use lie on a filesystem.
#[derive(Clone, Copy)]
struct Parts {
    writable_layers: bool,
    logs_and_volumes: bool,
}

/// Which parts count for `signal` under `layout` (K: `buildSignalToRankFunc`;
/// acceptance rows 107 to 109). Images are shared and counted to no pod, so
/// on a split imagefs nothing does.
const fn parts(signal: Signal, layout: Layout) -> Parts {
    let (writable_layers, logs_and_volumes) = match (signal.filesystem(), layout) {
        (None, _) | (Some(Filesystem::Imagefs), Layout::SplitImagefs) => (false, false),
        (Some(Filesystem::Nodefs), Layout::DedicatedImagefs) => (false, true),
        (Some(_), Layout::DedicatedImagefs) => (true, false),
        (Some(_), Layout::OneFilesystem | Layout::SplitImagefs) => (true, true),
    };
    Parts {
        writable_layers,
        logs_and_volumes,
    }
}

/// How much of what `signal` watches the pod uses: bytes, inodes or processes.
/// A number that is missing counts as zero.
#[must_use]
pub fn measured(signal: Signal, layout: Layout, pod: &Pod, usage: &PodUsage) -> u64 {
    let parts = parts(signal, layout);
    match signal.usage() {
        Usage::Memory => usage.memory_working_set_bytes.unwrap_or(0),
        Usage::MemoryAndSwap => {
            let memory = usage.memory_working_set_bytes.unwrap_or(0);
            memory.saturating_add(usage.swap_bytes.unwrap_or(0))
        }
        Usage::Processes => usage.process_count.unwrap_or(0),
        Usage::Disk => {
            let layers_and_logs = |c: &ContainerUsage| (c.rootfs_bytes, c.logs_bytes);
            disk(parts, pod, usage, layers_and_logs, |v| v.used_bytes)
        }
        Usage::Inodes => {
            let layers_and_logs = |c: &ContainerUsage| (c.rootfs_inodes, c.logs_inodes);
            disk(parts, pod, usage, layers_and_logs, |v| v.inodes_used)
        }
    }
}

fn disk(
    parts: Parts,
    pod: &Pod,
    usage: &PodUsage,
    layer_and_logs: fn(&ContainerUsage) -> (Option<u64>, Option<u64>),
    volume: fn(&VolumeUsage) -> Option<u64>,
) -> u64 {
    let counted = |counts: bool, amount: Option<u64>| amount.filter(|_| counts).unwrap_or(0);
    let containers = usage.containers.iter().map(|container| {
        let (layer, logs) = layer_and_logs(container);
        counted(parts.writable_layers, layer).saturating_add(counted(parts.logs_and_volumes, logs))
    });
    let is_local = |name: &str| {
        pod.spec
            .volumes
            .iter()
            .any(|v| v.name == name && v.is_local())
    };
    let local = usage
        .volumes
        .iter()
        .filter(|stats| parts.logs_and_volumes && is_local(&stats.name));
    let volumes = local.map(|stats| volume(stats).unwrap_or(0));
    containers.chain(volumes).fold(0, u64::saturating_add)
}
