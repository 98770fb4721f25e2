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
    let (pods, faults) = parse_each_pod(bytes);
    match faults.into_iter().next() {
        None => Ok(pods),
        Some(fault) => Err(fault),
    }
}

/// The pods of one manifest that can be used, and what is wrong with each of the others: a
/// document that cannot be read, or an item of a list that is no pod, costs none of the others.
/// A text longer than [`MAX_BYTES`] costs all.
#[must_use]
pub fn parse_each_pod(bytes: &[u8]) -> (Vec<Pod>, Vec<Error>) {
    let (mut pods, mut faults) = (Vec::new(), Vec::new());
    let mut number = 0_usize;
    for (line, text) in parts(bytes) {
        let documents = crate::yaml::parse_documents(text).unwrap_or_else(|mut error| {
            error.line = error.line.saturating_add(line);
            faults.push(Error::Text(error));
            vec![Value::Null]
        });
        for document in documents {
            number = number.saturating_add(1);
            if !document.is_null() {
                add_document(&mut pods, document, |error| {
                    faults.push(Error::Document { number, error });
                });
            }
        }
    }
    if pods.is_empty() && faults.is_empty() {
        faults.push(Error::Empty);
    }
    (pods, faults)
}

/// The documents of a text, each with how many lines stand before it. A line that begins with
/// `---` begins one wherever it stands, also within a text in quotes; what is too long to be
/// read is one.
fn parts(bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let (mut parts, mut begin, mut first_line) = (Vec::new(), 0_usize, 0_usize);
    if bytes.len() > MAX_BYTES {
        return vec![(0, bytes)];
    }
    // Directives belong to the document that they stand before.
    let (mut at, mut has_content) = (0_usize, false);
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if is_marker(line) && has_content {
            parts.extend(bytes.get(begin..at).map(|text| (first_line, text)));
            (begin, first_line) = (at, number);
        }
        has_content |= !matches!(line.trim_ascii().first(), None | Some(b'%' | b'#'));
        at = at.saturating_add(line.len());
    }
    parts.extend(bytes.get(begin..).map(|text| (first_line, text)));
    parts
}

fn is_marker(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"---");
    rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

fn add_document(pods: &mut Vec<Pod>, document: Value, mut fail: impl FnMut(Box<JsonError>)) {
    match kind(&document) {
        Ok(Some("Pod")) => match pod(document) {
            Ok(pod) => pods.push(pod),
            Err(error) => fail(error),
        },
        Ok(Some("List")) => add_items(pods, document, None, fail),
        Ok(Some("PodList")) => add_items(pods, document, Some("Pod"), fail),
        Ok(Some(other)) => fail(wrong_kind(other, "Pod, List or PodList")),
        Ok(None) => fail(JsonError::new(
            ".kind",
            "is missing: it must be Pod, List or PodList",
        )),
        Err(error) => fail(error),
    }
}

/// Adds the items of a list. The items of a `PodList` may leave out their kind.
fn add_items(
    pods: &mut Vec<Pod>,
    mut list: Value,
    default_kind: Option<&str>,
    mut fail: impl FnMut(Box<JsonError>),
) {
    let items = match list.get_mut("items").map(Value::take) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => return fail(JsonError::new(".items", "is not a list")),
    };
    for (index, item) in items.into_iter().enumerate() {
        let pod = kind(&item).and_then(|given| match given.or(default_kind) {
            Some("Pod") => Ok(()),
            Some(other) => Err(wrong_kind(other, "Pod")),
            None => Err(JsonError::new(".kind", "is missing: it must be Pod")),
        });
        match pod.and_then(|()| self::pod(item)) {
            Ok(pod) => pods.push(pod),
            Err(error) => fail(error.below(&format!(".items[{index}]"))),
        }
    }
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
