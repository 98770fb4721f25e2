//! Which image is which, and which are to stay.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::path::PathBuf;

use crate::cri_api::{Container, FsInfo, Image};

use super::json::find_value;
use crate::remote::{after, holds};
use crate::{ListedImage, RuntimeDisks};

/// A digest stands behind it: so ids of images begin.
const SHA256: &str = "sha256:";

/// The id of a container's image, where the list of containers has it.
pub(super) fn id_in_list(container: &Container) -> Option<&str> {
    let refs = [container.image_id.as_str(), &container.image_ref];
    let is_id = |text: &&str| text.strip_prefix(SHA256).is_some_and(|hex| hex.len() == 64);
    refs.into_iter().find(is_id)
}

/// The id of a container's image by the list of images; where it is not there
/// any more, what the container calls it.
pub(super) fn find_id<'a>(container: &'a Container, images: &'a [Image]) -> &'a str {
    let refs = [&container.image_id, &container.image_ref, &container.image];
    let told = refs.into_iter().filter(|text| !text.is_empty());
    let found = told.clone().find_map(|text| find(text, images));
    let called = || told.clone().next().map(String::as_str);
    found.or_else(called).unwrap_or_default()
}

/// The id of the image with this id, tag or name by digest.
fn find<'a>(text: &str, images: &'a [Image]) -> Option<&'a str> {
    let is_it = |image: &&Image| {
        let names = image.tags.iter().chain(&image.digests);
        let bare = |id: &str| id.strip_prefix(SHA256) == Some(text);
        image.id == text || bare(&image.id) || names.into_iter().any(|name| name == text)
    };
    images.iter().find(is_it).map(|image| image.id.as_str())
}

/// The sandboxes' image as the runtime's configuration names it.
pub(super) fn of_config(config: Option<&str>, images: &[Image]) -> Option<String> {
    named("sandboxImage", config, images).or_else(|| named("sandbox_image", config, images))
}

/// The image of a sandbox, as the runtime tells of it.
pub(super) fn of_sandbox(info: Option<&str>, images: &[Image]) -> Option<String> {
    named("image", info, images)
}

fn named(key: &str, json: Option<&str>, images: &[Image]) -> Option<String> {
    find(find_value(json?, key)?, images).map(String::from)
}

/// The images; `pinned` is the sandboxes'. Where that could not be found out, all
/// that are called `pause` are kept.
pub(super) fn listed(images: Vec<Image>, pinned: Option<String>) -> Vec<ListedImage> {
    let is_sandboxes = |image: &Image| match &pinned {
        Some(id) => image.id == *id,
        None => image.tags.iter().any(|tag| holds(tag, "/pause:")),
    };
    let listed = |image: Image| ListedImage {
        pinned: image.is_pinned || is_sandboxes(&image),
        id: image.id,
        tags: image.tags,
        digests: image.digests,
        size_bytes: image.size_bytes,
    };
    images.into_iter().map(listed).collect()
}

/// The directories; the last part of containerd's ends with the snapshotter's
/// name, that of CRI-O's begins with the storage driver's.
pub(super) fn find_disks(info: FsInfo) -> RuntimeDisks {
    let images = info.images.into_iter().next();
    let containers = info.containers.into_iter().next();
    let name = images.as_deref().unwrap_or_default().rsplit('/').next();
    let name = name.unwrap_or_default();
    let driver = match after(name, "snapshotter.v1.") {
        Some(driver) => driver,
        None => name.strip_suffix("-images").unwrap_or(name),
    };
    RuntimeDisks {
        driver: driver.to_string(),
        containers: containers
            .filter(|path| Some(path) != images.as_ref())
            .map(PathBuf::from),
        images: images.map(PathBuf::from),
    }
}
