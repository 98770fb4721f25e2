use core::num::IntErrorKind;

use crate::scan::split_sign;

/// An integer as Go's `strconv.ParseInt` reads it with base 0, but for underscores: a sign,
/// then decimal digits, or others with `0x`, `0o`, `0b` or `0` in front. It is cut to what
/// 128 bits hold; `None` where Go sees no number.
#[must_use]
pub fn parse_go_integer(text: &str) -> Option<i128> {
    let (negative, unsigned) = split_sign(text);
    let (base, digits) = match unsigned.split_at_checked(2) {
        Some(("0x" | "0X", digits)) => (16, digits),
        Some(("0o" | "0O", digits)) => (8, digits),
        Some(("0b" | "0B", digits)) => (2, digits),
        _ if unsigned.starts_with('0') => (8, unsigned),
        _ => (10, unsigned),
    };
    if digits.starts_with(['-', '+']) {
        return None; // The standard library would take another sign.
    }
    let magnitude = match i128::from_str_radix(digits, base) {
        Ok(magnitude) => magnitude,
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => i128::MAX,
        Err(_) => return None,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Whether each underscore of a number stands between two digits, or a base prefix and a
/// digit, as in `1_000` and `0x_8p0` (Go: `strconv.underscoreOK`).
#[must_use]
pub fn underscores_separate_digits(number: &str) -> bool {
    let (_, unsigned) = split_sign(number);
    let prefixes = ["0b", "0B", "0o", "0O", "0x", "0X"];
    let prefix = prefixes.into_iter().find(|p| unsigned.starts_with(p));
    let is_hexadecimal = prefix.is_some_and(|p| p.ends_with(['x', 'X']));
    let is_digit = |c: char| c.is_ascii_digit() || (is_hexadecimal && c.is_ascii_hexdigit());
    let digits = prefix.and_then(|p| unsigned.strip_prefix(p));
    let mut pieces = digits.unwrap_or(unsigned).split('_');
    let first = pieces.next().unwrap_or("");
    let mut may_follow = first.ends_with(is_digit) || (first.is_empty() && prefix.is_some());
    pieces.all(|piece| {
        let separates = may_follow && piece.starts_with(is_digit);
        may_follow = piece.ends_with(is_digit);
        separates
    })
}
