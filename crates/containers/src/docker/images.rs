//! What an engine says of images.

use alloc::collections::BTreeMap;
use std::io::BufRead;

use super::answer::{MOST_TEXT_BYTES, read_list, read_object};
use super::listed::read_pairs;
use crate::list::{Items, Listed};
use crate::{Failure, ListedImage};
use evictd_json::{Json, ReadError, first};

/// How many names of an image are kept.
const MOST_NAMES: usize = 1024;

#[derive(Default)]
struct Told {
    id: Option<String>,
    tags: Vec<String>,
    digests: Vec<String>,
    size: Option<i64>,
    /// Some of its names are not known.
    lacks_names: bool,
}

/// Reads the answer to `GET /images/json`. Of very many the largest are kept.
///
/// # Errors
/// When that is no list. An image of which something cannot be read is known by the rest of
/// it; one whose names are not all known counts as pinned, as one of them may say that it is
/// to be kept.
pub fn parse_images(stream: impl BufRead) -> Result<Listed<ListedImage>, Failure> {
    let mut items = Items::default();
    read_list(stream, |json| {
        let mut told = Told::default();
        json.object(|json, key| told.read(json, key))?;
        items.take(told.image(), json.fault());
        Ok(())
    })?;
    Ok(items.finish())
}

/// Reads the answer to `GET /images/ID/json`.
///
/// # Errors
/// When it is not about an image.
pub fn parse_image(stream: impl BufRead) -> Result<ListedImage, Failure> {
    let mut told = Told::default();
    read_object(stream, |json, key| told.read(json, key))?;
    let image = told.image();
    if image.id.is_empty() {
        return Err(Failure::malformed("no readable id"));
    }
    Ok(image)
}

/// Reads the labels from the answer to `GET /images/ID/json`.
///
/// # Errors
/// When it does not say which there are.
pub fn parse_image_labels(stream: impl BufRead) -> Result<BTreeMap<String, String>, Failure> {
    let (mut labels, mut is_unknown) = (BTreeMap::new(), false);
    read_object(stream, |json, key| {
        if key == "Config" {
            json.object(|json, key| {
                if key == "Labels" {
                    read_pairs(json, &mut labels)?;
                    is_unknown |= json.is_odd();
                }
                Ok(())
            })?;
            is_unknown |= json.is_odd();
        }
        Ok(())
    })?;
    if is_unknown && labels.is_empty() {
        return Err(Failure::malformed("no readable labels"));
    }
    Ok(labels)
}

impl Told {
    fn read<R: BufRead>(&mut self, json: &mut Json<R>, key: &str) -> Result<(), ReadError> {
        match key {
            "Id" => first(&mut self.id, json.text(MOST_TEXT_BYTES)?),
            "Size" => first(&mut self.size, json.number()?),
            "RepoTags" => self.lacks_names |= !read_names(json, &mut self.tags)?,
            "RepoDigests" => self.lacks_names |= !read_names(json, &mut self.digests)?,
            _ => {}
        }
        Ok(())
    }

    /// No engine of these pins images by itself.
    fn image(self) -> ListedImage {
        ListedImage {
            id: self.id.unwrap_or_default(),
            tags: self.tags,
            digests: self.digests,
            size_bytes: u64::try_from(self.size.unwrap_or(0)).unwrap_or(0),
            pinned: self.lacks_names,
        }
    }
}

/// Reads names; `<none>:<none>` and `<none>@<none>` are none. Returns whether all of them are
/// known then.
fn read_names<R: BufRead>(json: &mut Json<R>, names: &mut Vec<String>) -> Result<bool, ReadError> {
    let mut is_whole = true;
    json.array(|json| {
        match json.text(MOST_TEXT_BYTES)? {
            Some(name) if name.starts_with("<none>") => {}
            Some(name) if names.len() < MOST_NAMES => names.push(name),
            Some(_) | None => is_whole = false,
        }
        Ok(())
    })?;
    Ok(is_whole && !json.is_odd())
}
