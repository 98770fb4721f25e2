//! What a container mounts: images (`--mount type=image`, since API 1.48), and what it may
//! write to outside itself.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use std::io::BufRead;

use super::answer::{MOST_PATH_BYTES, MOST_TEXT_BYTES};
use crate::ListedMount;
use crate::pods::{keep_mount, leave_out};
use evictd_json::{Json, ReadError, first};

/// The most images that are mounted in one container; each may cost a call.
const MOST_IMAGE_VOLUMES: usize = 128;

/// What counts of a list of mounts; others are passed over, however many they are.
#[derive(Default)]
pub(super) struct Mounts {
    /// What those of type `image` have as their source.
    images: Vec<String>,
    /// Volumes and directories of the node where the container may write.
    writable: Vec<ListedMount>,
}

#[derive(Default)]
struct Mount {
    kind: Option<String>,
    source: Option<String>,
    name: Option<String>,
    is_writable: Option<bool>,
}

impl Mounts {
    pub(super) fn read<R: BufRead>(&mut self, json: &mut Json<R>) -> Result<(), ReadError> {
        json.array(|json| {
            let mut mount = Mount::default();
            json.object(|json, key| {
                match key {
                    "Type" => first(&mut mount.kind, json.text(MOST_TEXT_BYTES)?),
                    "Source" => first(&mut mount.source, json.text(MOST_PATH_BYTES)?),
                    "Name" => first(&mut mount.name, json.text(MOST_TEXT_BYTES)?),
                    "RW" => first(&mut mount.is_writable, json.boolean()?),
                    _ => {}
                }
                Ok(())
            })?;
            self.take(mount);
            Ok(())
        })?;
        Ok(())
    }

    fn take(&mut self, mount: Mount) {
        let is_writable = mount.is_writable == Some(true);
        let (kind, source) = match (mount.kind, mount.source) {
            (Some(kind), Some(source)) => (kind, source),
            // Its source cannot be read: a path without end.
            (Some(kind), None) if is_writable && matches!(&*kind, "volume" | "bind") => {
                return leave_out(&mut self.writable);
            }
            _ => return, // a tmpfs has no source
        };
        match kind.as_str() {
            "image" if is_image_name(&source) && self.images.len() < MOST_IMAGE_VOLUMES => {
                self.images.push(source);
            }
            "volume" | "bind" if is_writable => {
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
    (1..=MOST_TEXT_BYTES).contains(&source.len()) && !source.starts_with('/')
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
