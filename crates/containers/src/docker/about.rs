//! What an engine says of itself.

use serde::Deserialize;

use super::few::Few;
use super::parse::{Named, needed, parse};
use crate::Failure;

/// Reads the answer to `GET /version`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_version(text: &[u8]) -> Result<EngineVersion, Failure> {
    parse(text)
}

/// Reads the answer to `GET /info`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_info(text: &[u8]) -> Result<EngineInfo, Failure> {
    parse(text)
}

/// The engine behind the API.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct EngineVersion {
    /// `20.10.24+dfsg1`.
    #[serde(deserialize_with = "needed")]
    pub version: String,
    /// The newest API that it speaks: `1.41`.
    api_version: Option<String>,
    /// `Docker Engine - Community`, `balenaEngine`, `linux/amd64/debian-12`; often empty.
    platform: Option<Named>,
    /// The first is the engine itself: `Engine`, `Podman Engine`.
    components: Option<Few<Named>>,
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
        let first = self.components.iter().flat_map(|few| &few.0).next();
        let mut names = first.into_iter().chain(&self.platform);
        names.any(|named| named.name.to_ascii_lowercase().contains(word))
    }
}

/// How an engine is set up.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct EngineInfo {
    /// The directory of all it keeps.
    pub docker_root_dir: String,
    /// What stores images and writable layers: `overlay2`.
    pub driver: String,
    driver_status: Option<Few<Few<String>>>,
}

impl EngineInfo {
    /// Whether its driver is a snapshotter of containerd (Docker 29).
    #[must_use]
    pub fn is_in_containerd(&self) -> bool {
        let mut pairs = self.driver_status.iter().flat_map(|few| &few.0);
        pairs.any(|pair| match pair.0.as_slice() {
            [key, value] => key == "driver-type" && value.contains("containerd"),
            _ => false,
        })
    }
}
