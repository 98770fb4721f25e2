use alloc::vec::Vec;
use core::mem::swap;

/// The bits of a key that say which candidate it is of, and do not order it.
pub(crate) const INDEX_BITS: u32 = 32;

/// How many bits above those are looked at at once.
const DIGIT_BITS: u32 = 8;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Sorts keys by what stands above their index, and leaves equal ones as they are. It
/// takes twice their room.
///
/// Digit by digit, the least significant first, and only by bits in which keys differ:
/// no two keys are ever compared. Sorts that compare take three times as long, and
/// std's, where it is built for size, ten times.
pub(crate) fn sort(keys: &mut Vec<u128>) {
    let count = keys.len();
    let first = keys.first().copied().unwrap_or(0);
    let varying = keys.iter().fold(0, |varying, key| varying | (key ^ first));
    // Each digit moves them from one half to the other.
    keys.resize(count * 2, 0);
    let Some((mut keys_now, mut sorted)) = keys.split_at_mut_checked(count) else {
        return;
    };
    let mut shift = INDEX_BITS;
    while let Some(rest @ 1..) = varying.checked_shr(shift) {
        shift += rest.trailing_zeros();
        sort_by_digit(keys_now, sorted, shift);
        swap(&mut keys_now, &mut sorted);
        shift += DIGIT_BITS;
    }
    sorted.copy_from_slice(keys_now);
    keys.truncate(count);
}

/// Writes `keys` into `sorted`, which is as long, in the order of one digit.
fn sort_by_digit(keys: &[u128], sorted: &mut [u128], shift: u32) {
    let digit = |key: u128| usize::try_from((key >> shift) % (1 << DIGIT_BITS)).unwrap_or(0);
    // How many keys have each digit, then where the next of them goes.
    let mut places = [0_usize; DIGITS];
    for key in keys {
        if let Some(count) = places.get_mut(digit(*key)) {
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
        if let Some(place) = places.get_mut(digit(*key))
            && let Some(slot) = sorted.get_mut(*place)
        {
            *slot = *key;
            *place += 1;
        }
    }
}
