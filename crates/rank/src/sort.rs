use alloc::vec::Vec;
use core::mem::swap;

/// The bits of a key that say which candidate it is of, and do not order it.
pub(crate) const INDEX_BITS: u32 = 32;

/// How many bytes those are.
const INDEX_BYTES: usize = 4;

/// Sorts keys by what stands above their index, and leaves equal ones as they are.
///
/// Byte by byte, the least significant first, and only those bytes in which keys
/// differ: no two keys are ever compared. Sorts that compare take three times as long,
/// and std's, where it is built for size, ten times.
pub(crate) fn sort(keys: &mut Vec<u128>) {
    let first = keys.first().copied().unwrap_or(0);
    let varying = keys.iter().fold(0, |varying, key| varying | (key ^ first));
    let mut sorted = Vec::new();
    for (byte, varying) in varying.to_le_bytes().into_iter().enumerate() {
        if byte >= INDEX_BYTES && varying != 0 {
            sorted.resize(keys.len(), 0);
            sort_by_byte(keys, &mut sorted, byte);
            swap(keys, &mut sorted);
        }
    }
}

/// Writes `keys` into `sorted`, which is as long, in the order of one byte.
fn sort_by_byte(keys: &[u128], sorted: &mut [u128], byte: usize) {
    let digit = |key: &u128| usize::from(key.to_le_bytes().get(byte).copied().unwrap_or(0));
    // How many keys have each digit, then where the next of them goes.
    let mut places = [0_usize; 256];
    for key in keys {
        if let Some(count) = places.get_mut(digit(key)) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for place in &mut places {
        let count = *place;
        *place = sum;
        sum += count;
    }
    for key in keys {
        if let Some(place) = places.get_mut(digit(key))
            && let Some(slot) = sorted.get_mut(*place)
        {
            *slot = *key;
            *place += 1;
        }
    }
}
