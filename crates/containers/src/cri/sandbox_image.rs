//! Which image is which, and which are to stay.

use super::client::Client;
use super::info::find_told;
use super::list::Odd;
use crate::{Error, ListedImage};

/// The id of the image with this id, tag or name by digest.
pub fn find_id<'a>(text: &str, images: &'a [ListedImage]) -> Option<&'a str> {
    let is_it = |image: &&ListedImage| {
        let mut names = image.tags.iter().chain(&image.digests);
        let bare = image.id.strip_prefix("sha256:");
        image.id == text || bare == Some(text) || names.any(|name| name == text)
    };
    images.iter().find(is_it).map(|image| image.id.as_str())
}

/// Marks the sandboxes' image as pinned: by the runtime's configuration, else by what it
/// tells of a sandbox. Where that could not be found out, all that are called `pause`
/// are kept.
pub(super) fn pin(client: &Client, images: &mut [ListedImage]) -> Result<(), Error> {
    let named = |name: Option<String>| find_id(&name?, images).map(String::from);
    let mut pinned = named(find_told(
        &client.config()?,
        &["sandboxImage", "sandbox_image"],
    ));
    if pinned.is_none() {
        let mut ready = None;
        client.sandboxes(&mut Odd::default(), &mut |found| {
            if found.runs() {
                ready = Some(found.container.id);
            }
        })?;
        if let Some(ready) = ready {
            pinned = named(find_told(&client.sandbox_info(&ready)?, &["image"]));
        }
    }
    for image in images {
        image.pinned |= match &pinned {
            Some(id) => image.id == *id,
            None => image.tags.iter().any(|tag| tag.contains("/pause:")),
        };
    }
    Ok(())
}
