//! What a container mounts: images (`--mount type=image`, since API 1.48), and what it may
//! write to outside itself.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use core::fmt;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use crate::ListedMount;
use crate::bounds::{MOST_IMAGE_VOLUMES, MOST_LABEL_BYTES};
use crate::pods::keep_mount;

/// What counts of a list of mounts; others are passed over, however many they are.
#[derive(Default)]
pub(super) struct Mounts {
    /// What those of type `image` have as their source.
    images: Vec<String>,
    /// Volumes and directories of the node where the container may write.
    writable: Vec<ListedMount>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "PascalCase")]
struct MountText {
    r#type: Option<String>,
    source: Option<String>,
    name: Option<String>,
    #[serde(rename = "RW", default)]
    is_writable: bool,
}

impl Mounts {
    fn take(&mut self, mount: MountText) {
        let (Some(kind), Some(source)) = (mount.r#type, mount.source) else {
            return; // a tmpfs has no source
        };
        match kind.as_str() {
            "image" if is_image_name(&source) && self.images.len() < MOST_IMAGE_VOLUMES => {
                self.images.push(source);
            }
            "volume" | "bind" if mount.is_writable => {
                let is_anonymous = mount.name.is_some_and(|name| is_made_up(&name));
                if let Some(kept) = keep_mount(&mut self.writable, &source, kind == "volume") {
                    kept.is_anonymous = kind == "volume" && is_anonymous;
                }
            }
            _ => {}
        }
    }

    pub(super) fn into_writable(self) -> Arc<[ListedMount]> {
        self.writable.into()
    }
}

/// Whether an engine made that name of a volume: 32 bytes in hexadecimal.
fn is_made_up(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The name of an image, no path: as the source of a mount that is there an engine may tell
/// where the image lies.
fn is_image_name(source: &str) -> bool {
    (1..=MOST_LABEL_BYTES).contains(&source.len()) && !source.starts_with('/')
}

impl<'de> Deserialize<'de> for Mounts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Mounts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Mounts, A::Error> {
                let mut mounts = Mounts::default();
                while let Some(mount) = seq.next_element()? {
                    mounts.take(mount);
                }
                Ok(mounts)
            }
        }
        from.deserialize_seq(Reader)
    }
}

/// The images of both lists, the mounts that were asked for and those that are there, each
/// once.
pub(super) fn image_volumes(lists: [&Mounts; 2]) -> Box<[Arc<str>]> {
    let images = lists.into_iter().flat_map(|list| &list.images);
    let images: BTreeSet<&String> = images.collect();
    images
        .into_iter()
        .map(|image| image.as_str().into())
        .collect()
}
