//! What was measured of a pod.
//!
//! The numbers of the summary API's `PodStats` that eviction uses. `None` is
//! "not measured", never zero. With the feature `serde`, they have the field names of
//! that API in JSON (`memoryWorkingSetBytes`), and each may be absent.

use alloc::string::String;
use alloc::vec::Vec;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// What a pod uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct PodUsage {
    /// Bytes of memory without inactive file cache, of the pod's cgroup.
    pub memory_working_set_bytes: Option<u64>,
    /// Bytes of it in swap.
    pub swap_bytes: Option<u64>,
    /// How it stalls the others; `None` where that is not known since a look before.
    pub stalls: Option<Stalls>,
    /// Processes, summed over the containers.
    pub process_count: Option<u64>,
    /// Bytes of local disk: writable layers, logs, local volumes, hosts file.
    pub ephemeral_storage_bytes: Option<u64>,
    /// Something that the pod keeps on disk could not be read: what its containers and
    /// volumes hold there is at least the numbers below.
    pub disk_in_part: bool,
    /// Only its cgroup describes it so far, and a container runtime that may do so has not
    /// answered: it may be of any priority.
    pub undescribed: bool,
    /// Each container, in the order they were reported.
    pub containers: Vec<ContainerUsage>,
    /// Each volume, in the order they were reported.
    pub volumes: Vec<VolumeUsage>,
    /// What is mounted into its containers where these may write, and is none of the above.
    pub mounts: Vec<MountUsage>,
}

/// What a pod takes from the others on a machine that loses time waiting for memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct Stalls {
    /// Bytes that it reads back in a second; `None` where the kernel does not count them.
    pub reads_back_bytes: Option<u64>,
    /// Bytes of memory and swap that it gains in a second.
    pub gains_bytes: u64,
}

impl Stalls {
    /// Both together.
    #[must_use]
    pub fn bytes(self) -> u64 {
        let read_back = self.reads_back_bytes.unwrap_or(0);
        read_back.saturating_add(self.gains_bytes)
    }
}

/// What a container uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct ContainerUsage {
    /// The container's name.
    pub name: String,
    /// Bytes of memory without inactive file cache.
    pub memory_working_set_bytes: Option<u64>,
    /// Bytes of its writable layer.
    pub rootfs_bytes: Option<u64>,
    /// Inodes of its writable layer.
    pub rootfs_inodes: Option<u64>,
    /// Bytes of its logs.
    pub logs_bytes: Option<u64>,
    /// Inodes of its logs.
    pub logs_inodes: Option<u64>,
    /// Whether its logs lie on the filesystem of its writable layer, as Docker keeps them,
    /// wherever that is.
    pub logs_beside_layer: bool,
}

/// What a volume holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct VolumeUsage {
    /// The volume's name in the pod.
    pub name: String,
    /// Bytes.
    pub used_bytes: Option<u64>,
    /// Inodes.
    pub inodes_used: Option<u64>,
}

/// What a directory or file holds that is mounted into a container: a volume of its runtime,
/// or a part of the node. It stays when the pod is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase", default))]
pub struct MountUsage {
    /// Where it lies on the node.
    pub path: String,
    /// Bytes.
    pub used_bytes: Option<u64>,
    /// Inodes.
    pub inodes_used: Option<u64>,
    /// Whether it lies on the filesystem of writable layers, and that is not the one of
    /// volumes and logs.
    pub beside_layers: bool,
}
