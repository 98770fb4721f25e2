//! Which labels a container has from its image: an engine lists both alike, and what an
//! image says about itself counts for nothing (acceptance row 169).

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::time::Duration;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

use super::client::Client;
use super::parse::read_labels;
use crate::pods::{Found, POD_NAME, POD_NAMESPACE, POD_UID};
use crate::text::clean;
use crate::{Error, Failure};
use evictd_node::kubepods::{KubepodsName, is_uid, parse_kubepods_name};

type Labels = BTreeMap<String, String>;

/// What they decide beyond what becomes of the container itself: which others are ended with
/// it, and whether it may be removed.
const JOINING: [&str; 2] = ["com.docker.compose.", "io.kubernetes."];

/// How long the questions about images may take that one list leads to: the list waits for
/// them.
const WITHIN: Duration = Duration::from_secs(5);

/// The deciding labels of the images that containers with such labels were made from. An
/// image never changes, so each is asked for once; one that the engine could not tell, or
/// not in time, has none yet.
#[derive(Debug, Default)]
pub(super) struct ImageLabels(Vec<(Arc<str>, Option<Labels>)>);

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
        self.ask_for_new(client, listed, WITHIN.min(client.limit))?;
        let mut unknown = 0_usize;
        for found in listed {
            if !found.labels.is_empty() {
                match self.known(&found.container.image) {
                    Some(labels) => take_away(found, labels, notes),
                    None => {
                        distrust(found);
                        unknown = unknown.saturating_add(1);
                    }
                }
            }
            read_labels(found);
        }
        if unknown > 0 {
            notes.push(format!(
                "the engine has not told yet which labels of {unknown} containers are their \
                 images': they count as set for the container, but make no pod of several"
            ));
        }
        Ok(())
    }

    fn known(&self, image: &str) -> Option<&Labels> {
        let mut asked = self.0.iter();
        asked.find(|(of, _)| **of == *image)?.1.as_ref()
    }

    /// Asks for the images that are new, for so long; for the others the next time.
    fn ask_for_new(
        &mut self,
        client: &Client,
        listed: &[Found],
        within: Duration,
    ) -> Result<(), Error> {
        let labelled = listed.iter().filter(|found| !found.labels.is_empty());
        let mut images: Vec<&Arc<str>> = labelled.map(|found| &found.container.image).collect();
        images.sort_unstable();
        images.dedup();
        self.0.retain(|(image, _)| images.contains(&image));
        let begun = Instant::now();
        // First those that were never asked for, so that none keeps the others from being
        // known.
        let was_asked = |image: &Arc<str>| self.0.iter().any(|(of, _)| of == image);
        images.sort_by_key(|image| was_asked(image));
        for image in images {
            let left = within.saturating_sub(begun.elapsed());
            if left.is_zero() {
                break;
            }
            if self.known(image).is_none() {
                let labels = ask(client, image, left)?;
                self.0.retain(|(of, _)| of != image);
                self.0.push((Arc::clone(image), labels));
            }
        }
        Ok(())
    }
}

/// The deciding labels of an image; `None` where the engine cannot tell them now. Of an
/// image that is gone there are none: what a container says counts then, as nothing shows
/// that the operator did not set it.
fn ask(client: &Client, image: &str, within: Duration) -> Result<Option<Labels>, Error> {
    match client.image_labels(image, within) {
        Ok(labels) => Ok(Some(labels)),
        Err(error) if error.code() == Some(404) => Ok(Some(Labels::new())),
        Err(error) => match error.failure {
            Failure::Refused { .. }
            | Failure::TimedOut(_)
            | Failure::Malformed(_)
            | Failure::NotOffered => Ok(None),
            Failure::NotReachable(_) | Failure::Closed => Err(error),
        },
    }
}

/// Whose labels these are is not known. What may protect the container does; what would end
/// others with it, or have it removed, does not count.
fn distrust(found: &mut Found) {
    let joins = |key: &str| JOINING.iter().any(|prefix| key.starts_with(prefix));
    found.labels.retain(|key, _| !joins(key));
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

/// And what runs elsewhere is no part of a pod that has a place in kubepods, whatever its
/// labels say: what it uses, and what it says of itself, would count for that pod.
pub(super) fn leave_kubepods(found: &mut Found, cgroup: Option<&Path>, pods: &[KubepodsName<'_>]) {
    let is_elsewhere = cgroup.is_some_and(|cgroup| pod_of_kubepods(cgroup).is_none());
    let claims = |told: &str| {
        pods.iter().any(|pod| match pod {
            KubepodsName::Pod { uid, systemd } => is_uid(uid, told, *systemd),
            KubepodsName::Class(_) => false,
        })
    };
    if is_elsewhere && found.label(POD_UID).is_some_and(claims) {
        let identifying = [POD_UID, POD_NAME, POD_NAMESPACE];
        let keeps = |key: &str| !identifying.contains(&key);
        found.labels.retain(|key, _| keeps(key));
    }
}

/// The pod of kubepods that a cgroup belongs to, by the names of those above it.
pub(super) fn pod_of_kubepods(cgroup: &Path) -> Option<KubepodsName<'_>> {
    let names = cgroup.iter().map(OsStr::as_bytes);
    let mut below = names.skip_while(|name| !matches!(*name, b"kubepods" | b"kubepods.slice"));
    let is_pod = |name: &KubepodsName<'_>| matches!(name, KubepodsName::Pod { .. });
    below.find_map(|name| parse_kubepods_name(name).filter(is_pod))
}
