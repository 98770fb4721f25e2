//! Fields of CRI's messages that come more than once, within bounds.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::proto::{Bytes, Message, ProtoError};
use crate::bounds::{MOST_LABEL_BYTES, MOST_OF_ONE, TOO_MANY_OF_ONE};
use crate::pods::decides;

/// The fields of this number, if they are not too many for one item.
pub(super) fn few<'a>(
    message: &Message<'a>,
    number: u32,
) -> Result<impl Iterator<Item = Bytes<'a>> + use<'a>, ProtoError> {
    if message.all(number).nth(MOST_OF_ONE).is_some() {
        return Err(message.error(TOO_MANY_OF_ONE));
    }
    Ok(message.all(number))
}

/// A map of texts: the pairs are so many fields of this number. Those that decide nothing
/// are left out, and those that are too long to mean anything.
pub(super) fn map(
    message: &Message<'_>,
    number: u32,
) -> Result<BTreeMap<String, String>, ProtoError> {
    let mut map = BTreeMap::new();
    for pair in few(message, number)? {
        let pair = pair.message()?;
        let (key, value) = (pair.bytes(1), pair.bytes(2));
        if key.len().saturating_add(value.len()) > MOST_LABEL_BYTES {
            continue;
        }
        let key = key.text();
        if decides(&key) {
            map.insert(key, value.text());
        }
    }
    Ok(map)
}

/// A number of 32 bits.
pub(super) fn word(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
