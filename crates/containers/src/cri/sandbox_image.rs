//! Which image is which, and which are to stay.

use evictd_node::ImageName;

use super::client::Client;
use super::info::find_told;
use crate::{Error, ListedImage};

/// The id of the image with this id, name by digest, or tag, in short or in full.
pub fn find_id<'a>(text: &str, images: &'a [ListedImage]) -> Option<&'a str> {
    let name = ImageName::of(text);
    let is_named = |names: &[String]| names.iter().any(|one| ImageName::of(one).is_same_as(name));
    let has_id =
        |image: &&ListedImage| image.id == text || image.id.strip_prefix("sha256:") == Some(text);
    let by_id = || images.iter().find(has_id);
    // The tag beside a digest may be another image's by now.
    let by_digest = || images.iter().find(|image| is_named(&image.digests));
    let by_tag = || images.iter().find(|image| is_named(&image.tags));
    let found = by_id().or_else(by_digest).or_else(by_tag);
    found.map(|image| image.id.as_str())
}

/// Marks the sandboxes' image as pinned: by the runtime's configuration, else by what it
/// tells of a sandbox. Where neither names an image that is there, and where no sandbox runs
/// that shows that a pod can be started, all that are called `pause` stay as well.
pub(super) fn pin(client: &Client, images: &mut [ListedImage]) -> Result<(), Error> {
    let sandboxes = client.sandboxes()?.items;
    let ready = sandboxes.iter().rfind(|found| found.runs());
    let named = |name: Option<String>| find_id(&name?, images).map(String::from);
    let keys = ["sandboxImage", "sandbox_image"];
    let mut pinned = named(find_told(&client.config()?, &keys));
    if let (None, Some(ready)) = (&pinned, &ready) {
        pinned = named(find_told(
            &client.sandbox_info(&ready.container.id)?,
            &["image"],
        ));
    }
    let in_doubt = pinned.is_none() || ready.is_none();
    for image in images {
        image.pinned |= pinned.as_ref() == Some(&image.id) || (in_doubt && is_called_pause(image));
    }
    Ok(())
}

fn is_called_pause(image: &ListedImage) -> bool {
    let mut names = image.tags.iter().chain(&image.digests);
    names.any(|name| ImageName::of(name).last_part().contains("pause"))
}
