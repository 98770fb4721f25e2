//! Which image is which, and which are to stay.

use super::client::Client;
use super::info::find_value;
use crate::{Error, ListedImage};

/// The id of the image with this id, tag or name by digest.
pub(super) fn find_id<'a>(text: &str, images: &'a [ListedImage]) -> Option<&'a str> {
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
pub(super) fn pin_sandboxes_image(
    client: &mut Client,
    images: &mut [ListedImage],
) -> Result<(), Error> {
    let named = |json: Option<&str>, key: &str| {
        let value = find_value(json?, key)?;
        find_id(value.as_str()?, images).map(String::from)
    };
    let config = client.config()?;
    let config = config.as_deref();
    let mut pinned = named(config, "sandboxImage").or_else(|| named(config, "sandbox_image"));
    if pinned.is_none()
        && let Some(ready) = client.sandboxes()?.iter().find(|sandbox| sandbox.runs())
    {
        let info = client.sandbox_info(&ready.container.id)?;
        pinned = named(info.as_deref(), "image");
    }
    for image in images {
        image.pinned |= match &pinned {
            Some(id) => image.id == *id,
            None => image.tags.iter().any(|tag| tag.contains("/pause:")),
        };
    }
    Ok(())
}
