use alloc::string::String;
use core::fmt;

use evictd_quantity::Quantity;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{Amount, field};
use crate::{Medium, Volume, VolumeSource};

impl<'de> Deserialize<'de> for Volume {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Volume;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Volume, A::Error> {
                let mut volume = Volume::default();
                while let Some(key) = map.next_key::<String>()? {
                    if key == "name" {
                        volume.name = field(&mut map, &key)?.unwrap_or_default();
                    } else if let Some(source) = source(&mut map, &key)? {
                        volume.source = source;
                    }
                }
                Ok(volume)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// The volume source under `key`; none for `null` and for the many sources that
/// eviction does not tell apart.
fn source<'de, A: MapAccess<'de>>(
    map: &mut A,
    key: &str,
) -> Result<Option<VolumeSource>, A::Error> {
    let source = match key {
        "emptyDir" => {
            return Ok(
                field::<EmptyDir, _>(map, key)?.map(|dir| VolumeSource::EmptyDir {
                    medium: Medium::from_name(&dir.medium),
                    size_limit: dir.size_limit,
                }),
            );
        }
        "hostPath" => {
            return Ok(field::<HostPath, _>(map, key)?
                .map(|host| VolumeSource::HostPath { path: host.path }));
        }
        "configMap" => VolumeSource::ConfigMap,
        "gitRepo" => VolumeSource::GitRepo,
        "secret" => VolumeSource::Secret,
        "downwardAPI" => VolumeSource::DownwardApi,
        "projected" => VolumeSource::Projected,
        "persistentVolumeClaim" => VolumeSource::PersistentVolumeClaim,
        _ => return Ok(field::<IgnoredAny, _>(map, key)?.and(None)),
    };
    Ok(field::<IgnoredAny, _>(map, key)?.map(|_| source))
}

#[derive(Default)]
struct EmptyDir {
    medium: String,
    size_limit: Option<Quantity>,
}

object!(EmptyDir {
    "medium" => medium,
    "sizeLimit" => size_limit as quantity,
});

#[derive(Default)]
struct HostPath {
    path: String,
}

object!(HostPath {
    "path" => path,
});
