use serde_json::Value;

use super::JsonError;
use super::read::{Object, read_quantity, read_text};
use crate::{Medium, Volume, VolumeSource};

pub(super) fn volume(value: &Value) -> Result<Volume, JsonError> {
    let object = Object::of(value)?;
    let mut volume = Volume {
        name: object.or_default("name", read_text)?,
        source: VolumeSource::default(),
    };
    for key in object.0.keys() {
        if let Some(source) = source(&object, key)? {
            volume.source = source;
        }
    }
    Ok(volume)
}

/// The volume source under `key`; none for `null` and for the many sources that
/// eviction does not tell apart.
fn source(object: &Object<'_>, key: &str) -> Result<Option<VolumeSource>, JsonError> {
    let source = match key {
        "emptyDir" => return object.get(key, empty_dir),
        "hostPath" => return object.get(key, host_path),
        "configMap" => VolumeSource::ConfigMap,
        "gitRepo" => VolumeSource::GitRepo,
        "secret" => VolumeSource::Secret,
        "downwardAPI" => VolumeSource::DownwardApi,
        "projected" => VolumeSource::Projected,
        "persistentVolumeClaim" => VolumeSource::PersistentVolumeClaim,
        _ => return Ok(None),
    };
    let is_there = object.0.get(key).is_some_and(|value| !value.is_null());
    Ok(is_there.then_some(source))
}

fn empty_dir(value: &Value) -> Result<VolumeSource, JsonError> {
    let object = Object::of(value)?;
    Ok(VolumeSource::EmptyDir {
        medium: Medium::from_name(&object.or_default("medium", read_text)?),
        size_limit: object.get("sizeLimit", read_quantity)?,
    })
}

fn host_path(value: &Value) -> Result<VolumeSource, JsonError> {
    Ok(VolumeSource::HostPath {
        path: Object::of(value)?.or_default("path", read_text)?,
    })
}
