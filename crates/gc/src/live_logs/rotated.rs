//! The names of logs that were renamed so that their runtime begins new ones, as the kubelet
//! gives them.

use alloc::format;
use alloc::string::String;

use evictd_node::date;

/// What stands behind the name of a log that was renamed: its time, as digits.
const FORM: &[u8] = b"00000000-000000";

/// The name that a log gets at this time, in seconds since 1970:
/// `0.log.20261125-134500`.
#[must_use]
pub fn rotated_name(name: &str, seconds: u64) -> String {
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{name}.{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}

/// Whether this is a former part of the log of that name: renamed, and perhaps compressed.
#[must_use]
pub fn is_rotated(name: &[u8], other: &[u8]) -> bool {
    let Some(stamp) = other
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(b"."))
    else {
        return false;
    };
    let stamp = stamp.strip_suffix(b".gz").unwrap_or(stamp);
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    };
    stamp.len() == FORM.len() && stamp.iter().zip(FORM).all(fits)
}
