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
use super::listed::read_labels;
use crate::Error;
use crate::notes::note;
use crate::pods::{Found, POD_NAME, POD_NAMESPACE, POD_UID, PROTECT, Patience, Rest};
use crate::text::clean;
use evictd_node::kubepods::{KubepodsName, is_uid, parse_kubepods_name};

type Labels = BTreeMap<String, String>;

/// What they decide beyond what becomes of the container itself: which others are ended with
/// it, and whether it may be removed.
const JOINING: [&str; 2] = ["com.docker.compose.", "io.kubernetes."];

/// The deciding labels of the images that containers with such labels were made from. An
/// image never changes, so each is asked for once. One that the engine does not tell is asked
/// for again after a rest that grows, and after those that it never failed to tell.
#[derive(Debug, Default)]
pub(super) struct ImageLabels(Vec<(Arc<str>, Asked)>);

#[derive(Debug, Default)]
struct Asked {
    labels: Option<Labels>,
    rest: Rest,
}

impl ImageLabels {
    /// Takes away what the containers have from their images, then reads what is left.
    ///
    /// # Errors
    /// When nobody listens any more.
    pub(super) fn read<D>(
        &mut self,
        client: &Client,
        listed: &mut [(Found, D)],
        notes: &mut Vec<String>,
    ) -> Result<(), Error> {
        self.ask_for_new(client, listed)?;
        for (found, _) in listed {
            if !found.labels.is_empty() {
                match self.known(&found.container.image) {
                    Some(labels) => take_away(found, labels, notes),
                    None => distrust(found, notes),
                }
            }
            read_labels(found);
        }
        Ok(())
    }

    fn known(&self, image: &str) -> Option<&Labels> {
        self.asked(image)?.labels.as_ref()
    }

    fn asked(&self, image: &str) -> Option<&Asked> {
        let place = self.0.binary_search_by(|(of, _)| (**of).cmp(image)).ok()?;
        self.0.get(place).map(|(_, asked)| asked)
    }

    fn has_failed(&self, image: &str) -> bool {
        let asked = self.asked(image);
        asked.is_some_and(|asked| asked.rest.has_failed())
    }

    /// Asks for the images that are new, while there is patience; for the others the next
    /// time.
    fn ask_for_new<D>(&mut self, client: &Client, listed: &[(Found, D)]) -> Result<(), Error> {
        let mut patience = Patience::default();
        let labelled = listed.iter().filter(|(found, _)| !found.labels.is_empty());
        let mut images: Vec<&Arc<str>> =
            labelled.map(|(found, _)| &found.container.image).collect();
        images.sort_unstable();
        images.dedup();
        self.0
            .retain(|(image, _)| images.binary_search(&image).is_ok());
        let now = Instant::now();
        images.sort_by_key(|image| self.has_failed(image));
        for image in images {
            let is_due = self.asked(image).is_none_or(|asked| asked.is_due(now));
            if !is_due {
                continue;
            }
            let Some(within) = patience.share(self.has_failed(image)) else {
                break;
            };
            let begun = Instant::now();
            let labels = ask(client, image, within)?;
            if labels.is_none() {
                patience.spend(begun.elapsed());
            }
            self.note(image, labels, now);
        }
        Ok(())
    }

    fn note(&mut self, image: &Arc<str>, labels: Option<Labels>, now: Instant) {
        let place = self.0.binary_search_by(|(of, _)| of.cmp(image));
        let place = place.unwrap_or_else(|place| {
            self.0.insert(place, (Arc::clone(image), Asked::default()));
            place
        });
        if let Some((_, asked)) = self.0.get_mut(place) {
            if labels.is_none() {
                asked.rest.begin(now);
            }
            asked.labels = labels;
        }
    }
}

impl Asked {
    fn is_due(&self, now: Instant) -> bool {
        self.labels.is_none() && self.rest.is_over(now)
    }
}

/// The deciding labels of an image; `None` where the engine cannot tell them now. Of an
/// image that is gone there are none: what a container says counts then, as nothing shows
/// that the operator did not set it.
fn ask(client: &Client, image: &str, within: Duration) -> Result<Option<Labels>, Error> {
    match client.image_labels(image, within) {
        Ok(labels) => Ok(Some(labels)),
        Err(error) if error.code() == Some(404) => Ok(Some(Labels::new())),
        Err(error) if error.has_nobody() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Whose labels these are is not known. What may protect the container does, and is told by
/// name: it may be its operator's word. What would end others with it, or have it removed,
/// does not count.
fn distrust(found: &mut Found, notes: &mut Vec<String>) {
    let joins = |key: &str| JOINING.iter().any(|prefix| key.starts_with(prefix));
    found.labels.retain(|key, _| !joins(key));
    let protects = found.labels.get_key_value(PROTECT);
    if let Some((key, value)) = protects.or_else(|| found.labels.first_key_value()) {
        note(notes, || {
            let name = &found.container.name;
            clean(&format!(
                "{name}: label {key}={value} counts, though the engine does not tell whether it \
                 is the image's"
            ))
        });
    }
}

/// A label with another value than the image's was set for the container.
fn take_away(found: &mut Found, image: &Labels, notes: &mut Vec<String>) {
    let name = &found.container.name;
    found.labels.retain(|key, value| {
        let is_images = image.get(key) == Some(value);
        if is_images && key.starts_with("evictd.") {
            let (name, label) = (clean(name), clean(&format!("{key}={value}")));
            note(notes, || {
                format!(
                    "{name}: label {label} is ignored: its image carries it; docker run --label \
                     sets one"
                )
            });
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
