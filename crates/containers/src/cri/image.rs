//! Images as CRI lists them, read into the model.

use std::io;

use super::fields::{MOST_NAME_BYTES, id};
use super::reader::{Reader, Value};
use crate::ListedImage;

/// A digest stands behind it: so ids of images begin.
const SHA256: &str = "sha256:";
/// The most names of one image that are kept, of each kind.
const MOST_NAMES: usize = 1024;

/// Whether it is an image's id and not a name.
pub(super) fn is_image_id(text: &str) -> bool {
    text.strip_prefix(SHA256).is_some_and(|hex| hex.len() == 64)
}

/// Reads an `Image`, as far as it can be read. Where not all of it can be, it counts as
/// pinned: what cannot be read may be a name by which it is to stay.
///
/// # Errors
/// The source's.
pub fn parse_image(reader: &mut Reader<'_>, image: Value) -> io::Result<ListedImage> {
    let mut read = ListedImage::default();
    reader.message(image, &mut |reader, field, value| {
        match field {
            1 => read.id = id(reader, value)?,
            2 => name(reader, value, &mut read.tags)?,
            3 => name(reader, value, &mut read.digests)?,
            4 => read.size_bytes = reader.number(value).unwrap_or(0),
            8 => read.pinned = reader.number(value).is_some_and(|pinned| pinned != 0),
            _ => {}
        }
        Ok(())
    })?;
    read.pinned |= reader.has_fault();
    Ok(read)
}

fn name(reader: &mut Reader<'_>, value: Value, names: &mut Vec<String>) -> io::Result<()> {
    if names.len() >= MOST_NAMES {
        reader.note("more than 1024 names");
    } else {
        names.extend(reader.text(value, MOST_NAME_BYTES)?);
    }
    Ok(())
}

/// Reads an `ImageStatusResponse`: the image's id, empty where there is no such image.
///
/// # Errors
/// The source's.
pub fn parse_image_id(reader: &mut Reader<'_>) -> io::Result<String> {
    let (whole, mut read) = (reader.whole(), String::new());
    reader.message(whole, &mut |reader, field, value| {
        if field == 1 {
            read = image_spec(reader, value)?.unwrap_or_default();
        }
        Ok(())
    })?;
    Ok(read)
}

/// Reads what an `Image` and an `ImageSpec` begin with: an image's id, or how it was asked
/// for.
pub(super) fn image_spec(reader: &mut Reader<'_>, spec: Value) -> io::Result<Option<String>> {
    let mut image = None;
    reader.message(spec, &mut |reader, field, value| {
        if field == 1 {
            image = reader.text(value, MOST_NAME_BYTES)?;
        }
        Ok(())
    })?;
    Ok(image)
}
