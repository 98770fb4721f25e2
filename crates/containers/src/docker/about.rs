//! What an engine says of itself.

use std::io::BufRead;

use super::answer::{MOST_PATH_BYTES, MOST_TEXT_BYTES, read_object};
use crate::Failure;
use evictd_json::{Json, ReadError, first};

/// The engine behind the API.
#[derive(Debug, Default)]
pub struct EngineVersion {
    /// `20.10.24+dfsg1`.
    pub version: String,
    /// The newest API that it speaks: `1.41`.
    api_version: Option<String>,
    /// `Docker Engine - Community`, `balenaEngine`, `linux/amd64/debian-12`; often empty.
    platform: Option<String>,
    /// The first component is the engine itself: `Engine`, `Podman Engine`.
    component: Option<String>,
}

/// How an engine is set up.
#[derive(Debug, Default)]
pub struct EngineInfo {
    /// The directory of all it keeps.
    pub docker_root_dir: String,
    /// What stores images and writable layers: `overlay2`.
    pub driver: String,
    is_in_containerd: bool,
}

/// Reads the answer to `GET /version`.
///
/// # Errors
/// When it names no version, neither of the engine nor of its API.
pub fn parse_version(stream: impl BufRead) -> Result<EngineVersion, Failure> {
    let (mut told, mut version) = (EngineVersion::default(), None);
    read_object(stream, |json, key| {
        match key {
            "Version" => first(&mut version, json.text(MOST_TEXT_BYTES)?),
            "ApiVersion" => first(&mut told.api_version, json.text(MOST_TEXT_BYTES)?),
            "Platform" => read_name(json, &mut told.platform)?,
            "Components" => {
                json.array(|json| read_name(json, &mut told.component))?;
            }
            _ => {}
        }
        Ok(())
    })?;
    let version = version.filter(|version| !version.is_empty());
    if version.is_none() && told.api_version.is_none() {
        return Err(Failure::malformed("neither Version nor ApiVersion"));
    }
    told.version = version.unwrap_or_else(|| "of an unknown version".to_owned());
    Ok(told)
}

fn read_name<R: BufRead>(json: &mut Json<R>, name: &mut Option<String>) -> Result<(), ReadError> {
    json.object(|json, key| {
        if key == "Name" {
            first(name, json.text(MOST_TEXT_BYTES)?);
        }
        Ok(())
    })?;
    Ok(())
}

/// Reads the answer to `GET /info`.
///
/// # Errors
/// When that is no object.
pub fn parse_info(stream: impl BufRead) -> Result<EngineInfo, Failure> {
    let (mut root, mut driver, mut is_in_containerd) = (None, None, false);
    read_object(stream, |json, key| {
        match key {
            "DockerRootDir" => first(&mut root, json.text(MOST_PATH_BYTES)?),
            "Driver" => first(&mut driver, json.text(MOST_TEXT_BYTES)?),
            "DriverStatus" => {
                json.array(|json| {
                    is_in_containerd |= names_containerd(json)?;
                    Ok(())
                })?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(EngineInfo {
        docker_root_dir: root.unwrap_or_default(),
        driver: driver.unwrap_or_default(),
        is_in_containerd,
    })
}

/// Whether a pair of words says that containerd stores the images.
fn names_containerd<R: BufRead>(json: &mut Json<R>) -> Result<bool, ReadError> {
    let (mut count, mut key, mut value) = (0_u8, None, None);
    json.array(|json| {
        match count {
            0 => key = json.text(MOST_TEXT_BYTES)?,
            1 => value = json.text(MOST_TEXT_BYTES)?,
            _ => {}
        }
        count = count.saturating_add(1);
        Ok(())
    })?;
    let is_type = key.is_some_and(|key| key == "driver-type");
    Ok(count == 2 && is_type && value.is_some_and(|value| value.contains("containerd")))
}

impl EngineVersion {
    /// The API that it speaks: major and minor number; zeros where it says none.
    #[must_use]
    pub fn api(&self) -> (u32, u32) {
        let told = self.api_version.as_deref().unwrap_or_default();
        let numbers = told.split_once('.').and_then(|(major, minor)| {
            let major = major.parse().ok()?;
            Some((major, minor.parse().ok()?))
        });
        numbers.unwrap_or_default()
    }

    /// Whether the engine calls itself so, in small letters.
    #[must_use]
    pub fn names(&self, word: &str) -> bool {
        let mut names = self.component.iter().chain(&self.platform);
        names.any(|name| name.to_ascii_lowercase().contains(word))
    }
}

impl EngineInfo {
    /// Whether its driver is a snapshotter of containerd (Docker 29).
    #[must_use]
    pub const fn is_in_containerd(&self) -> bool {
        self.is_in_containerd
    }
}
