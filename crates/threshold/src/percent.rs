//! Percentages as the kubelet keeps them: float32 fractions, read by Go's
//! number grammar. The only floats in evictd, because the byte counts that
//! follow from them must be the kubelet's (decision D29).

use alloc::format;
use core::fmt;
use core::num::IntErrorKind;

use evictd_quantity::underscores_separate_digits;

use crate::ErrorKind;

const MALFORMED: ErrorKind = ErrorKind::Percentage("invalid syntax");

/// The fraction that `12.5%` means; all trailing `%` are cut.
///
/// A finite text beyond float32 is an error for Go, and infinity where the
/// numbers are read.
pub(crate) fn parse(text: &str) -> Result<f32, ErrorKind> {
    let number = text.trim_end_matches('%');
    if number.contains('_') {
        if !underscores_separate_digits(number) {
            return Err(MALFORMED);
        }
        return parse(&number.replace('_', ""));
    }
    let unsigned = number.strip_prefix(['+', '-']).unwrap_or(number);
    let value = match unsigned.strip_prefix("0x").or(unsigned.strip_prefix("0X")) {
        Some(digits) if number.starts_with('-') => parse_hexadecimal(digits).map(|value| -value),
        Some(digits) => parse_hexadecimal(digits),
        None => number.parse().ok(),
    };
    let value = value.ok_or(MALFORMED)?;
    if value.is_nan() && unsigned.len() != number.len() {
        return Err(MALFORMED); // Go knows no signed NaN
    }
    if value.is_infinite() && unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(ErrorKind::Percentage("value out of range"));
    }
    Ok(value / 100.0)
}

/// A hexadecimal float without its `0x`: `1.8p3` is 12. Go takes them and Rust's standard
/// library does not; decimal numbers, `inf` and `nan` are the same in both.
fn parse_hexadecimal(text: &str) -> Option<f32> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut exponent = match exponent.parse::<i32>() {
        Ok(exponent) => exponent,
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => i32::MAX,
        Err(error) if *error.kind() == IntErrorKind::NegOverflow => i32::MIN,
        Err(_) => return None,
    };
    // At most 53 bits, so that they fit a float64 exactly; of a digit below those it is
    // enough to know whether it is zero, as float32 keeps only 24 of them.
    let mut bits = 0_u64;
    let whole = whole.chars().map(|digit| (digit, false));
    for (digit, is_fraction) in whole.chain(fraction.chars().map(|digit| (digit, true))) {
        let digit = u64::from(digit.to_digit(16)?);
        let is_kept = bits < 1 << 49;
        bits = if is_kept {
            bits << 4 | digit
        } else {
            bits | u64::from(digit != 0)
        };
        exponent = match (is_kept, is_fraction) {
            (true, true) => exponent.saturating_sub(4),
            (false, false) => exponent.saturating_add(4),
            (true, false) | (false, true) => exponent,
        };
    }
    // Beyond 2^±300 every such number is infinite, or zero, as a float32.
    let exponent = u64::try_from(exponent.clamp(-300, 300) + 1023).ok()?;
    let power_of_two = f64::from_bits(exponent << 52);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "the product is exact; the one rounding is that to float32, to the nearest"
    )]
    Some((bits as f64 * power_of_two) as f32)
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
        let text = format!("{:.5}", f64::from(self.0) * 100.0);
        let short = text.trim_end_matches('0').trim_end_matches('.');
        write!(f, "{short}%")
    }
}
