//! Fields that several of CRI's messages have.

use alloc::collections::BTreeMap;
use alloc::string::String;
use std::io;

use super::reader::{Reader, Value, shown};
use crate::pods::decides;

/// The longest id, name of an image or value of a label that is kept: no longer one means anything.
pub(super) const MOST_NAME_BYTES: usize = 1024;
/// The longest path that the kernel takes.
pub(super) const MOST_PATH_BYTES: usize = 4096;

/// An id; empty where there is none that can be read.
pub(super) fn id(reader: &mut Reader<'_>, value: Value) -> io::Result<String> {
    Ok(reader.text(value, MOST_NAME_BYTES)?.unwrap_or_default())
}

/// Reads one pair of a map of texts. In protobuf each pair is a field of its own, and all have
/// the map's field number. A pair that decides nothing is not kept, whatever it holds.
pub(super) fn pair(
    reader: &mut Reader<'_>,
    pair: Value,
    map: &mut BTreeMap<String, String>,
) -> io::Result<()> {
    let (mut key, mut value) = (Vec::new(), Vec::new());
    reader.message(pair, &mut |reader, field, text| {
        match field {
            1 => key = reader.prefix(text, MOST_NAME_BYTES)?,
            2 => value = reader.prefix(text, MOST_NAME_BYTES.saturating_add(1))?,
            _ => {}
        }
        Ok(())
    })?;
    let Some(key) = String::from_utf8(key).ok().filter(|key| decides(key)) else {
        return Ok(());
    };
    if value.len() > MOST_NAME_BYTES {
        reader.note("a label of more than 1024 bytes");
    } else {
        map.insert(key, shown(&value));
    }
    Ok(())
}

/// A number of 32 bits; the largest where it is larger.
pub(super) fn word(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
