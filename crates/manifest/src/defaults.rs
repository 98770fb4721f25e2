use alloc::boxed::Box;

use evictd_node::pod::{Container, JsonError, Pod, Requested, ResourceList, Resources};
use serde_json::{Value, json};

/// Seconds between SIGTERM and SIGKILL where the manifest has none.
const GRACE_PERIOD_SECONDS: i64 = 30;
/// The classes that every cluster has, with their priorities.
const SYSTEM_CLASSES: [(&str, i32); 2] = [
    ("system-cluster-critical", 2_000_000_000),
    ("system-node-critical", 2_000_001_000),
];
/// The most characters of a name.
const MAX_NAME: usize = 253;

/// Makes an `emptyDir` of each volume that has a name only.
pub(crate) fn give_volumes_a_source(pod: &mut Value) {
    let volumes = pod.pointer_mut("/spec/volumes");
    let volumes = volumes.and_then(Value::as_array_mut);
    let volumes = volumes.into_iter().flatten();
    for volume in volumes.filter_map(Value::as_object_mut) {
        let is_none = |(key, value): (&String, &Value)| key == "name" || value.is_null();
        if volume.iter().all(is_none) {
            volume.insert("emptyDir".to_owned(), json!({}));
        }
    }
}

/// Checks what identifies the pod and fills in what it leaves out.
pub(crate) fn complete(pod: &mut Pod) -> Result<(), Box<JsonError>> {
    identify(pod)?;
    let spec = &mut pod.spec;
    for container in spec.containers.iter_mut().chain(&mut spec.init_containers) {
        request_limits(&mut container.resources);
    }
    request_limits_of_the_whole(pod);
    let spec = &mut pod.spec;
    spec.termination_grace_period_seconds
        .get_or_insert(GRACE_PERIOD_SECONDS);
    if spec.priority.is_none() {
        let class = SYSTEM_CLASSES
            .iter()
            .find(|(name, _)| **name == *spec.priority_class_name);
        spec.priority = class.map(|(_, priority)| *priority);
    }
    Ok(())
}

fn identify(pod: &mut Pod) -> Result<(), Box<JsonError>> {
    let metadata = &mut pod.metadata;
    if metadata.name.is_empty() {
        return Err(JsonError::new(".metadata.name", "is missing"));
    }
    if metadata.namespace.is_empty() {
        "default".clone_into(&mut metadata.namespace);
    }
    for (path, name) in [
        (".metadata.name", &metadata.name),
        (".metadata.namespace", &metadata.namespace),
    ] {
        if !is_name(name) {
            let problem = format!(
                "{name:?} is no Kubernetes name: lower case letters, digits, '-' and '.', \
                 a letter or digit at both ends, at most {MAX_NAME}"
            );
            return Err(JsonError::new(path, problem));
        }
    }
    if metadata.uid.is_empty() {
        metadata.uid = format!("{}_{}", metadata.namespace, metadata.name);
    } else if !is_uid(&metadata.uid) {
        let problem = format!(
            "{:?} is no uid: letters, digits, '-', '_' and '.', a letter or digit first, \
             at most {MAX_NAME}",
            metadata.uid
        );
        return Err(JsonError::new(".metadata.uid", problem));
    }
    Ok(())
}

/// Whether it is a DNS subdomain in the wide sense: dots are not looked at
/// closely.
fn is_name(name: &str) -> bool {
    let edge = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= MAX_NAME
        && name.starts_with(edge)
        && name.ends_with(edge)
        && name.chars().all(|c| edge(c) || matches!(c, '-' | '.'))
}

fn is_uid(uid: &str) -> bool {
    uid.len() <= MAX_NAME
        && uid.starts_with(|c: char| c.is_ascii_alphanumeric())
        && uid
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Takes a limit for the request where there is none.
fn request_limits(resources: &mut Resources) {
    let Resources { requests, limits } = resources;
    for (request, limit) in [
        (&mut requests.memory, &limits.memory),
        (&mut requests.cpu, &limits.cpu),
        (&mut requests.ephemeral_storage, &limits.ephemeral_storage),
        (&mut requests.inodes, &limits.inodes),
    ] {
        if request.is_none() {
            request.clone_from(limit);
        }
    }
    requests.huge_pages |= limits.huge_pages;
}

/// Where the pod as a whole is limited, it requests what its containers request together, or
/// else its own limit (K: `defaultPodRequests`). Huge pages that a container may use are a
/// limit of the whole too, if it has anything of its own (K: `defaultHugePagePodLimits`).
fn request_limits_of_the_whole(pod: &mut Pod) {
    let together = [Requested::Cpu, Requested::Memory].map(|what| pod.aggregate_request(what));
    let may_use = |container: &Container| container.resources.limits.huge_pages;
    let has_huge_pages = pod.all_containers().any(may_use);
    let Some(whole) = pod.spec.resources.as_deref_mut() else {
        return;
    };
    let nothing = ResourceList::default();
    whole.limits.huge_pages |= has_huge_pages && *whole != Resources::default();
    let Resources { requests, limits } = whole;
    if *limits == nothing {
        return;
    }
    let [cpu, memory] = together;
    for (request, together, limit) in [
        (&mut requests.cpu, cpu, &limits.cpu),
        (&mut requests.memory, memory, &limits.memory),
    ] {
        let together = together.map(Box::new);
        *request = request.take().or(together).or_else(|| limit.clone());
    }
    requests.huge_pages |= limits.huge_pages;
}
