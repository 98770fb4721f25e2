//! Which image is which, and which are to stay.

use serde::Deserialize;

use super::client::Client;
use super::parse::parse_told;
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

/// What is read of a runtime's configuration.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    #[serde(rename = "sandboxImage", alias = "sandbox_image")]
    sandbox_image: Option<String>,
}

/// What is read of what a runtime tells of a sandbox.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SandboxInfo {
    image: Option<String>,
}

/// Marks the sandboxes' image as pinned: by the runtime's configuration, else by what it
/// tells of a sandbox. Where that could not be found out, all that are called `pause`
/// are kept.
pub(super) fn pin_sandboxes_image(
    client: &Client,
    images: &mut [ListedImage],
) -> Result<(), Error> {
    let named = |name: Option<String>| find_id(&name?, images).map(String::from);
    let config: Config = parse_told(client.config()?.as_deref());
    let mut pinned = named(config.sandbox_image);
    if pinned.is_none()
        && let Some(ready) = client.sandboxes()?.iter().find(|sandbox| sandbox.runs())
    {
        let info: SandboxInfo = parse_told(client.sandbox_info(&ready.container.id)?.as_deref());
        pinned = named(info.image);
    }
    for image in images {
        image.pinned |= match &pinned {
            Some(id) => image.id == *id,
            None => image.tags.iter().any(|tag| tag.contains("/pause:")),
        };
    }
    Ok(())
}
