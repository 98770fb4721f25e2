//! What is asked of one container alone, while containers are listed.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use std::path::Path;

use super::client::Client;
use super::containers::words_of;
use super::image::is_image_id;
use super::list::Unread;
use super::patience::Patience;
use super::sandbox_image::find_id;
use crate::pods::{Details, Found, HostOverlays, kubepods_class, read_cgroup};
use crate::{Error, Failure, ListedImage, WritableLayer};

/// Whether the container that has these details ran when they were told.
pub(super) fn runs(details: &Details) -> bool {
    details.told == words_of(Some(1))
}

/// Whether a failure is about what was asked for, and says nothing of the runtime. One that
/// has just listed what it holds is there; what hangs is this call.
fn is_about_it(error: &Error) -> bool {
    error.is_answer() || matches!(error.failure, Failure::TimedOut(_))
}

/// Looks up the containers of one list.
pub(super) struct LookUp<'a> {
    client: &'a Client,
    proc: &'a Path,
    overlays: HostOverlays,
    patience: Patience,
    /// Asked for at most once, where a container is told by the name of its image; none where
    /// the runtime does not say them.
    images: Option<Option<Vec<ListedImage>>>,
    unread: Unread,
    /// The containers of which the runtime told nothing in time, the last time and now.
    hung_before: BTreeSet<Arc<str>>,
    hung: BTreeSet<Arc<str>>,
}

impl<'a> LookUp<'a> {
    pub(super) fn new(client: &'a Client, proc: &'a Path, hung_before: BTreeSet<Arc<str>>) -> Self {
        Self {
            client,
            proc,
            overlays: HostOverlays::default(),
            patience: Patience::new(client.within),
            images: None,
            unread: Unread::default(),
            hung_before,
            hung: BTreeSet::new(),
        }
    }

    /// What one call tells of a container; `None` when it has vanished meanwhile. Of one that
    /// the runtime cannot look at what was known counts, and it is asked again the next time.
    pub(super) fn container(
        &mut self,
        found: &Found,
        before: Option<&Details>,
    ) -> Result<Option<Details>, Error> {
        let id = &found.container.id;
        let asks = |within| self.client.status(id, found.runs(), within);
        let hung = self.hung_before.contains(id);
        let mut details = match self.patience.call(hung, asks) {
            Some(Ok(Some((details, fault)))) => {
                if let Some(fault) = fault {
                    self.unread.note(&format!("{id}: ContainerStatus: {fault}"));
                }
                details
            }
            Some(Ok(None)) => return Ok(None),
            Some(Err(error)) if is_about_it(&error) => {
                if !error.is_answer() {
                    self.hung.insert(Arc::clone(id));
                }
                self.unread.note(&format!("{id}: {}", said(&error)));
                known(before)
            }
            Some(Err(error)) => return Err(error),
            None => {
                if hung {
                    self.hung.insert(Arc::clone(id));
                }
                known(before)
            }
        };
        self.find_cgroup(found, &mut details);
        let image = &found.container.image;
        if !is_image_id(image) {
            match self.find_image(image)? {
                Some(id) => details.image = id,
                // It is asked again the next time.
                None => details.told = Box::default(),
            }
        }
        for volume in &mut details.image_volumes {
            self.find_volumes_image(volume)?;
        }
        // The layer outlives the process that led to it.
        if let Some(before) = before.filter(|_| details.layer == WritableLayer::Unknown) {
            details.layer.clone_from(&before.layer);
        }
        Ok(Some(details))
    }

    /// What its first process leads to.
    fn find_cgroup(&mut self, found: &Found, details: &mut Details) {
        details.cgroup = read_cgroup(self.proc, details.pid, &found.container.id);
        if let Some(cgroup) = &details.cgroup {
            let layer = self
                .overlays
                .layer(self.proc, details.pid, &found.container.id);
            details.layer = layer.map_or(WritableLayer::Unknown, WritableLayer::Dir);
            let parent = cgroup.parent().map(Path::to_string_lossy);
            details.class = parent.and_then(|parent| kubepods_class(&parent));
        } else if found.runs() {
            // One that runs in no cgroup that could be found is asked again the next time.
            details.told = Box::default();
        }
    }

    /// The id of the image of this name; none where there is no such image. `None` where the
    /// runtime does not say so.
    fn find_image(&mut self, name: &str) -> Result<Option<Option<Arc<str>>>, Error> {
        let images = match self.images.take() {
            Some(images) => images,
            None => self.list_images()?,
        };
        let id = images
            .as_ref()
            .map(|images| find_id(name, images).map(Into::into));
        self.images = Some(images);
        Ok(id)
    }

    fn list_images(&mut self) -> Result<Option<Vec<ListedImage>>, Error> {
        let list = |within| self.client.images(&mut Unread::default(), within);
        match self.patience.call(false, list) {
            Some(Ok(images)) => Ok(Some(images)),
            Some(Err(error)) if is_about_it(&error) => {
                self.unread.note(&said(&error));
                Ok(None)
            }
            Some(Err(error)) => Err(error),
            None => Ok(None),
        }
    }

    /// Puts its id in the place of an image's name. The runtime says what a name means, as
    /// `busybox` may stand for `docker.io/library/busybox:latest`; one that it does not know
    /// stays as it is.
    fn find_volumes_image(&mut self, image: &mut Arc<str>) -> Result<(), Error> {
        if is_image_id(image) {
            return Ok(());
        }
        match self
            .patience
            .call(false, |within| self.client.image_id(image, within))
        {
            Some(Ok(id)) if !id.is_empty() => *image = id.into(),
            Some(Err(error)) if !is_about_it(&error) => return Err(error),
            Some(Ok(_) | Err(_)) | None => {}
        }
        Ok(())
    }

    /// The ids of images that are named so; a name for which no id is found stays.
    pub(super) fn images_of(
        &mut self,
        names: BTreeSet<Arc<str>>,
    ) -> Result<BTreeSet<Arc<str>>, Error> {
        let mut ids = BTreeSet::new();
        for name in names {
            let id = if is_image_id(&name) {
                None
            } else {
                self.find_image(&name)?.flatten()
            };
            ids.insert(id.unwrap_or(name));
        }
        Ok(ids)
    }

    /// What the runtime did not tell, a line each, and the containers of which it told
    /// nothing in time.
    pub(super) fn finish(mut self) -> (Vec<String>, BTreeSet<Arc<str>>) {
        if self.patience.unasked > 0 {
            self.unread
                .note("some calls about containers were not made: others got no answer in time");
        }
        (self.unread.into_notes(), self.hung)
    }
}

/// A failure in words that are the same each time.
fn said(error: &Error) -> String {
    let Error { call, failure, .. } = error;
    if matches!(failure, Failure::TimedOut(_)) {
        return format!("{call}: no answer in time");
    }
    format!("{call}: {failure}")
}

/// What was known of a container, to be asked again.
fn known(before: Option<&Details>) -> Details {
    Details {
        told: Box::default(),
        ..before.cloned().unwrap_or_default()
    }
}
