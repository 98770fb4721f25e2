//! The Kubernetes JSON shape.
//!
//! By hand rather than by derive, for two reasons: `null` must count as absent
//! everywhere, as in Go, and errors must say which field they mean. And from a
//! whole [`Value`], because a copy of all this for each kind of deserializer
//! would be large. Each reader fills in what holds the default: with one result
//! to pass on, not one for each field, it is half as long in the binary.

mod error;
mod read;
mod volume;

use alloc::collections::BTreeMap;
use alloc::string::String;

use crate::{QosClass, insert_text};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

pub use error::JsonError;
use error::Result;
use read::{Object, read_bool, read_boxed, read_i32, read_i64, read_quantity, read_text};

use crate::pod::{
    Container, Metadata, OwnerReference, Pod, ResourceList, Resources, Spec, Status, Toleration,
};

impl Pod {
    /// Reads the Kubernetes JSON shape: unknown fields are ignored, and `null`
    /// counts as absent. Feature `serde`.
    ///
    /// # Errors
    /// At the first field whose value has the wrong type or cannot be read.
    pub fn from_json(value: &Value) -> core::result::Result<Self, JsonError> {
        let mut pod = Self::default();
        match read_pod(value, &mut pod) {
            Ok(()) => Ok(pod),
            Err(error) => Err(*error),
        }
    }
}

impl<'de> Deserialize<'de> for Pod {
    /// As [`Pod::from_json`], with the whole pod read into a [`Value`] first.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> core::result::Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn read_pod(value: &Value, pod: &mut Pod) -> Result {
    let object = Object::of(value)?;
    object.read("metadata", &mut pod.metadata, read_metadata)?;
    object.read("spec", &mut pod.spec, read_spec)?;
    object.read("status", &mut pod.status, read_status)
}

fn read_metadata(value: &Value, metadata: &mut Metadata) -> Result {
    let object = Object::of(value)?;
    object.read("name", &mut metadata.name, read_text)?;
    object.read("namespace", &mut metadata.namespace, read_text)?;
    object.read("uid", &mut metadata.uid, read_text)?;
    object.read("annotations", &mut metadata.annotations, read_texts)?;
    object.read("labels", &mut metadata.labels, read_texts)?;
    let owners = &mut metadata.owner_references;
    object.read_list("ownerReferences", owners, read_owner)
}

/// Texts by key; `null` is the empty text.
fn read_texts(value: &Value, texts: &mut BTreeMap<String, String>) -> Result {
    let object = Object::of(value)?;
    for key in object.0.keys() {
        let mut text = String::new();
        object.read(key, &mut text, read_text)?;
        insert_text(texts, key.clone(), text);
    }
    Ok(())
}

fn read_owner(value: &Value, owner: &mut OwnerReference) -> Result {
    let object = Object::of(value)?;
    object.read("kind", &mut owner.kind, read_text)?;
    object.read("name", &mut owner.name, read_text)?;
    object.read("controller", &mut owner.controller, read_bool)
}

fn read_spec(value: &Value, spec: &mut Spec) -> Result {
    let object = Object::of(value)?;
    object.read_list("containers", &mut spec.containers, read_container)?;
    object.read_list("initContainers", &mut spec.init_containers, read_container)?;
    object.read_option("overhead", &mut spec.overhead, |value, overhead| {
        read_resource_list(value, overhead)
    })?;
    // Of nothing there is none.
    spec.overhead
        .take_if(|overhead| **overhead == ResourceList::default());
    object.read_option("resources", &mut spec.resources, |value, resources| {
        read_resources(value, resources)
    })?;
    object.read_list("volumes", &mut spec.volumes, volume::read_volume)?;
    object.read_option("priority", &mut spec.priority, read_i32)?;
    object.read(
        "priorityClassName",
        &mut spec.priority_class_name,
        read_text,
    )?;
    let grace = &mut spec.termination_grace_period_seconds;
    object.read_option("terminationGracePeriodSeconds", grace, read_i64)?;
    object.read_list("tolerations", &mut spec.tolerations, read_toleration)
}

fn read_status(value: &Value, status: &mut Status) -> Result {
    Object::of(value)?.read("qosClass", &mut status.qos_class, read_qos_class)
}

/// A QoS class; the empty text is none.
fn read_qos_class(value: &Value, class: &mut Option<QosClass>) -> Result {
    let mut name = String::new();
    read_text(value, &mut name)?;
    *class = QosClass::from_name(&name);
    if class.is_some() || name.is_empty() {
        Ok(())
    } else {
        Err(JsonError::new(format_args!("{name:?} is no QoS class")))
    }
}

fn read_container(value: &Value, container: &mut Container) -> Result {
    let object = Object::of(value)?;
    object.read("name", &mut container.name, read_text)?;
    object.read("resources", &mut container.resources, read_resources)?;
    object.read_option("restartPolicy", &mut container.restart_policy, read_text)
}

fn read_resources(value: &Value, resources: &mut Resources) -> Result {
    let object = Object::of(value)?;
    object.read("requests", &mut resources.requests, read_resource_list)?;
    object.read("limits", &mut resources.limits, read_resource_list)
}

fn read_resource_list(value: &Value, list: &mut ResourceList) -> Result {
    let object = Object::of(value)?;
    object.read("cpu", &mut list.cpu, read_boxed)?;
    object.read("memory", &mut list.memory, read_quantity)?;
    object.read("ephemeral-storage", &mut list.ephemeral_storage, read_boxed)?;
    object.read("inodes", &mut list.inodes, read_boxed)
}

fn read_toleration(value: &Value, toleration: &mut Toleration) -> Result {
    let object = Object::of(value)?;
    object.read("key", &mut toleration.key, read_text)?;
    object.read("operator", &mut toleration.operator, read_text)?;
    object.read("value", &mut toleration.value, read_text)?;
    object.read("effect", &mut toleration.effect, read_text)
}
