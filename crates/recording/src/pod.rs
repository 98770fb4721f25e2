//! What is recorded of a pod: what decisions are made by, in the Kubernetes JSON shape, and
//! nothing else. Labels and most annotations may be secrets, and decide nothing.

use evictd_node::pod::{Container, Medium, Pod, ResourceList, Resources, Volume, VolumeSource};
use serde_json::{Map, Value, json};

use crate::without_nothing::without_nothing;

/// The annotations by which a pod is critical, and the one that says why it is.
const DECIDING: [&str; 3] = [
    "kubernetes.io/config.source",
    "kubernetes.io/config.mirror",
    "evictd.protect",
];

/// The pod as [`Pod::from_json`] reads it.
pub(crate) fn to_json(pod: &Pod) -> Value {
    let annotations = pod.metadata.annotations.iter();
    let deciding: Value = annotations
        .filter(|(name, _)| DECIDING.contains(&name.as_str()))
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let spec = &pod.spec;
    let class = &spec.priority_class_name;
    let qos = pod.status.qos_class;
    without_nothing(json!({
        "metadata": {
            "name": pod.metadata.name,
            "namespace": pod.metadata.namespace,
            "uid": pod.metadata.uid,
            "annotations": unless_empty(deciding),
        },
        "spec": {
            "containers": containers(&spec.containers),
            "initContainers": containers(&spec.init_containers),
            "volumes": spec.volumes.iter().map(volume).collect::<Value>(),
            "overhead": spec.overhead.as_deref().map(list),
            "resources": spec.resources.as_deref().map(resources),
            "priority": spec.priority,
            "priorityClassName": (!class.is_empty()).then_some(class),
            "terminationGracePeriodSeconds": spec.termination_grace_period_seconds,
        },
        "status": qos.map(|class| json!({ "qosClass": class })),
    }))
}

fn unless_empty(object: Value) -> Option<Value> {
    let is_empty = object.as_object().is_some_and(Map::is_empty);
    (!is_empty).then_some(object)
}

fn containers(all: &[Container]) -> Value {
    let one = |container: &Container| {
        json!({
            "name": container.name,
            "resources": unless_empty(resources(&container.resources)),
            "restartPolicy": container.restart_policy,
        })
    };
    all.iter().map(one).collect()
}

fn resources(of: &Resources) -> Value {
    without_nothing(json!({
        "requests": unless_empty(list(&of.requests)),
        "limits": unless_empty(list(&of.limits)),
    }))
}

fn list(of: &ResourceList) -> Value {
    without_nothing(json!({
        "cpu": of.cpu,
        "memory": of.memory,
        "ephemeral-storage": of.ephemeral_storage,
        "inodes": of.inodes,
        // That there are any is all that is known of them.
        "hugepages-": of.huge_pages.then_some("0"),
    }))
}

fn volume(of: &Volume) -> Value {
    let (kind, source) = match &of.source {
        VolumeSource::EmptyDir { medium, size_limit } => {
            let medium = match medium {
                Medium::Default => None,
                Medium::Memory => Some("Memory"),
                Medium::Other => Some("Other"),
            };
            let source = json!({ "medium": medium, "sizeLimit": size_limit });
            ("emptyDir", source)
        }
        VolumeSource::HostPath { path } => ("hostPath", json!({ "path": path })),
        VolumeSource::ConfigMap => ("configMap", json!({})),
        VolumeSource::GitRepo => ("gitRepo", json!({})),
        VolumeSource::Other => ("", Value::Null),
    };
    json!({ "name": of.name, kind: source })
}
