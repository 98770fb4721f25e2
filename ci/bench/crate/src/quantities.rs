use core::hint::black_box;

use evictd_quantity::Quantity;

use crate::clock::picos_of;

/// How often a text is read between two looks at the clock.
const INNER: usize = 1000;

/// Picoseconds for one text: ours, and the least that reading it takes.
pub(crate) fn figures(texts: &[&str], rounds: usize) -> Vec<u64> {
    // One that reads something else would do another job.
    let is_same = |text: &&str| {
        let quantity = Quantity::parse(text).ok();
        quantity.map(|quantity| i128::from(quantity.milli_value())) == least(text.as_bytes())
    };
    if !texts.iter().all(is_same) {
        return Vec::new();
    }
    let each = u64::try_from(texts.len().max(1)).unwrap_or(1);
    let ours = picos_of(rounds, INNER, || {
        for text in texts {
            let _ = black_box(Quantity::parse(black_box(text)));
        }
    });
    let least = picos_of(rounds, INNER, || {
        for text in texts {
            let _ = black_box(least(black_box(text.as_bytes())));
        }
    });
    vec![ours / each, least / each]
}

/// A quantity in thousandths, rounded up: what a parser does that keeps neither the
/// format nor the text, and knows only numbers that fit.
fn least(text: &[u8]) -> Option<i128> {
    let (is_negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (mut digits, mut number, mut fraction, mut is_fraction) = (0, 0_u64, 0_i32, false);
    let mut rest = text;
    while let [first, after @ ..] = rest {
        match first {
            b'0'..=b'9' => {
                number = number
                    .checked_mul(10)?
                    .checked_add(u64::from(first - b'0'))?;
                digits += 1;
                fraction += i32::from(is_fraction);
            }
            b'.' if !is_fraction => is_fraction = true,
            _ => break,
        }
        rest = after;
    }
    if digits == 0 {
        return None;
    }
    let (factor, tens) = suffix(rest)?;
    let scaled = scale(u128::from(number).checked_mul(factor)?, tens - fraction + 3)?;
    let amount = i128::try_from(scaled).ok()?;
    Some(if is_negative { -amount } else { amount })
}

/// What a suffix multiplies with: a number, and a power of ten.
fn suffix(text: &[u8]) -> Option<(u128, i32)> {
    Some(match text {
        b"" => (1, 0),
        b"Ki" => (1 << 10, 0),
        b"Mi" => (1 << 20, 0),
        b"Gi" => (1 << 30, 0),
        b"Ti" => (1 << 40, 0),
        b"Pi" => (1 << 50, 0),
        b"Ei" => (1 << 60, 0),
        b"n" => (1, -9),
        b"u" => (1, -6),
        b"m" => (1, -3),
        b"k" => (1, 3),
        b"M" => (1, 6),
        b"G" => (1, 9),
        b"T" => (1, 12),
        b"P" => (1, 15),
        b"E" => (1, 18),
        [b'e' | b'E', exponent @ ..] => (1, exponent_of(exponent)?),
        _ => return None,
    })
}

fn exponent_of(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut exponent = 0_i32;
    for digit in digits {
        if !digit.is_ascii_digit() || exponent > 40 {
            return None;
        }
        exponent = exponent * 10 + i32::from(digit - b'0');
    }
    Some(sign * exponent)
}

fn scale(number: u128, tens: i32) -> Option<u128> {
    let power = 10_u128.checked_pow(tens.unsigned_abs())?;
    if tens < 0 {
        Some(number.div_ceil(power))
    } else {
        number.checked_mul(power)
    }
}
