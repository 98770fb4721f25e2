//! Which labels a container has from its image: an engine lists both alike, and what an
//! image says about itself counts for nothing (acceptance row 169).

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

use serde::Deserialize;

use super::client::Client;
use super::few::FewPairs;
use super::parse::{parse, read_labels};
use crate::kubepods::{KubepodsName, is_uid, parse_kubepods_name};
use crate::pods::{Found, POD_NAME, POD_NAMESPACE, POD_UID};
use crate::text::clean;
use crate::{Error, Failure};

/// What begins so decides what evictd does with a container.
const DECIDING: [&str; 4] = [
    "evictd.",
    "com.docker.compose.",
    "io.kubernetes.",
    "annotation.",
];

fn decides(key: &str) -> bool {
    DECIDING.iter().any(|prefix| key.starts_with(prefix))
}

type Labels = BTreeMap<String, String>;

/// The deciding labels of the images that containers with such labels were made from. An
/// image never changes, so each is asked for once.
#[derive(Debug, Default)]
pub(super) struct ImageLabels(Vec<(Arc<str>, Labels)>);

impl ImageLabels {
    /// Takes away what the containers have from their images, then reads what is left.
    ///
    /// # Errors
    /// When the engine does not answer.
    pub(super) fn read(
        &mut self,
        client: &Client,
        listed: &mut [Found],
        notes: &mut Vec<String>,
    ) -> Result<(), Error> {
        let (begun, mut used) = (Instant::now(), Vec::new());
        for found in listed {
            if found.labels.keys().any(|key| decides(key)) {
                let image = Arc::clone(&found.container.image);
                let known = take_out(&mut used, &image).or_else(|| take_out(&mut self.0, &image));
                let labels = match known {
                    Some(known) => Some(known),
                    // Then the others are asked for the next time.
                    None if begun.elapsed() >= client.limit => None,
                    None => ask(client, &image)?,
                };
                if let Some(labels) = labels {
                    take_away(found, &labels, notes);
                    used.push((image, labels));
                }
            }
            read_labels(found);
        }
        self.0 = used;
        Ok(())
    }
}

fn take_out(known: &mut Vec<(Arc<str>, Labels)>, image: &str) -> Option<Labels> {
    let at = known.iter().position(|(of, _)| **of == *image)?;
    Some(known.swap_remove(at).1)
}

/// The deciding labels of an image; `None` where the engine cannot tell them now. Of an
/// image that is gone there are none: what a container says counts then, as nothing shows
/// that the operator did not set it.
fn ask(client: &Client, image: &str) -> Result<Option<Labels>, Error> {
    match client.image_labels(image) {
        Ok(mut labels) => {
            labels.retain(|key, _| decides(key));
            Ok(Some(labels))
        }
        Err(error) if error.code() == Some(404) => Ok(Some(Labels::new())),
        Err(error) if error.code().is_some() => Ok(None),
        Err(error) => Err(error),
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct ImageConfig {
    labels: Option<FewPairs>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct InspectedImage {
    config: Option<ImageConfig>,
}

/// Reads the labels from the answer to `GET /images/ID/json`.
pub fn parse_image_labels(text: &[u8]) -> Result<Labels, Failure> {
    let image: InspectedImage = parse(text)?;
    let labels = image.config.and_then(|config| config.labels);
    Ok(labels.unwrap_or_default().0)
}

/// A label with another value than the image's was set for the container.
fn take_away(found: &mut Found, image: &Labels, notes: &mut Vec<String>) {
    let name = &found.container.name;
    found.labels.retain(|key, value| {
        let is_images = image.get(key) == Some(value);
        if is_images && key.starts_with("evictd.") {
            let (name, label) = (clean(name), clean(&format!("{key}={value}")));
            notes.push(format!(
                "{name}: label {label} is ignored: its image carries it; docker run --label sets one"
            ));
        }
        !is_images
    });
}

/// What runs in the cgroup of a pod of kubepods is that pod's, whatever its labels say: a
/// label could take from the pod what it uses.
pub(super) fn follow_kubepods(found: &mut Found, cgroup: Option<&Path>) {
    let of_cgroup = cgroup.and_then(pod_of_kubepods);
    if let Some(KubepodsName::Pod { uid, systemd }) = of_cgroup
        && !found
            .label(POD_UID)
            .is_some_and(|told| is_uid(uid, told, systemd))
    {
        let own = of_cgroup.and_then(KubepodsName::uid).unwrap_or_default();
        found
            .labels
            .retain(|key, _| *key != POD_NAME && *key != POD_NAMESPACE);
        found.labels.insert(POD_UID.into(), own);
    }
}

/// The pod of kubepods that a cgroup belongs to, by the names of those above it.
fn pod_of_kubepods(cgroup: &Path) -> Option<KubepodsName<'_>> {
    let names = cgroup.iter().map(OsStr::as_bytes);
    let mut below = names.skip_while(|name| !matches!(*name, b"kubepods" | b"kubepods.slice"));
    let is_pod = |name: &KubepodsName<'_>| matches!(name, KubepodsName::Pod { .. });
    below.find_map(|name| parse_kubepods_name(name).filter(is_pod))
}
