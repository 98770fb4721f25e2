use evictd_node::pod::Pod;
use evictd_node::pod::usage::{ContainerUsage, MountUsage, PodUsage, VolumeUsage};
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

/// How much of what `signal` watches the pod uses: bytes, inodes or processes; `None`
/// where none of the numbers that count is known.
///
/// Where only some are known it is what these come to, so the pod uses
/// at least that.
#[must_use]
pub fn measured(signal: Signal, layout: Layout, pod: &Pod, usage: &PodUsage) -> Option<u64> {
    let parts = parts(signal, layout);
    let counts_nothing = !parts.writable_layers && !parts.logs_and_volumes;
    match signal.usage() {
        Usage::Disk | Usage::Inodes if counts_nothing => Some(0), // which is known
        Usage::Memory => usage.memory_working_set_bytes,
        Usage::MemoryAndSwap => sum([usage.memory_working_set_bytes, usage.swap_bytes]),
        Usage::Processes => usage.process_count,
        Usage::Disk => {
            let layers_and_logs = |c: &ContainerUsage| (c.rootfs_bytes, c.logs_bytes);
            let own = own(parts, pod, usage, layers_and_logs, |v| v.used_bytes);
            sum(own.chain(mounted(parts, usage, |m| m.used_bytes)))
        }
        Usage::Inodes => {
            let layers_and_logs = |c: &ContainerUsage| (c.rootfs_inodes, c.logs_inodes);
            let own = own(parts, pod, usage, layers_and_logs, |v| v.inodes_used);
            sum(own.chain(mounted(parts, usage, |m| m.inodes_used)))
        }
    }
}

/// Whether the pod may use more than is [`measured`]: reading the rest failed.
pub(crate) const fn is_in_part(signal: Signal, usage: &PodUsage) -> bool {
    match signal.usage() {
        Usage::Memory | Usage::Processes => false,
        Usage::MemoryAndSwap => usage.swap_bytes.is_none(),
        Usage::Disk | Usage::Inodes => usage.disk_in_part,
    }
}

/// What a pod keeps in its own places.
fn own<'a>(
    parts: Parts,
    pod: &'a Pod,
    usage: &'a PodUsage,
    layer_and_logs: fn(&ContainerUsage) -> (Option<u64>, Option<u64>),
    volume: fn(&VolumeUsage) -> Option<u64>,
) -> impl Iterator<Item = Option<u64>> + 'a {
    let containers = usage.containers.iter().flat_map(move |container| {
        let (layer, logs) = layer_and_logs(container);
        let counts_logs = if container.logs_beside_layer {
            parts.writable_layers
        } else {
            parts.logs_and_volumes
        };
        [
            layer.filter(|_| parts.writable_layers),
            logs.filter(|_| counts_logs),
        ]
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
        .filter(move |stats| parts.logs_and_volumes && is_local(&stats.name));
    containers.chain(local.map(volume))
}

/// What it may write to elsewhere.
fn mounted(
    parts: Parts,
    usage: &PodUsage,
    of: fn(&MountUsage) -> Option<u64>,
) -> impl Iterator<Item = Option<u64>> {
    let lies_there = move |mount: &&MountUsage| {
        if mount.beside_layers {
            parts.writable_layers
        } else {
            parts.logs_and_volumes
        }
    };
    usage.mounts.iter().filter(lies_there).map(of)
}

/// What is known of them; `None` where nothing is.
fn sum(amounts: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    amounts.into_iter().flatten().reduce(u64::saturating_add)
}
