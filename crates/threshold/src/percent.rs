//! Percentages as the kubelet keeps them: float32 fractions, read by Go's
//! number grammar. The only floats in evictd, because the byte counts that
//! follow from them must be the kubelet's (decision D29).

use core::fmt;

use crate::{ErrorKind, float};

/// The fraction that `12.5%` means; all trailing `%` are cut.
///
/// A finite text beyond float32 is an error for Go, and infinity where the
/// numbers are read.
pub(crate) fn parse(text: &str) -> Result<f32, ErrorKind> {
    let number = text.trim_end_matches('%');
    if number.contains('_') {
        if !underscores_separate_digits(number) {
            return Err(ErrorKind::Percentage);
        }
        return parse(&number.replace('_', ""));
    }
    let unsigned = number.strip_prefix(['+', '-']).unwrap_or(number);
    let value = float::parse(number).ok_or(ErrorKind::Percentage)?;
    if value.is_nan() && unsigned.len() != number.len() {
        return Err(ErrorKind::Percentage); // Go knows no signed NaN
    }
    if value.is_infinite() && unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(ErrorKind::PercentageOutOfRange);
    }
    Ok(value / 100.0)
}

/// Whether each underscore stands between two digits, or a base prefix and a
/// digit, as in `1_000` and `0x_8p0` (Go: `strconv.underscoreOK`).
fn underscores_separate_digits(number: &str) -> bool {
    let unsigned = number.strip_prefix(['+', '-']).unwrap_or(number);
    let prefixed = ["0b", "0B", "0o", "0O", "0x", "0X"]
        .iter()
        .find(|p| unsigned.starts_with(**p));
    let hexadecimal = prefixed.is_some_and(|p| p.ends_with(['x', 'X']));
    let digits = unsigned
        .get(prefixed.map_or(0, |p| p.len())..)
        .unwrap_or("");
    let mut last = if prefixed.is_some() { '0' } else { '^' };
    for c in digits.chars() {
        let is_digit = c.is_ascii_digit() || (hexadecimal && c.is_ascii_hexdigit());
        if (c == '_' && last != '0') || (c != '_' && !is_digit && last == '_') {
            return false;
        }
        last = if is_digit { '0' } else { c };
    }
    last != '_'
}

/// The amount that a fraction is of a capacity, cut towards zero.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the kubelet's own arithmetic: float64 product, cut to an integer"
)]
pub(crate) fn share(fraction: f32, capacity: i64) -> i64 {
    (f64::from(fraction) * capacity as f64) as i64
}

/// A fraction as people write percentages: five decimals at most, which is what
/// float32 holds, without trailing zeros.
pub(crate) struct Shown(pub(crate) f32);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millionths = share(self.0, 10_000_000);
        let tenth = share(self.0, 100_000_000).saturating_sub(millionths.saturating_mul(10));
        let rounded = millionths.saturating_add(i64::from(tenth >= 5));
        let (whole, mut decimals) = (rounded / 100_000, rounded % 100_000);
        write!(f, "{whole}")?;
        if decimals != 0 {
            let mut width = 5;
            while decimals % 10 == 0 {
                (decimals, width) = (decimals / 10, width - 1);
            }
            write!(f, ".{decimals:0width$}")?;
        }
        f.write_str("%")
    }
}
