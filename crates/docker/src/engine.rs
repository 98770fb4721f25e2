use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::json::{self, Fault};
use crate::request::{Method, Request};
use crate::{Client, Error};

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
    pub fn version(&mut self) -> Result<EngineVersion, Error> {
        let request = Request::new(Method::Get, "/version", "");
        self.read(&request, parse_version)
    }

    /// How the engine is set up.
    ///
    /// # Errors
    /// When the answer is missing or is not whole.
    pub fn info(&mut self) -> Result<EngineInfo, Error> {
        let request = Request::new(Method::Get, "/info", "");
        self.read(&request, parse_info)
    }
}

/// Reads the answer to `GET /version`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_version(text: &[u8]) -> Result<EngineVersion, Fault> {
    let object = json::parse_object(text, &["Version", "Platform", "Components"])?;
    let mut version = EngineVersion {
        version: object.needed("Version")?.into(),
        ..EngineVersion::default()
    };
    if let Some(platform) = object.object("Platform")? {
        version.platform = json::text(platform, "Name")?.into();
    }
    if let Some(Value::Object(component)) = object.list("Components")?.first() {
        version.component = json::text(component, "Name")?.into();
    }
    Ok(version)
}

/// Reads the answer to `GET /info`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_info(text: &[u8]) -> Result<EngineInfo, Fault> {
    let object = json::parse_object(text, &["DockerRootDir", "Driver", "DriverStatus"])?;
    let pair = |value: &Value| {
        let text = |index| value.get(index).and_then(Value::as_str).map(String::from);
        text(0_usize).zip(text(1_usize))
    };
    Ok(EngineInfo {
        root_dir: object.text("DockerRootDir")?.into(),
        driver: object.text("Driver")?.into(),
        driver_status: object
            .list("DriverStatus")?
            .iter()
            .filter_map(pair)
            .collect(),
    })
}
