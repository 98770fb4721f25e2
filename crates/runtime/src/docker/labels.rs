//! What labels say about a container.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use evictd_docker::clean;
use evictd_quantity::Quantity;

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

const PRIORITY: &str = "evictd.priority";
const MEMORY_REQUEST: &str = "evictd.memory-request";
const PROTECT: &str = "evictd.protect";

/// The priority of what is protected: the least that makes a pod critical.
const PROTECTED: i32 = 2_000_000_000;

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

/// Labels, and what of them are annotations of the pod.
pub(super) fn split_annotations(from: &Labels, labels: &mut Labels, annotations: &mut Labels) {
    for (key, value) in from {
        let (kept, key) = match key.strip_prefix(ANNOTATION) {
            Some(key) => (&mut *annotations, key),
            None => (&mut *labels, key.as_str()),
        };
        if !kept.contains_key(key) {
            kept.insert(key.into(), value.clone());
        }
    }
}

/// What an operator asks of evictd by labels.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Wishes {
    pub(super) priority: Option<i32>,
    pub(super) memory_request: Option<Quantity>,
}

/// Reads them; what makes no sense goes into `notes` and counts as not there.
pub(super) fn read_wishes(labels: &Labels, who: &str, notes: &mut Vec<String>) -> Wishes {
    let mut odd = |key: &str, value: &str, right: &str| {
        let (who, value) = (clean(who), clean(value));
        notes.push(format!("{who}: label {key}={value} is ignored: {right}"));
    };
    let mut wishes = Wishes::default();
    if let Some(text) = labels.get(PRIORITY) {
        wishes.priority = text.parse().ok();
        if wishes.priority.is_none() {
            odd(PRIORITY, text, "not a whole number of 32 bits");
        }
    }
    if let Some(text) = labels.get(MEMORY_REQUEST) {
        let quantity = Quantity::parse(text.as_bytes()).ok();
        wishes.memory_request = quantity.filter(|quantity| quantity.signum() >= 0);
        if wishes.memory_request.is_none() {
            odd(MEMORY_REQUEST, text, "not a quantity such as 64Mi");
        }
    }
    match labels.get(PROTECT).map(String::as_str) {
        Some("true") => wishes.priority = wishes.priority.max(Some(PROTECTED)),
        None | Some("false") => {}
        Some(text) => odd(PROTECT, text, "neither true nor false"),
    }
    wishes
}
