use core::cmp::Ordering;

use crate::decimal::Decimal;
use crate::number::Number;
use crate::scan::{Scan, Suffix, scan};
use crate::small::{Small, power};
use crate::{Format, ParseQuantityError, ParseQuantityErrorKind, Quantity};

/// The finest power of ten that is kept.
const NANO: i32 = -9;

/// The lowest exponent that is read off the fast path. Kubernetes takes seconds
/// there and for ever soon after.
const LOWEST_EXPONENT: i32 = -10_000_000;

/// Reads a quantity.
pub(crate) fn parse(text: &[u8]) -> Result<Quantity, ParseQuantityError> {
    let scan = scan(text)?;
    let (number, format) = match scan.suffix {
        Suffix::Decimal(exp) | Suffix::Exponent(exp) => {
            let format = match scan.suffix {
                Suffix::Exponent(_) => Format::DecimalExponent,
                Suffix::Decimal(_) | Suffix::Binary(_) => Format::DecimalSi,
            };
            match scan.fast_decimal(exp) {
                Some(small) => return Ok(quantity(text, &scan, small, format)),
                None => (slow_decimal(&scan, exp)?, format),
            }
        }
        Suffix::Binary(shift) => match scan.fast_binary(shift) {
            Some(small) => return Ok(quantity(text, &scan, small, Format::BinarySi)),
            None => slow_binary(&scan, shift)?,
        },
    };
    Ok(Quantity::new(number, format, None))
}

/// The quantity off Kubernetes' fast path. There, and only there, a text that
/// looks canonical is printed as it was.
fn quantity(text: &[u8], scan: &Scan<'_>, small: Small, format: Format) -> Quantity {
    let canonical = match format {
        Format::BinarySi => !scan.mantissa.is_multiple_of(8),
        Format::DecimalSi | Format::DecimalExponent => {
            small.exp % 3 == 0 && !scan.int.is_empty() && !scan.mantissa.is_multiple_of(1000)
        }
    };
    // Only ASCII is on the fast path.
    let text = core::str::from_utf8(text).ok();
    let kept = text.filter(|text| canonical && !scan.is_plain(text.as_bytes()));
    Quantity::new(Number::Small(small), format, kept.map(Into::into))
}

impl Scan<'_> {
    /// How many digits Kubernetes counts: a missing part before the dot is a zero.
    fn length(&self) -> usize {
        self.int.len().max(1) + self.frac.len()
    }

    /// Whether a text that may be kept is one that would be printed anyway, as
    /// most are: no plus, no leading zero, no dot, no odd exponent.
    fn is_plain(&self, text: &[u8]) -> bool {
        self.suffix_at == usize::from(self.negative) + self.int.len()
            && match self.suffix {
                Suffix::Decimal(_) | Suffix::Binary(_) => true,
                Suffix::Exponent(_) => {
                    matches!(text.get(self.suffix_at..), Some([b'e', b'1'..=b'9']))
                }
            }
    }

    fn signed(&self, magnitude: u64) -> i128 {
        let magnitude = i128::from(magnitude);
        if self.negative { -magnitude } else { magnitude }
    }

    /// Up to 18 digits that reach down to nano: Kubernetes' fast path.
    fn fast_decimal(&self, exp: i32) -> Option<Small> {
        if self.length() > 18 {
            return None;
        }
        // Kubernetes lets the exponent wrap here.
        let exp = exp.wrapping_sub(i32::try_from(self.frac.len()).ok()?);
        let value = i64::try_from(self.signed(self.mantissa)).ok()?;
        (exp >= NANO).then_some(Small { value, exp })
    }

    /// Few whole digits: the other half of Kubernetes' fast path. It reckons three
    /// digits for each step of 1024 and wants 14 in all.
    fn fast_binary(&self, shift: u32) -> Option<Small> {
        let digits = u32::try_from(self.length()).ok()?;
        if !self.frac.is_empty() || digits.saturating_add(shift / 10 * 3) > 14 {
            return None;
        }
        let value = i64::try_from(self.signed(self.mantissa << shift)).ok()?;
        Some(Small { value, exp: 0 })
    }

    /// The exponent of the last digit, off the fast path.
    fn lowest(&self, exp: i32) -> i64 {
        i64::try_from(self.frac.len()).map_or(i64::MIN, |len| i64::from(exp).saturating_sub(len))
    }

    /// Whether `mantissa` holds all digits.
    fn is_short(&self) -> bool {
        self.int.len() + self.frac.len() <= 19
    }

    fn is_zero(&self) -> bool {
        self.int.is_empty() && self.frac.iter().all(|digit| *digit == b'0')
    }

    fn error(&self, kind: ParseQuantityErrorKind) -> ParseQuantityError {
        ParseQuantityError::new(kind, self.suffix_at)
    }

    /// The number as digits, rounded to nano.
    fn decimal(&self, exp: i32, factor: u64) -> Decimal {
        let mut number = Decimal::from_text(self.negative, self.int, self.frac);
        number.multiply(factor);
        let exp = self.lowest(exp);
        if let Ok(excess @ 1..) = usize::try_from(i64::from(NANO).saturating_sub(exp))
            && number.cut(excess)
        {
            number.increment();
        }
        number.exp = i32::try_from(exp).unwrap_or(NANO).max(NANO);
        number
    }
}

/// Rounds a number of at most 19 digits, or with at most 19 decimal places, to
/// nano, away from zero.
fn round(magnitude: i128, exp: i64) -> (i128, i32) {
    let kept = i32::try_from(exp).unwrap_or(NANO).max(NANO);
    let excess = u32::try_from(i64::from(kept).saturating_sub(exp)).unwrap_or(u32::MAX);
    let rounded = match power(excess) {
        Some(1) => magnitude,
        Some(factor) => magnitude / factor + i128::from(magnitude % factor != 0),
        None => magnitude.signum(),
    };
    (rounded, kept)
}

fn slow_decimal(scan: &Scan<'_>, exp: i32) -> Result<Number, ParseQuantityError> {
    if !scan.any_digit {
        return Err(scan.error(ParseQuantityErrorKind::Numeric));
    }
    if scan.is_zero() {
        return Ok(Number::Small(Small::ZERO));
    }
    if exp < LOWEST_EXPONENT {
        return Err(scan.error(ParseQuantityErrorKind::Suffix));
    }
    if scan.is_short() {
        let (magnitude, exp) = round(i128::from(scan.mantissa), scan.lowest(exp));
        let value = if scan.negative { -magnitude } else { magnitude };
        if let Some(small) = Small::fit(value, exp) {
            return Ok(Number::Small(small));
        }
    }
    Ok(scan.decimal(exp, 1).into())
}

/// A number with a binary suffix: at most 2^63-1 in magnitude, and in decimal
/// format where it is below one.
fn slow_binary(scan: &Scan<'_>, shift: u32) -> Result<(Number, Format), ParseQuantityError> {
    if !scan.any_digit {
        return Err(scan.error(ParseQuantityErrorKind::Numeric));
    }
    if let Some(short) = short_binary(scan, shift) {
        return Ok(short);
    }
    let number = scan.decimal(0, 1 << shift);
    let mut cap = Small {
        value: i64::MAX,
        exp: 0,
    };
    if number.cmp_magnitude(&Decimal::from_small(cap)) == Ordering::Greater {
        cap.value = if scan.negative { -i64::MAX } else { i64::MAX };
        return Ok((Number::Small(cap), Format::BinarySi));
    }
    let below_one = !number.digits.is_empty() && number.top() <= 0;
    Ok((number.into(), binary_format(below_one)))
}

/// One that fits with no more decimal places than are kept, as nearly all do.
fn short_binary(scan: &Scan<'_>, shift: u32) -> Option<(Number, Format)> {
    let places = i32::try_from(scan.frac.len()).ok()?;
    if !scan.is_short() || -places < NANO || scan.mantissa.leading_zeros() <= shift {
        return None;
    }
    let magnitude = (scan.mantissa << shift).cast_signed();
    let below_one = magnitude > 0 && i128::from(magnitude) < power(places.unsigned_abs())?;
    let value = if scan.negative { -magnitude } else { magnitude };
    let small = Small {
        value,
        exp: -places,
    };
    Some((Number::Small(small), binary_format(below_one)))
}

fn binary_format(below_one: bool) -> Format {
    if below_one {
        Format::DecimalSi
    } else {
        Format::BinarySi
    }
}
