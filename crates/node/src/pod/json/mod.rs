//! The Kubernetes JSON shape.
//!
//! By hand rather than by serde's derive: `null` must count as absent everywhere, as in
//! Go, and an error must name the path of its field, neither of which derive does.

mod error;
mod read;

use alloc::format;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

pub use error::JsonError;
use error::Result;
use read::{Object, ReadJson, below, read_fields};

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
        let mut pod = Self::default();
        pod.read(value)?;
        // Of nothing there is none.
        let nothing = ResourceList::default();
        let overhead = &mut pod.spec.overhead;
        overhead.take_if(|overhead| **overhead == nothing);
        Ok(pod)
    }
}

impl<'de> Deserialize<'de> for Pod {
    /// As [`Pod::from_json`], with the whole pod read into a [`Value`] first.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> core::result::Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

read_fields!(Pod {
    spec: "spec",
    metadata: "metadata",
    status: "status",
});

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

impl ReadJson for ResourceList {
    fn read(&mut self, value: &Value) -> Result<()> {
        let object = Object::of(value)?;
        let mut named = object.0.iter().filter(|(_, amount)| !amount.is_null());
        self.huge_pages = named.any(|(name, _)| name.starts_with(HUGE_PAGES));
        object.read("cpu", &mut self.cpu)?;
        object.read("memory", &mut self.memory)?;
        object.read("ephemeral-storage", &mut self.ephemeral_storage)?;
        object.read("inodes", &mut self.inodes)
    }
}

read_fields!(Toleration {
    key: "key",
    operator: "operator",
    value: "value",
    effect: "effect",
});

impl ReadJson for Status {
    fn read(&mut self, value: &Value) -> Result<()> {
        let name = Object::of(value)?.text("qosClass")?;
        self.qos_class = QosClass::from_name(&name);
        if self.qos_class.is_none() && !name.is_empty() {
            let problem = format!("{name:?} is no QoS class");
            return Err(JsonError::new(".qosClass", problem));
        }
        Ok(())
    }
}

impl ReadJson for Volume {
    fn read(&mut self, value: &Value) -> Result<()> {
        let object = Object::of(value)?;
        object.read("name", &mut self.name)?;
        for (key, value) in object.0.iter().filter(|(_, value)| !value.is_null()) {
            let read = read_source(key, value, &mut self.source);
            below(&format!(".{key}"), read)?;
        }
        Ok(())
    }
}

/// The volume source under `key`. The many that eviction does not tell apart, and what is
/// no source, change nothing.
fn read_source(key: &str, value: &Value, source: &mut VolumeSource) -> Result<()> {
    *source = match key {
        "emptyDir" => {
            let object = Object::of(value)?;
            let medium = object.text("medium")?;
            let mut size_limit = None;
            object.read("sizeLimit", &mut size_limit)?;
            VolumeSource::EmptyDir {
                medium: Medium::from_name(&medium),
                size_limit,
            }
        }
        "hostPath" => VolumeSource::HostPath {
            path: Object::of(value)?.text("path")?,
        },
        "configMap" => VolumeSource::ConfigMap,
        "gitRepo" => VolumeSource::GitRepo,
        _ => return Ok(()),
    };
    Ok(())
}
