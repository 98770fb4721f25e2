//! The documents of `/stats/summary`, field for field as Kubernetes has them
//! (`k8s.io/kubelet/pkg/apis/stats/v1alpha1`). What is not known is left out, as there.

use serde::Serialize;

/// All of it.
#[derive(Serialize)]
pub(crate) struct Summary {
    pub(crate) node: NodeStats,
    pub(crate) pods: Vec<PodStats>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeStats {
    pub(crate) node_name: String,
    pub(crate) start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cpu: Option<CpuStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<MemoryStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fs: Option<FsStats>,
    pub(crate) runtime: RuntimeStats,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rlimit: Option<RlimitStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) swap: Option<SwapStats>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RuntimeStats {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) image_fs: Option<FsStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) container_fs: Option<FsStats>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PodStats {
    pub(crate) pod_ref: PodReference,
    pub(crate) start_time: Option<String>,
    pub(crate) containers: Vec<ContainerStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cpu: Option<CpuStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<MemoryStats>,
    #[serde(rename = "volume", skip_serializing_if = "Vec::is_empty")]
    pub(crate) volumes: Vec<VolumeStats>,
    #[serde(rename = "ephemeral-storage", skip_serializing_if = "Option::is_none")]
    pub(crate) ephemeral_storage: Option<FsStats>,
    #[serde(rename = "process_stats", skip_serializing_if = "Option::is_none")]
    pub(crate) process_stats: Option<ProcessStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) swap: Option<SwapStats>,
}

#[derive(Serialize)]
pub(crate) struct PodReference {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) uid: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContainerStats {
    pub(crate) name: String,
    pub(crate) start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cpu: Option<CpuStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<MemoryStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rootfs: Option<FsStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) logs: Option<FsStats>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CpuStats {
    pub(crate) time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage_nano_cores: Option<u64>,
    pub(crate) usage_core_nano_seconds: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryStats {
    pub(crate) time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) available_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) working_set_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rss_bytes: Option<u64>,
}

#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FsStats {
    pub(crate) time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) available_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) capacity_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) used_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inodes_free: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inodes_used: Option<u64>,
}

#[derive(Serialize)]
pub(crate) struct VolumeStats {
    #[serde(flatten)]
    pub(crate) fs: FsStats,
    pub(crate) name: String,
}

#[derive(Serialize)]
pub(crate) struct RlimitStats {
    pub(crate) time: String,
    pub(crate) maxpid: u64,
    pub(crate) curproc: u64,
}

#[derive(Serialize)]
pub(crate) struct ProcessStats {
    pub(crate) process_count: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SwapStats {
    pub(crate) time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) swap_available_bytes: Option<u64>,
    pub(crate) swap_usage_bytes: u64,
}
