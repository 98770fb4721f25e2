use evictd_node::pod::Pod;
use evictd_node::pod::usage::{ContainerUsage, PodUsage, VolumeUsage};
use evictd_node::{Filesystem, Layout, Signal, Usage};

/// Which parts of a pod's disk use lie on the filesystem of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The writable layers of its containers.
    pub writable_layers: bool,
    /// The logs of its containers.
    pub logs: bool,
    /// Its local volumes.
    pub volumes: bool,
}

impl Measured {
    const ALL: Self = Self {
        writable_layers: true,
        logs: true,
        volumes: true,
    };
    const NODEFS_ALONE: Self = Self {
        writable_layers: false,
        logs: true,
        volumes: true,
    };
    const LAYERS: Self = Self {
        writable_layers: true,
        logs: false,
        volumes: false,
    };
    const NOTHING: Self = Self {
        writable_layers: false,
        logs: false,
        volumes: false,
    };

    /// What counts for `signal` under `layout` (K: `buildSignalToRankFunc`;
    /// acceptance rows 107 to 109). Images are shared and counted to no pod, so
    /// on a split imagefs nothing does.
    #[must_use]
    pub const fn of(signal: Signal, layout: Layout) -> Self {
        match (signal.filesystem(), layout) {
            (None, _) => Self::NOTHING,
            (Some(_), Layout::OneFilesystem) => Self::ALL,
            (Some(Filesystem::Nodefs), Layout::DedicatedImagefs) => Self::NODEFS_ALONE,
            (Some(_), Layout::DedicatedImagefs) => Self::LAYERS,
            (Some(Filesystem::Imagefs), Layout::SplitImagefs) => Self::NOTHING,
            (Some(_), Layout::SplitImagefs) => Self::ALL,
        }
    }
}

/// How much of what `signal` watches the pod uses: bytes, inodes or processes.
/// A number that is missing counts as zero.
#[must_use]
pub fn measured(signal: Signal, layout: Layout, pod: &Pod, usage: &PodUsage) -> u64 {
    let parts = Measured::of(signal, layout);
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
    parts: Measured,
    pod: &Pod,
    usage: &PodUsage,
    layer_and_logs: fn(&ContainerUsage) -> (Option<u64>, Option<u64>),
    volume: fn(&VolumeUsage) -> Option<u64>,
) -> u64 {
    let counted = |counts: bool, amount: Option<u64>| amount.filter(|_| counts).unwrap_or(0);
    let containers = usage.containers.iter().map(|container| {
        let (layer, logs) = layer_and_logs(container);
        counted(parts.writable_layers, layer).saturating_add(counted(parts.logs, logs))
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
        .filter(|stats| parts.volumes && is_local(&stats.name));
    let volumes = local.map(|stats| volume(stats).unwrap_or(0));
    containers.chain(volumes).fold(0, u64::saturating_add)
}
