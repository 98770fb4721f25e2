//! What is recorded of a pod: what decisions are made by, in the Kubernetes JSON shape, and
//! nothing else. Labels and most annotations may be secrets, and decide nothing.

use alloc::string::ToString;

use evictd_node::pod::{Container, Medium, Pod, ResourceList, Resources, Volume, VolumeSource};
use evictd_quantity::Quantity;
use serde_json::{Map, Value, json};

/// The annotations by which a pod is critical.
const DECIDING: [&str; 2] = ["kubernetes.io/config.source", "kubernetes.io/config.mirror"];

/// The pod as [`Pod::from_json`] reads it.
pub(crate) fn to_json(pod: &Pod) -> Value {
    let annotations = pod.metadata.annotations.iter();
    let deciding = annotations.filter(|(name, _)| DECIDING.contains(&name.as_str()));
    let annotations: Map<_, _> = deciding
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let spec = &pod.spec;
    let mut value = json!({
        "metadata": {
            "name": pod.metadata.name,
            "namespace": pod.metadata.namespace,
            "uid": pod.metadata.uid,
        },
        "spec": { "containers": containers(&spec.containers) },
    });
    put(
        &mut value,
        "/metadata",
        "annotations",
        some(Value::Object(annotations)),
    );
    let init_containers = containers(&spec.init_containers);
    put(&mut value, "/spec", "initContainers", some(init_containers));
    let volumes = spec.volumes.iter().map(volume).collect();
    put(&mut value, "/spec", "volumes", some(volumes));
    let overhead = spec.overhead.as_deref().map(list);
    put(&mut value, "/spec", "overhead", overhead);
    let own = spec.resources.as_deref().map(resources);
    put(&mut value, "/spec", "resources", own);
    put(
        &mut value,
        "/spec",
        "priority",
        spec.priority.map(Into::into),
    );
    let class = json!(spec.priority_class_name);
    put(&mut value, "/spec", "priorityClassName", some(class));
    let grace = spec.termination_grace_period_seconds.map(Into::into);
    put(&mut value, "/spec", "terminationGracePeriodSeconds", grace);
    let qos = pod
        .status
        .qos_class
        .map(|class| json!({ "qosClass": class.name() }));
    put(&mut value, "", "status", qos);
    value
}

/// A value that says something.
fn some(value: Value) -> Option<Value> {
    let is_empty = match &value {
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    (!is_empty).then_some(value)
}

/// Puts a field where there is something to put.
fn put(value: &mut Value, below: &str, name: &str, field: Option<Value>) {
    let object = value.pointer_mut(below).and_then(Value::as_object_mut);
    if let (Some(object), Some(field)) = (object, field) {
        object.insert(name.to_string(), field);
    }
}

fn containers(all: &[Container]) -> Value {
    let one = |container: &Container| {
        let mut value = json!({ "name": container.name });
        let resources = some(resources(&container.resources));
        put(&mut value, "", "resources", resources);
        let policy = container.restart_policy.as_deref();
        put(&mut value, "", "restartPolicy", policy.map(Into::into));
        value
    };
    all.iter().map(one).collect()
}

fn resources(of: &Resources) -> Value {
    let mut value = json!({});
    put(&mut value, "", "requests", some(list(&of.requests)));
    put(&mut value, "", "limits", some(list(&of.limits)));
    value
}

fn list(of: &ResourceList) -> Value {
    let mut value = json!({});
    let named = [
        ("cpu", &of.cpu),
        ("memory", &of.memory),
        ("ephemeral-storage", &of.ephemeral_storage),
        ("inodes", &of.inodes),
    ];
    let text = |quantity: &Quantity| json!(quantity.to_string());
    for (name, quantity) in named {
        put(&mut value, "", name, quantity.as_deref().map(text));
    }
    // That there are any is all that is known of them.
    put(
        &mut value,
        "",
        "hugepages-",
        of.huge_pages.then(|| json!("0")),
    );
    value
}

fn volume(of: &Volume) -> Value {
    let mut value = json!({ "name": of.name });
    let (kind, source) = match &of.source {
        VolumeSource::EmptyDir { medium, size_limit } => {
            let mut source = json!({});
            let medium = match medium {
                Medium::Default => None,
                Medium::Memory => Some("Memory"),
                Medium::Other => Some("Other"),
            };
            put(&mut source, "", "medium", medium.map(Into::into));
            let limit = size_limit.as_ref().map(|limit| json!(limit.to_string()));
            put(&mut source, "", "sizeLimit", limit);
            ("emptyDir", Some(source))
        }
        VolumeSource::HostPath { path } => ("hostPath", Some(json!({ "path": path }))),
        VolumeSource::ConfigMap => ("configMap", Some(json!({}))),
        VolumeSource::GitRepo => ("gitRepo", Some(json!({}))),
        VolumeSource::Other => ("", None),
    };
    put(&mut value, "", kind, source);
    value
}
