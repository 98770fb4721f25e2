//! Pods and their stats as the vectors give them.

use evictd_node::pod::Pod;
use evictd_node::pod::usage::{ContainerUsage, PodUsage, VolumeUsage};
use serde_json::Value;

use crate::case::{list, text};

/// One pod.
pub(crate) fn pod(value: &Value) -> Result<Pod, String> {
    Pod::from_json(value).map_err(|error| format!("pod: {error}"))
}

/// The pods of a list, which may be absent.
pub(crate) fn pods(value: &Value) -> Result<Vec<Pod>, String> {
    value.as_array().into_iter().flatten().map(pod).collect()
}

/// The uid of the pod that `stats` belong to.
pub(crate) fn uid_of(stats: &Value) -> &str {
    stats.get("podRef").map_or("", |pod| text(pod, "uid"))
}

/// Summary-API `PodStats`. Of a pod whose memory was measured without a working set the
/// kubelet says that it uses none; evictd knows no such measurement.
pub(crate) fn usage(stats: &Value) -> PodUsage {
    let memory = number(stats, &["memory", "workingSetBytes"]);
    let is_measured = stats.get("memory").is_some_and(Value::is_object);
    PodUsage {
        memory_working_set_bytes: memory.or(is_measured.then_some(0)),
        process_count: number(stats, &["process_stats", "process_count"]),
        ephemeral_storage_bytes: number(stats, &["ephemeral-storage", "usedBytes"]),
        containers: list(stats, "containers").iter().map(container).collect(),
        volumes: list(stats, "volume").iter().map(volume).collect(),
        ..PodUsage::default()
    }
}

fn container(stats: &Value) -> ContainerUsage {
    ContainerUsage {
        name: text(stats, "name").to_owned(),
        memory_working_set_bytes: number(stats, &["memory", "workingSetBytes"]),
        rootfs_bytes: number(stats, &["rootfs", "usedBytes"]),
        rootfs_inodes: number(stats, &["rootfs", "inodesUsed"]),
        logs_bytes: number(stats, &["logs", "usedBytes"]),
        logs_inodes: number(stats, &["logs", "inodesUsed"]),
        logs_beside_layer: false,
    }
}

fn volume(stats: &Value) -> VolumeUsage {
    VolumeUsage {
        name: text(stats, "name").to_owned(),
        used_bytes: number(stats, &["usedBytes"]),
        inodes_used: number(stats, &["inodesUsed"]),
    }
}

/// The number at the end of `path`, written as a number or as a string.
fn number(value: &Value, path: &[&str]) -> Option<u64> {
    let value = path.iter().try_fold(value, |value, key| value.get(key))?;
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
