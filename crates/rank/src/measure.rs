use evictd_node::{Layout, Resource, Signal};
use evictd_pod::{ContainerUsage, Pod, PodUsage};

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
    const ALL: Self = Self { writable_layers: true, logs: true, volumes: true };
    const NODEFS_ALONE: Self = Self { writable_layers: false, logs: true, volumes: true };
    const LAYERS: Self = Self { writable_layers: true, logs: false, volumes: false };
    const NOTHING: Self = Self { writable_layers: false, logs: false, volumes: false };

    /// What counts for `signal` under `layout` (K: `buildSignalToRankFunc`;
    /// acceptance rows 107 to 109). Images are shared and counted to no pod, so
    /// on a split imagefs nothing does.
    #[must_use]
    pub const fn of(signal: Signal, layout: Layout) -> Self {
        match (signal, layout) {
            (
                Signal::MemoryAvailable | Signal::AllocatableMemoryAvailable | Signal::PidAvailable,
                _,
            ) => Self::NOTHING,
            (_, Layout::OneFilesystem) => Self::ALL,
            (Signal::NodefsAvailable | Signal::NodefsInodesFree, Layout::DedicatedImagefs) => {
                Self::NODEFS_ALONE
            }
            (_, Layout::DedicatedImagefs) => Self::LAYERS,
            (Signal::ImagefsAvailable | Signal::ImagefsInodesFree, Layout::SplitImagefs) => {
                Self::NOTHING
            }
            (_, Layout::SplitImagefs) => Self::ALL,
        }
    }
}

/// How much of what `signal` watches the pod uses: bytes, inodes or processes.
/// A number that is missing counts as zero.
#[must_use]
pub fn measured(signal: Signal, layout: Layout, pod: &Pod, usage: &PodUsage) -> u64 {
    match signal.resource() {
        Resource::Memory => usage.memory_working_set_bytes.unwrap_or(0),
        Resource::Pids => usage.process_count.unwrap_or(0),
        Resource::EphemeralStorage => {
            let parts = [|c: &ContainerUsage| c.rootfs_bytes, |c| c.logs_bytes];
            disk(Measured::of(signal, layout), pod, usage, parts, |v| v.used_bytes)
        }
        Resource::Inodes => {
            let parts = [|c: &ContainerUsage| c.rootfs_inodes, |c| c.logs_inodes];
            disk(Measured::of(signal, layout), pod, usage, parts, |v| v.inodes_used)
        }
    }
}

fn disk(
    measured: Measured,
    pod: &Pod,
    usage: &PodUsage,
    [layer, logs]: [fn(&ContainerUsage) -> Option<u64>; 2],
    volume: fn(&evictd_pod::VolumeUsage) -> Option<u64>,
) -> u64 {
    let sum = |parts: fn(&ContainerUsage) -> Option<u64>, counts: bool| -> u64 {
        let each = usage.containers.iter().filter(|_| counts).filter_map(parts);
        each.fold(0, u64::saturating_add)
    };
    let is_local = |name: &str| pod.spec.volumes.iter().any(|v| v.name == name && v.is_local());
    let volumes = usage.volumes.iter().filter(|v| measured.volumes && is_local(&v.name));
    sum(layer, measured.writable_layers)
        .saturating_add(sum(logs, measured.logs))
        .saturating_add(volumes.filter_map(volume).fold(0, u64::saturating_add))
}
