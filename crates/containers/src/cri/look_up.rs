//! What is asked of one container alone, while containers are listed.

use alloc::sync::Arc;
use core::time::Duration;
use std::path::Path;
use std::time::Instant;

use super::client::Client;
use super::containers::words_of;
use super::image::is_image_id;
use super::sandbox_image::find_id;
use crate::notes::failed;
use crate::pods::{
    Answer, Details, Found, HostOverlays, Question, class_by_cgroup, find_mounted_images, left,
    read_cgroup,
};
use crate::{ListedImage, WritableLayer};

/// How many containers are asked for at once.
pub(super) const TOGETHER: usize = 1;

/// Whether the container that has these details ran when they were told.
pub(super) fn runs(details: &Details) -> bool {
    details.told == words_of(Some(1))
}

/// Looks up the containers of one list.
pub(super) struct LookUp<'a> {
    client: &'a Client,
    proc: &'a Path,
    overlays: HostOverlays,
    /// Asked for at most once, where a container is told by the name of its image; else why
    /// they are not known.
    images: Option<Result<Vec<ListedImage>, Box<str>>>,
}

impl<'a> LookUp<'a> {
    pub(super) fn new(client: &'a Client, proc: &'a Path) -> Self {
        Self {
            client,
            proc,
            overlays: HostOverlays::default(),
            images: None,
        }
    }

    /// What is known of a container beside the list; `None` when it has vanished meanwhile.
    pub(super) fn container(&mut self, (found, before): Question<'_>, within: Duration) -> Answer {
        let begun = Instant::now();
        let id = &found.container.id;
        let Some(mut details) = self.client.status(id, found.runs(), within)? else {
            return Ok(None);
        };
        self.find_cgroup(found, &mut details);
        let image = &found.container.image;
        if !is_image_id(image) {
            match self.find_image(image, left(within, begun)) {
                Ok(id) => details.image = id,
                Err(why) => {
                    details.fault.get_or_insert(why);
                    // It is asked again later.
                    details.told = Box::default();
                }
            }
        }
        find_mounted_images(&mut details, left(within, begun), |name, within| {
            if is_image_id(name) {
                return Ok(String::new());
            }
            self.client.image_id(name, within)
        });
        // The layer outlives the process that led to it.
        if let Some(before) = before.filter(|_| details.layer == WritableLayer::Unknown) {
            details.layer.clone_from(&before.layer);
        }
        Ok(Some(details))
    }

    /// What its first process leads to.
    fn find_cgroup(&mut self, found: &Found, details: &mut Details) {
        let (proc, id) = (self.proc, &found.container.id);
        details.cgroup = read_cgroup(proc, details.pid, id);
        if let Some(cgroup) = &details.cgroup {
            let layer = self.overlays.layer(proc, details.pid, id);
            details.layer = layer.map_or(WritableLayer::Unknown, WritableLayer::Dir);
            details.class = class_by_cgroup(cgroup);
        } else if found.runs() {
            // One that runs in no cgroup that could be found is asked again the next time.
            details.told = Box::default();
        }
    }

    /// The id of the image of this name; none where there is no such image.
    ///
    /// # Errors
    /// Why the images are not known.
    fn find_image(&mut self, name: &str, within: Duration) -> Result<Option<Arc<str>>, Box<str>> {
        let list = || {
            let listed = self.client.images(within);
            listed.map_or_else(|error| Err(failed(&error)), |listed| Ok(listed.items))
        };
        match self.images.get_or_insert_with(list) {
            Ok(images) => Ok(find_id(name, images).map(Into::into)),
            Err(why) => Err(why.clone()),
        }
    }
}
