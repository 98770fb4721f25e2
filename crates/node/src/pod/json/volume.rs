use alloc::string::String;

use serde_json::Value;

use super::error::Result;
use super::read::{Object, read_quantity, read_text};
use crate::pod::{Medium, Volume, VolumeSource};

pub(super) fn read_volume(value: &Value, volume: &mut Volume) -> Result {
    let object = Object::of(value)?;
    object.read("name", &mut volume.name, read_text)?;
    for key in object.0.keys() {
        object.read_source(key, &mut volume.source)?;
    }
    Ok(())
}

impl Object<'_> {
    /// Reads the volume source under `key`. `null` is none, and the many sources
    /// that eviction does not tell apart are left out.
    fn read_source(&self, key: &str, source: &mut VolumeSource) -> Result {
        let plain = match key {
            "emptyDir" => return self.read(key, source, read_empty_dir),
            "hostPath" => return self.read(key, source, read_host_path),
            "configMap" => VolumeSource::ConfigMap,
            "gitRepo" => VolumeSource::GitRepo,
            "secret" => VolumeSource::Secret,
            "downwardAPI" => VolumeSource::DownwardApi,
            "projected" => VolumeSource::Projected,
            "persistentVolumeClaim" => VolumeSource::PersistentVolumeClaim,
            _ => return Ok(()),
        };
        if self.get(key).is_some() {
            *source = plain;
        }
        Ok(())
    }
}

fn read_empty_dir(value: &Value, source: &mut VolumeSource) -> Result {
    let object = Object::of(value)?;
    let mut medium = String::new();
    object.read("medium", &mut medium, read_text)?;
    let mut size_limit = None;
    object.read("sizeLimit", &mut size_limit, read_quantity)?;
    *source = VolumeSource::EmptyDir {
        medium: Medium::from_name(&medium),
        size_limit,
    };
    Ok(())
}

fn read_host_path(value: &Value, source: &mut VolumeSource) -> Result {
    let mut path = String::new();
    Object::of(value)?.read("path", &mut path, read_text)?;
    *source = VolumeSource::HostPath { path };
    Ok(())
}
