use core::cmp::Ordering;
use core::str::FromStr;

use crate::decimal::Decimal;
use crate::number::Number;
use crate::scan::{Scan, Suffix, scan};
use crate::small::Small;
use crate::{Format, ParseQuantityError, ParseQuantityErrorKind, Quantity};

/// The finest power of ten that is kept.
const NANO: i32 = -9;

/// The lowest exponent that is read off the fast path. Kubernetes takes seconds
/// there and for ever soon after.
const LOWEST_EXPONENT: i32 = -10_000_000;

impl Quantity {
    /// Reads a quantity as Kubernetes v1.32 does, apimachinery's
    /// `resource.ParseQuantity`.
    ///
    /// What is finer than a billionth is rounded away from zero. Binary suffixes
    /// cap the number at 2^63-1 in magnitude. An exponent is cut to 32 bits, so
    /// `1e4294967296` is 1. Blanks are not skipped.
    ///
    /// # Errors
    /// When the text has not the form of a quantity, its suffix does not exist or
    /// it has no digits. Numbers with an exponent below minus ten million, which
    /// Kubernetes would calculate for minutes, are refused too.
    pub fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        parse(text)
    }
}

impl FromStr for Quantity {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

fn parse(text: &str) -> Result<Quantity, ParseQuantityError> {
    let scan = scan(text)?;
    if let Some(quantity) = fast(text, &scan) {
        return Ok(quantity);
    }
    let fail = |kind| ParseQuantityError {
        kind,
        position: scan.suffix_at,
    };
    if !scan.any_digit {
        return Err(fail(ParseQuantityErrorKind::Numeric));
    }
    let (number, format) = match scan.suffix {
        Suffix::Binary(shift) => binary(&scan, shift),
        suffix if scan.digits().all(|digit| digit == 0) => {
            (Number::Small(Small::ZERO), suffix.format())
        }
        Suffix::Decimal(exp) | Suffix::Exponent(exp) => {
            if exp < LOWEST_EXPONENT {
                return Err(fail(ParseQuantityErrorKind::Suffix));
            }
            (exact(&scan, exp, 1).into(), scan.suffix.format())
        }
    };
    Ok(Quantity::new(number, format))
}

/// The quantity off Kubernetes' fast path. There, and only there, a text that
/// looks canonical is printed as it was.
fn fast(text: &str, scan: &Scan<'_>) -> Option<Quantity> {
    // A missing part before the dot counts as a zero.
    let length = scan.int.len().max(1) + scan.frac.len();
    if length > 18 {
        return None;
    }
    let append = |number: i64, digit| number * 10 + i64::from(digit);
    let mantissa = scan.digits().fold(0, append);
    let (magnitude, exp, looks_canonical) = match scan.suffix {
        Suffix::Decimal(exp) | Suffix::Exponent(exp) => {
            // Kubernetes lets the exponent wrap here.
            let exp = exp.wrapping_sub(places(scan));
            let looks_canonical = exp % 3 == 0 && !scan.int.is_empty() && mantissa % 1000 != 0;
            (mantissa, exp, looks_canonical)
        }
        // It reckons three digits for each step of 1024 and wants 14 in all.
        Suffix::Binary(shift) if length + usize::try_from(shift / 10 * 3).ok()? > 14 => {
            return None;
        }
        Suffix::Binary(_) if !scan.frac.is_empty() => return None,
        Suffix::Binary(shift) => (mantissa << shift, 0, mantissa % 8 != 0),
    };
    if exp < NANO {
        return None;
    }
    let value = if scan.negative { -magnitude } else { magnitude };
    let number = Number::Small(Small { value, exp });
    let mut quantity = Quantity::new(number, scan.suffix.format());
    // Most texts are what would be printed anyway: a number without a plus, zeros in front or
    // a dot. An exponent may still be written in several ways.
    let is_plain = scan.suffix_at == usize::from(scan.negative) + scan.int.len();
    let has_exponent = matches!(scan.suffix, Suffix::Exponent(_));
    let is_printed_so = is_plain && (!has_exponent || quantity.canonical() == text);
    if looks_canonical && !is_printed_so {
        quantity.text = Some(text.into());
    }
    Some(quantity)
}

/// How many digits stand after the dot.
fn places(scan: &Scan<'_>) -> i32 {
    i32::try_from(scan.frac.len()).unwrap_or(i32::MAX)
}

/// The number with all its digits, times `factor`, rounded to nano.
fn exact(scan: &Scan<'_>, exp: i32, factor: u64) -> Decimal {
    let exp = exp.saturating_sub(places(scan));
    let mut number = Decimal::new(scan.negative, scan.digits().rev().collect(), exp);
    number.multiply(factor);
    if number.exp < NANO {
        number.round_to(NANO);
    }
    number
}

/// A number with a binary suffix: at most 2^63-1 in magnitude, and in decimal
/// format where it is below one.
fn binary(scan: &Scan<'_>, shift: u32) -> (Number, Format) {
    let number = exact(scan, 0, 1 << shift);
    let cap = if scan.negative { -i64::MAX } else { i64::MAX };
    let cap = Small { value: cap, exp: 0 };
    if number.cmp_magnitude(&Decimal::from_small(cap)) == Ordering::Greater {
        return (Number::Small(cap), Format::BinarySi);
    }
    let is_below_one = !number.digits.is_empty() && number.top() <= 0;
    let format = if is_below_one {
        Format::DecimalSi
    } else {
        Format::BinarySi
    };
    (number.into(), format)
}
