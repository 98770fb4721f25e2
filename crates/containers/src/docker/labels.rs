//! What labels say about a container.

use alloc::collections::BTreeMap;
use alloc::string::String;

use evictd_node::pod::Metadata;

use crate::remote::is_read;

pub(super) const POD_UID: &str = "io.kubernetes.pod.uid";
pub(super) const POD_NAME: &str = "io.kubernetes.pod.name";
pub(super) const POD_NAMESPACE: &str = "io.kubernetes.pod.namespace";
pub(super) const CONTAINER_NAME: &str = "io.kubernetes.container.name";
pub(super) const CONTAINER_TYPE: &str = "io.kubernetes.docker.type";
pub(super) const SANDBOX_ID: &str = "io.kubernetes.sandbox.id";
pub(super) const COMPOSE_PROJECT: &str = "com.docker.compose.project";
const RESTART_COUNT: &str = "annotation.io.kubernetes.container.restartCount";
/// Annotations have no place of their own in Docker: dockershim and cri-dockerd
/// keep them among the labels.
const ANNOTATION: &str = "annotation.";

pub(super) type Labels = BTreeMap<String, String>;

/// A label; `None` where there is none or it is empty.
pub(super) fn label<'a>(labels: &'a Labels, key: &str) -> Option<&'a str> {
    let text = labels.get(key)?.as_str();
    (!text.is_empty()).then_some(text)
}

/// Whether it is a pod's sandbox: dockershim and cri-dockerd say so.
pub(super) fn is_sandbox(labels: &Labels) -> bool {
    label(labels, CONTAINER_TYPE) == Some("podsandbox")
        || label(labels, CONTAINER_NAME) == Some("POD")
}

/// How often its pod's container was started before, where labels tell.
pub(super) fn restart_count(labels: &Labels) -> Option<u32> {
    label(labels, RESTART_COUNT)?.parse().ok()
}

/// Adds what of the labels are annotations that somebody reads to those of a pod;
/// the first of a name stays.
pub(super) fn keep(from: Labels, metadata: &mut Metadata) {
    for (key, value) in from {
        if let Some(key) = key.strip_prefix(ANNOTATION).filter(|key| is_read(key))
            && !metadata.annotations.contains_key(key)
        {
            metadata.annotations.insert(key.into(), value);
        }
    }
}
