//! Texts to float32 as Go's `strconv.ParseFloat` reads them: to the nearest, ties
//! to even.
//!
//! The standard library's parser does the decimal half of this, with 16 kB of code
//! and tables for a speed that the few percentages of a start do not need.

use alloc::vec::Vec;

/// The last place that rounding asks for is 2^-150, half of the least float32; one
/// more says whether anything lies below.
const LEAST_SCALE: i32 = -151;

/// A multiple of 2^-151 has no more digits than this after its point.
const FRACTION_DIGITS: usize = 151;

/// The value of a decimal or hexadecimal number, or of a word for one that is none
/// or has no end; infinity where the number is beyond float32.
///
/// Go's grammar is Rust's, and hexadecimal floats beside it, which no one writes
/// but the kubelet takes.
pub(crate) fn parse(text: &str) -> Option<f32> {
    let (negative, unsigned) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let magnitude = match unsigned {
        [b'0', b'x' | b'X', digits @ ..] => parse_hexadecimal(digits)?,
        _ if is_word(unsigned, &["inf", "infinity"]) => f32::INFINITY,
        _ if is_word(unsigned, &["nan"]) => f32::NAN,
        digits => parse_decimal(digits)?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

fn is_word(text: &[u8], words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

/// Digits and exponent: `1.8e3`, `.5`, `5.`.
fn parse_decimal(text: &[u8]) -> Option<f32> {
    let mut halves = text.splitn(2, |c| matches!(c, b'e' | b'E'));
    let mantissa = halves.next()?;
    let exponent = halves.next().map_or(Some(0), parse_exponent)?;
    let (mut digits, mut point) = (Vec::new(), exponent);
    let (mut seen_point, mut seen_digit) = (false, false);
    for &c in mantissa {
        match c {
            b'.' if !seen_point => seen_point = true,
            b'0'..=b'9' => {
                seen_digit = true;
                let leads = c == b'0' && digits.is_empty();
                match (leads, seen_point) {
                    (true, true) => point = point.saturating_sub(1),
                    (false, false) => point = point.saturating_add(1),
                    (true, false) | (false, true) => {}
                }
                if !leads {
                    digits.push(c - b'0');
                }
            }
            _ => return None,
        }
    }
    seen_digit.then(|| from_digits(&digits, point))
}

/// The value of digits of which `point` stand before the point; the first is not 0.
///
/// The whole part is an integer, and doubling the fraction brings forth its bits
/// one by one, until there are more than float32 holds.
fn from_digits(digits: &[u8], point: i32) -> f32 {
    if digits.is_empty() || point < -45 {
        return 0.0; // 0, or less than 10^-46, which is less than half of the least float32
    }
    let mut digits = digits.iter().copied();
    let mut bits = 0_u128;
    for _ in 0..point {
        let digit = u128::from(digits.next().unwrap_or(0));
        let longer = bits.checked_mul(10).and_then(|b| b.checked_add(digit));
        let Some(longer) = longer else {
            return f32::INFINITY; // 2^128 and more
        };
        bits = longer;
    }
    let mut fraction = [0_u8; FRACTION_DIGITS];
    let before = usize::try_from(point.saturating_neg()).unwrap_or(0);
    for (place, digit) in fraction.iter_mut().skip(before).zip(&mut digits) {
        *place = digit;
    }
    let mut scale = 0_i32;
    while bits < 1 << 26 && scale > LEAST_SCALE {
        bits = bits << 1 | u128::from(double(&mut fraction));
        scale -= 1;
    }
    let inexact = digits.chain(fraction).any(|digit| digit != 0);
    compose(bits | u128::from(inexact), scale)
}

/// Doubles the digits of a fraction; the bit that comes to stand before the point.
fn double(fraction: &mut [u8]) -> bool {
    let mut carry = 0;
    for digit in fraction.iter_mut().rev() {
        let twice = *digit * 2 + carry;
        (*digit, carry) = if twice > 9 {
            (twice - 10, 1)
        } else {
            (twice, 0)
        };
    }
    carry == 1
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
    Some(compose(u128::from(bits), scale.saturating_add(exponent)))
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
        value = value.saturating_mul(10).saturating_add(digit);
    }
    Some(if negative { -value } else { value })
}

/// `bits * 2^scale`, rounded to the nearest float32, ties to even.
fn compose(bits: u128, scale: i32) -> f32 {
    if bits == 0 {
        return 0.0;
    }
    let top = 127_i32.saturating_sub(i32::try_from(bits.leading_zeros()).unwrap_or(0));
    let magnitude = top.saturating_add(scale);
    if magnitude > 127 {
        return f32::INFINITY;
    }
    // The weight of the last bit that float32 keeps: 2^-149 at the least.
    let last = magnitude.saturating_sub(23).max(-149);
    let drop = last.saturating_sub(scale);
    let kept = match u32::try_from(drop) {
        Err(_) => bits << drop.unsigned_abs().min(40),
        Ok(drop @ 0..=127) => round(bits, drop),
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
fn round(bits: u128, drop: u32) -> u128 {
    if drop == 0 {
        return bits;
    }
    let kept = bits >> drop;
    let rest = bits & ((1 << drop) - 1);
    let half = 1_u128 << (drop - 1);
    kept + u128::from(rest > half || (rest == half && kept & 1 == 1))
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

#[cfg(test)]
mod tests;
