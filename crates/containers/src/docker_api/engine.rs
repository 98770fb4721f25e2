use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::docker_api::json::{self, Fault};
use crate::docker_api::request::{Method, Request};
use crate::docker_api::{Client, Result};

/// Who answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineVersion {
    /// Its version: `20.10.24+dfsg1`.
    pub version: String,
    /// The name of its main component: `Engine`, `Podman Engine`; empty where
    /// it has none.
    pub component: String,
    /// The name of its platform: `Docker Engine - Community`, `balenaEngine`,
    /// `linux/amd64/debian-12`; often empty.
    pub platform: String,
}

/// How an engine is set up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineInfo {
    /// The directory of all it keeps.
    pub root_dir: String,
    /// What stores images and writable layers: `overlay2`.
    pub driver: String,
    /// What that driver says of itself, by name: the thin pool of
    /// `devicemapper`, the pool of `zfs`.
    pub driver_status: Vec<(String, String)>,
}

impl Client {
    /// Who answers.
    ///
    /// # Errors
    /// When the answer is missing or is not whole.
    pub fn version(&mut self) -> Result<EngineVersion> {
        let request = Request::new(Method::Get, "/version", "");
        self.read(&request, parse_version)
    }

    /// How the engine is set up.
    ///
    /// # Errors
    /// When the answer is missing or is not whole.
    pub fn info(&mut self) -> Result<EngineInfo> {
        let request = Request::new(Method::Get, "/info", "");
        self.read(&request, parse_info)
    }
}

/// Reads the answer to `GET /version`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_version(text: &[u8]) -> Result<EngineVersion, Fault> {
    let mut version = EngineVersion::default();
    json::parse_object(text, &mut |object| {
        object.needed("Version", &mut version.version)?;
        object.object("Platform", &mut |platform| {
            platform.text("Name", &mut version.platform)
        })?;
        object.objects("Components", &mut |component| {
            // The first is the engine itself.
            if version.component.is_empty() {
                component.text("Name", &mut version.component)?;
            }
            Ok(())
        })
    })?;
    Ok(version)
}

/// Reads the answer to `GET /info`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_info(text: &[u8]) -> Result<EngineInfo, Fault> {
    let mut info = EngineInfo::default();
    json::parse_object(text, &mut |object| {
        object.text("DockerRootDir", &mut info.root_dir)?;
        object.text("Driver", &mut info.driver)?;
        for pair in object.list("DriverStatus")? {
            let text = |index: usize| pair.get(index).and_then(Value::as_str).map(String::from);
            info.driver_status.extend(text(0).zip(text(1)));
        }
        Ok(())
    })?;
    Ok(info)
}
