//! Percentages as the kubelet keeps them: float32 fractions, read by Go's
//! number grammar. The only floats in evictd, because the byte counts that
//! follow from them must be the kubelet's (decision D29).

use core::fmt;

use crate::ErrorKind;

/// The fraction that `12.5%` means; all trailing `%` are cut.
///
/// Go's grammar is Rust's, and hexadecimal floats beside it, which no one
/// writes but the kubelet takes. A finite text beyond float32 is an error there,
/// and infinity here.
pub(crate) fn parse(text: &str) -> Result<f32, ErrorKind> {
    let number = text.trim_end_matches('%');
    if number.contains('_') {
        if !underscores_separate_digits(number) {
            return Err(ErrorKind::Percentage);
        }
        return parse(&number.replace('_', ""));
    }
    let unsigned = number.strip_prefix(['+', '-']).unwrap_or(number);
    let hexadecimal = unsigned
        .strip_prefix("0x")
        .or_else(|| unsigned.strip_prefix("0X"));
    let value = match hexadecimal {
        Some(digits) => {
            let value = parse_hexadecimal(digits.as_bytes()).ok_or(ErrorKind::Percentage)?;
            if number.starts_with('-') {
                -value
            } else {
                value
            }
        }
        None => number.parse::<f32>().map_err(|_| ErrorKind::Percentage)?,
    };
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

/// Digits and exponent of a hexadecimal float without its `0x`: `1.8p3` is 12.
fn parse_hexadecimal(text: &[u8]) -> Option<f32> {
    let split = text.iter().position(|c| matches!(c, b'p' | b'P'))?;
    let (mantissa, exponent) = text.split_at_checked(split)?;
    let exponent = parse_exponent(exponent.get(1..)?)?;
    let mut bits: u64 = 0;
    let mut scale: i32 = 0;
    let (mut seen_point, mut digits) = (false, 0_u32);
    for &c in mantissa {
        match (char::from(c).to_digit(16), c) {
            (Some(digit), _) => {
                digits = digits.saturating_add(1);
                if bits < 1 << 58 {
                    bits = bits << 4 | u64::from(digit);
                    scale = scale.saturating_sub(if seen_point { 4 } else { 0 });
                } else {
                    // Below the last bit of any float32: it only says "not exact".
                    bits |= u64::from(digit != 0);
                    scale = scale.saturating_add(if seen_point { 0 } else { 4 });
                }
            }
            (None, b'.') if !seen_point => seen_point = true,
            _ => return None,
        }
    }
    if digits == 0 {
        return None;
    }
    Some(compose(bits, scale.saturating_add(exponent)))
}

fn parse_exponent(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value: i32 = 0;
    for &c in digits {
        let digit = i32::try_from(char::from(c).to_digit(10)?).ok()?;
        value = value.saturating_mul(10).saturating_add(digit).min(100_000);
    }
    Some(if negative { -value } else { value })
}

/// `bits * 2^scale`, rounded to the nearest float32, ties to even.
fn compose(bits: u64, scale: i32) -> f32 {
    if bits == 0 {
        return 0.0;
    }
    let top = 63_i32.saturating_sub(i32::try_from(bits.leading_zeros()).unwrap_or(0));
    let magnitude = top.saturating_add(scale);
    if magnitude > 127 {
        return f32::INFINITY;
    }
    // The weight of the last bit that float32 keeps: 2^-149 at the least.
    let last = magnitude.saturating_sub(23).max(-149);
    let drop = last.saturating_sub(scale);
    let kept = match u32::try_from(drop) {
        Err(_) => bits << drop.unsigned_abs().min(40),
        Ok(drop @ 0..=63) => round(bits, drop),
        Ok(_) => 0,
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "at most 2^24 after rounding: exact"
    )]
    let kept = kept as f32;
    scaled(kept, last)
}

/// `bits / 2^drop`, to the nearest, ties to even.
fn round(bits: u64, drop: u32) -> u64 {
    if drop == 0 {
        return bits;
    }
    let kept = bits >> drop;
    let rest = bits & ((1 << drop) - 1);
    let half = 1_u64 << (drop - 1);
    kept + u64::from(rest > half || (rest == half && kept & 1 == 1))
}

/// `value * 2^power`, by exact halvings and doublings of a value that float32
/// can hold at the end.
fn scaled(mut value: f32, power: i32) -> f32 {
    let step = if power < 0 { 0.5 } else { 2.0 };
    for _ in 0..power.unsigned_abs().min(300) {
        value *= step;
    }
    value
}
