//! Volumes that no container refers to.

use alloc::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};

use super::few::List;
use super::parse::parse;
use super::time::parse_rfc3339;
use crate::{Failure, ListedVolume};

/// Docker 23 and later mark so what nobody gave a name.
const ANONYMOUS: &str = "com.docker.volume.anonymous";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AnswerText {
    #[serde(default, deserialize_with = "listed")]
    volumes: Vec<ListedVolume>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct VolumeText {
    name: String,
    driver: String,
    mountpoint: String,
    created_at: Option<String>,
    labels: Option<BTreeMap<String, IgnoredAny>>,
    options: Option<BTreeMap<String, IgnoredAny>>,
}

impl VolumeText {
    /// Whether nobody gave it a name: then engines call it by 64 hexadecimal digits. One with
    /// labels or options, or of a driver that may keep it elsewhere, was made for something.
    fn is_anonymous(&self) -> bool {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let mut labels = self.labels.iter().flatten();
        self.name.len() == 64
            && self.name.bytes().all(is_hex)
            && self.driver == "local"
            && labels.all(|(name, _)| name == ANONYMOUS)
            && self.options.as_ref().is_none_or(BTreeMap::is_empty)
    }
}

fn listed<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ListedVolume>, D::Error> {
    let read = |volume: VolumeText| ListedVolume {
        is_anonymous: volume.is_anonymous(),
        created_nanos: volume.created_at.as_deref().and_then(parse_rfc3339),
        name: volume.name,
        path: volume.mountpoint.into(),
    };
    List(read).read(from)
}

/// Reads the answer to `GET /volumes`.
///
/// # Errors
/// When any part of it is not as it should be.
pub fn parse_volumes(text: &[u8]) -> Result<Vec<ListedVolume>, Failure> {
    parse(text).map(|answer: AnswerText| answer.volumes)
}
