//! The names of logs that were renamed so that their runtime begins new ones, as the kubelet
//! gives them.

use alloc::format;
use alloc::string::String;

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

/// The date that many days after 1970-01-01: years are counted from March, so that the leap
/// day is the last of a year.
const fn date(days: u64) -> (u64, u64, u64) {
    let days = days.saturating_add(719_468);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}
