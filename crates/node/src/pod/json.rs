//! The Kubernetes JSON shape.
//!
//! By hand rather than by serde's derive: `null` must count as absent everywhere, as in
//! Go, and an error must name the path of its field, neither of which derive does.

mod error;
mod read;

use alloc::format;
use alloc::string::String;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

pub use error::JsonError;
use error::Result;
use read::{FromJson, Object, read_fields};

use crate::QosClass;
use crate::pod::{
    Container, Medium, Metadata, Pod, ResourceList, Resources, Spec, Status, Toleration, Volume,
    VolumeSource,
};

/// What the names of huge pages begin with; their size follows.
const HUGE_PAGES: &str = "hugepages-";

impl Pod {
    /// Reads the Kubernetes JSON shape: unknown fields are ignored, and `null`
    /// counts as absent. Feature `serde`.
    ///
    /// # Errors
    /// At the first field whose value has the wrong type or cannot be read.
    pub fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        let mut spec: Spec = object.get("spec")?;
        // Of nothing there is none.
        let nothing = ResourceList::default();
        spec.overhead = spec.overhead.filter(|overhead| **overhead != nothing);
        Ok(Self {
            metadata: object.get("metadata")?,
            spec,
            status: object.get("status")?,
        })
    }
}

impl<'de> Deserialize<'de> for Pod {
    /// As [`Pod::from_json`], with the whole pod read into a [`Value`] first.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> core::result::Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

read_fields!(Metadata {
    name: "name",
    namespace: "namespace",
    uid: "uid",
    annotations: "annotations",
    labels: "labels",
});

read_fields!(Spec {
    containers: "containers",
    init_containers: "initContainers",
    overhead: "overhead",
    resources: "resources",
    volumes: "volumes",
    priority: "priority",
    priority_class_name: "priorityClassName",
    termination_grace_period_seconds: "terminationGracePeriodSeconds",
    tolerations: "tolerations",
});

read_fields!(Container {
    name: "name",
    resources: "resources",
    restart_policy: "restartPolicy",
});

read_fields!(Resources {
    requests: "requests",
    limits: "limits",
});

impl FromJson for ResourceList {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        let mut named = object.0.iter().filter(|(_, amount)| !amount.is_null());
        Ok(Self {
            cpu: object.get("cpu")?,
            memory: object.get("memory")?,
            ephemeral_storage: object.get("ephemeral-storage")?,
            inodes: object.get("inodes")?,
            huge_pages: named.any(|(name, _)| name.starts_with(HUGE_PAGES)),
        })
    }
}

read_fields!(Toleration {
    key: "key",
    operator: "operator",
    value: "value",
    effect: "effect",
});

impl FromJson for Status {
    fn from_json(value: &Value) -> Result<Self> {
        let name: String = Object::of(value)?.get("qosClass")?;
        let qos_class = QosClass::from_name(&name);
        if qos_class.is_none() && !name.is_empty() {
            let error = JsonError::new("", format!("{name:?} is no QoS class"));
            return Err(error.below(".qosClass"));
        }
        Ok(Self { qos_class })
    }
}

impl FromJson for Volume {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        let mut volume = Self {
            name: object.get("name")?,
            source: VolumeSource::Other,
        };
        for (key, value) in object.0.iter().filter(|(_, value)| !value.is_null()) {
            let source = read_source(key, value);
            let source = source.map_err(|error| error.below(&format!(".{key}")))?;
            volume.source = source.unwrap_or(volume.source);
        }
        Ok(volume)
    }
}

/// The volume source under `key`; `None` for the many that eviction does not tell apart,
/// and for what is no source.
fn read_source(key: &str, value: &Value) -> Result<Option<VolumeSource>> {
    Ok(Some(match key {
        "emptyDir" => {
            let object = Object::of(value)?;
            let medium: String = object.get("medium")?;
            VolumeSource::EmptyDir {
                medium: Medium::from_name(&medium),
                size_limit: object.get("sizeLimit")?,
            }
        }
        "hostPath" => VolumeSource::HostPath {
            path: Object::of(value)?.get("path")?,
        },
        "configMap" => VolumeSource::ConfigMap,
        "gitRepo" => VolumeSource::GitRepo,
        _ => return Ok(None),
    }))
}
