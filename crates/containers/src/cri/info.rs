//! What a runtime tells beside the API's fields: JSON texts that each runtime shapes as it
//! likes.

use core::fmt;
use std::io;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::fields::MOST_NAME_BYTES;
use super::reader::{Reader, Value};

/// How much of such a text is read. That of a container has its process id at the head, and
/// the whole OCI specification behind, which may be of any length.
const MOST_TOLD_BYTES: usize = 256 << 10;

/// Reads what an answer tells under that key of its map: the head of the text, empty where
/// there is none.
///
/// # Errors
/// The source's.
pub fn parse_info(reader: &mut Reader<'_>, key: &str) -> io::Result<Vec<u8>> {
    let (whole, mut told) = (reader.whole(), Vec::new());
    reader.message(whole, &mut |reader, field, value| {
        if field == 2 {
            take_info(reader, value, key, &mut told)?;
        }
        Ok(())
    })?;
    Ok(told)
}

/// Reads a pair of that map.
pub(super) fn take_info(
    reader: &mut Reader<'_>,
    pair: Value,
    key: &str,
    told: &mut Vec<u8>,
) -> io::Result<()> {
    let mut is_it = false;
    reader.message(pair, &mut |reader, field, value| {
        match field {
            1 => is_it = reader.prefix(value, MOST_NAME_BYTES)? == key.as_bytes(),
            2 if is_it => *told = reader.prefix(value, MOST_TOLD_BYTES)?,
            _ => {}
        }
        Ok(())
    })
}

/// The value of the first of these keys in a JSON object. What stands behind it need not be
/// in form, nor be there; nothing is built of what is not asked for.
pub(super) fn find_told<'a, T: Deserialize<'a>>(json: &'a [u8], keys: &[&str]) -> Option<T> {
    let mut found = None;
    let search = Search {
        keys,
        found: &mut found,
    };
    // What is odd about the rest says nothing of what was found.
    let _ = search.deserialize(&mut serde_json::Deserializer::from_slice(json));
    found
}

struct Search<'k, 'f, T> {
    keys: &'k [&'k str],
    found: &'f mut Option<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Search<'_, '_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Search<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if self.keys.contains(&key.as_str()) {
                *self.found = Some(map.next_value()?);
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
