use evictd_node::pod::{JsonError, Pod};
use serde_json::Value;

use crate::Error;
use crate::defaults::{complete, give_volumes_a_source};

/// The longest manifest that is read, in bytes.
pub const MAX_BYTES: usize = crate::yaml::MAX_BYTES;

/// The pods in the bytes of one manifest.
///
/// Each document is a `Pod`, or a `List` or `PodList` of them. Unknown fields are
/// ignored and `null` counts as absent. As the API server would:
///
/// - the namespace defaults to `default`;
/// - a container's requests default to its limits, one by one;
/// - where the pod as a whole has limits (`spec.resources`), its requests default to what
///   its containers request together, else to its own limits;
/// - a volume without a source is an `emptyDir`;
/// - the termination grace period defaults to 30 seconds;
/// - the classes `system-node-critical` and `system-cluster-critical` give their
///   priorities, where `priority` is not given.
///
/// A pod without a uid gets `NAMESPACE_NAME`, which no other pod of the node can
/// have: it is the same after a restart, and names hold no underscore.
///
/// # Errors
/// When the text cannot be read, when nothing is in it, when a document is
/// neither of these kinds, when a field has the wrong type, and when the name is
/// missing, or the name, namespace or uid could not be one in Kubernetes (they
/// become part of paths).
pub fn parse_pods(bytes: &[u8]) -> Result<Vec<Pod>, Error> {
    let mut pods = Vec::new();
    let documents = crate::yaml::parse_documents(bytes).map_err(Error::Text)?;
    for (number, document) in (1..).zip(documents) {
        if !document.is_null() {
            let added = add_document(&mut pods, document);
            added.map_err(|error| Error::Document { number, error })?;
        }
    }
    if pods.is_empty() {
        return Err(Error::Empty);
    }
    Ok(pods)
}

fn add_document(pods: &mut Vec<Pod>, document: Value) -> Result<(), Box<JsonError>> {
    match kind(&document)? {
        Some("Pod") => pods.push(pod(document)?),
        Some("List") => add_items(pods, document, None)?,
        Some("PodList") => add_items(pods, document, Some("Pod"))?,
        Some(other) => return Err(wrong_kind(other, "Pod, List or PodList")),
        None => {
            return Err(JsonError::new(
                ".kind",
                "is missing: it must be Pod, List or PodList",
            ));
        }
    }
    Ok(())
}

/// Adds the items of a list. The items of a `PodList` may leave out their kind.
fn add_items(
    pods: &mut Vec<Pod>,
    mut list: Value,
    default_kind: Option<&str>,
) -> Result<(), Box<JsonError>> {
    let items = match list.get_mut("items").map(Value::take) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(JsonError::new(".items", "is not a list")),
    };
    for (index, item) in items.into_iter().enumerate() {
        let pod = kind(&item).and_then(|given| match given.or(default_kind) {
            Some("Pod") => Ok(()),
            Some(other) => Err(wrong_kind(other, "Pod")),
            None => Err(JsonError::new(".kind", "is missing: it must be Pod")),
        });
        let pod = pod.and_then(|()| self::pod(item));
        pods.push(pod.map_err(|error| error.below(&format!(".items[{index}]")))?);
    }
    Ok(())
}

/// The kind of an object whose `apiVersion`, where it has one, is `v1`.
fn kind(object: &Value) -> Result<Option<&str>, Box<JsonError>> {
    if !object.is_object() {
        return Err(JsonError::new("", "is not an object"));
    }
    let text = |key: &str| match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
        Some(_) => Err(JsonError::new(&format!(".{key}"), "is not a string")),
    };
    let kind = text("kind")?;
    match text("apiVersion")? {
        None | Some("v1") => Ok(kind),
        Some(other) => Err(JsonError::new(
            ".apiVersion",
            format!(
                "is {other:?} (kind {:?}): it must be v1",
                kind.unwrap_or("")
            ),
        )),
    }
}

fn wrong_kind(kind: &str, wanted: &str) -> Box<JsonError> {
    JsonError::new(".kind", format!("is {kind:?}: it must be {wanted}"))
}

fn pod(mut object: Value) -> Result<Pod, Box<JsonError>> {
    give_volumes_a_source(&mut object);
    let mut pod = Pod::from_json(&object)?;
    complete(&mut pod)?;
    Ok(pod)
}

#[cfg(test)]
mod tests;
