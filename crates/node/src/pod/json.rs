//! The Kubernetes JSON shape.
//!
//! By hand rather than by serde's derive: `null` must count as absent everywhere, as in
//! Go, and an error must name the path of its field, neither of which derive does.

mod error;
mod read;

use alloc::string::String;
use alloc::vec::Vec;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

pub use error::JsonError;
use error::Result;
use read::{FromJson, Object};

use crate::QosClass;
use crate::pod::{
    Container, Medium, Metadata, OwnerReference, Pod, ResourceList, Resources, Spec, Status,
    Toleration, Volume, VolumeSource,
};

impl Pod {
    /// Reads the Kubernetes JSON shape: unknown fields are ignored, and `null`
    /// counts as absent. Feature `serde`.
    ///
    /// # Errors
    /// At the first field whose value has the wrong type or cannot be read.
    pub fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        Ok(Self {
            metadata: object.get("metadata")?,
            spec: object.get("spec")?,
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

impl FromJson for Metadata {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        Ok(Self {
            name: object.get("name")?,
            namespace: object.get("namespace")?,
            uid: object.get("uid")?,
            annotations: object.get("annotations")?,
            labels: object.get("labels")?,
            owner_references: object.get::<Vec<_>>("ownerReferences")?.into(),
        })
    }
}

impl FromJson for OwnerReference {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        Ok(Self {
            kind: object.get("kind")?,
            name: object.get("name")?,
            controller: object.get("controller")?,
        })
    }
}

impl FromJson for Spec {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        let overhead: Option<ResourceList> = object.get("overhead")?;
        Ok(Self {
            containers: object.get("containers")?,
            init_containers: object.get("initContainers")?,
            // Of nothing there is none.
            overhead: overhead
                .filter(|overhead| *overhead != ResourceList::default())
                .map(Into::into),
            resources: object.get("resources")?,
            volumes: object.get("volumes")?,
            priority: object.get("priority")?,
            priority_class_name: object.get("priorityClassName")?,
            termination_grace_period_seconds: object.get("terminationGracePeriodSeconds")?,
            tolerations: object.get::<Vec<_>>("tolerations")?.into(),
        })
    }
}

impl FromJson for Status {
    fn from_json(value: &Value) -> Result<Self> {
        let name: String = Object::of(value)?.get("qosClass")?;
        let qos_class = QosClass::from_name(&name);
        if qos_class.is_none() && !name.is_empty() {
            let error = JsonError::new(format_args!("{name:?} is no QoS class"));
            return Err(error.below(format_args!(".qosClass")));
        }
        Ok(Self { qos_class })
    }
}

impl FromJson for Container {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        Ok(Self {
            name: object.get("name")?,
            resources: object.get("resources")?,
            restart_policy: object.get("restartPolicy")?,
        })
    }
}

impl FromJson for Resources {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        Ok(Self {
            requests: object.get("requests")?,
            limits: object.get("limits")?,
        })
    }
}

impl FromJson for ResourceList {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        Ok(Self {
            cpu: object.get("cpu")?,
            memory: object.get("memory")?,
            ephemeral_storage: object.get("ephemeral-storage")?,
            inodes: object.get("inodes")?,
        })
    }
}

impl FromJson for Toleration {
    fn from_json(value: &Value) -> Result<Self> {
        let object = Object::of(value)?;
        Ok(Self {
            key: object.get("key")?,
            operator: object.get("operator")?,
            value: object.get("value")?,
            effect: object.get("effect")?,
        })
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
            let source = source.map_err(|error| error.below(format_args!(".{key}")))?;
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
        "secret" => VolumeSource::Secret,
        "downwardAPI" => VolumeSource::DownwardApi,
        "projected" => VolumeSource::Projected,
        "persistentVolumeClaim" => VolumeSource::PersistentVolumeClaim,
        _ => return Ok(None),
    }))
}
