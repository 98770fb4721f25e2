//! The Kubernetes JSON shape.
//!
//! By hand rather than by derive, for two reasons: `null` must count as absent
//! everywhere, as in Go, and errors must say which field they mean. And from a
//! whole [`Value`], because a copy of all this for each kind of deserializer
//! would be large.

mod error;
mod read;
mod volume;

use alloc::collections::BTreeMap;
use alloc::string::String;

use evictd_node::QosClass;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

pub use error::JsonError;
use read::{Object, read_bool, read_i32, read_i64, read_quantity, read_text};

use crate::{
    Container, Metadata, OwnerReference, Pod, ResourceList, Resources, Spec, Status, Toleration,
};

impl Pod {
    /// Reads the Kubernetes JSON shape: unknown fields are ignored, and `null`
    /// counts as absent. Feature `serde`.
    ///
    /// # Errors
    /// At the first field whose value has the wrong type or cannot be read.
    pub fn from_json(value: &Value) -> Result<Self, JsonError> {
        let object = Object::of(value)?;
        Ok(Self {
            metadata: object.or_default("metadata", metadata)?,
            spec: object.or_default("spec", spec)?,
            status: object.or_default("status", status)?,
        })
    }
}

impl<'de> Deserialize<'de> for Pod {
    /// As [`Pod::from_json`], with the whole pod read into a [`Value`] first.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn metadata(value: &Value) -> Result<Metadata, JsonError> {
    let object = Object::of(value)?;
    Ok(Metadata {
        name: object.or_default("name", read_text)?,
        namespace: object.or_default("namespace", read_text)?,
        uid: object.or_default("uid", read_text)?,
        annotations: object.or_default("annotations", texts)?,
        labels: object.or_default("labels", texts)?,
        owner_references: object.list("ownerReferences", owner_reference)?,
    })
}

/// Texts by key; `null` is the empty text.
fn texts(value: &Value) -> Result<BTreeMap<String, String>, JsonError> {
    let object = Object::of(value)?;
    let keys = object.0.keys();
    keys.map(|key| Ok((key.clone(), object.or_default(key, read_text)?)))
        .collect()
}

fn owner_reference(value: &Value) -> Result<OwnerReference, JsonError> {
    let object = Object::of(value)?;
    Ok(OwnerReference {
        kind: object.or_default("kind", read_text)?,
        name: object.or_default("name", read_text)?,
        controller: object.or_default("controller", read_bool)?,
    })
}

fn spec(value: &Value) -> Result<Spec, JsonError> {
    let object = Object::of(value)?;
    Ok(Spec {
        containers: object.list("containers", container)?,
        init_containers: object.list("initContainers", container)?,
        overhead: object.or_default("overhead", resource_list)?,
        resources: object.get("resources", resources)?,
        volumes: object.list("volumes", volume::volume)?,
        priority: object.get("priority", read_i32)?,
        priority_class_name: object.or_default("priorityClassName", read_text)?,
        termination_grace_period_seconds: object.get("terminationGracePeriodSeconds", read_i64)?,
        tolerations: object.list("tolerations", toleration)?,
    })
}

fn status(value: &Value) -> Result<Status, JsonError> {
    Ok(Status {
        qos_class: Object::of(value)?.or_default("qosClass", qos_class)?,
    })
}

/// A QoS class; the empty text is none.
fn qos_class(value: &Value) -> Result<Option<QosClass>, JsonError> {
    let name = read_text(value)?;
    match QosClass::from_name(&name) {
        None if !name.is_empty() => Err(JsonError::new(format_args!("{name:?} is no QoS class"))),
        class => Ok(class),
    }
}

fn container(value: &Value) -> Result<Container, JsonError> {
    let object = Object::of(value)?;
    Ok(Container {
        name: object.or_default("name", read_text)?,
        resources: object.or_default("resources", resources)?,
        restart_policy: object.get("restartPolicy", read_text)?,
    })
}

fn resources(value: &Value) -> Result<Resources, JsonError> {
    let object = Object::of(value)?;
    Ok(Resources {
        requests: object.or_default("requests", resource_list)?,
        limits: object.or_default("limits", resource_list)?,
    })
}

fn resource_list(value: &Value) -> Result<ResourceList, JsonError> {
    let object = Object::of(value)?;
    Ok(ResourceList {
        cpu: object.get("cpu", read_quantity)?,
        memory: object.get("memory", read_quantity)?,
        ephemeral_storage: object.get("ephemeral-storage", read_quantity)?,
        inodes: object.get("inodes", read_quantity)?,
    })
}

fn toleration(value: &Value) -> Result<Toleration, JsonError> {
    let object = Object::of(value)?;
    Ok(Toleration {
        key: object.or_default("key", read_text)?,
        operator: object.or_default("operator", read_text)?,
        value: object.or_default("value", read_text)?,
        effect: object.or_default("effect", read_text)?,
    })
}
