use core::fmt::{self, Write};

use crate::Format;
use crate::number::Number;
use crate::pad::pad;
use crate::small::Small;

/// A binary number longer than this is printed with a decimal exponent: taking
/// out powers of 1024 costs the square of the length.
const LONGEST_BINARY: i64 = 4096;

const BINARY_SUFFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Prints a number in canonical form.
pub(crate) struct Canonical<'a> {
    pub(crate) number: &'a Number,
    pub(crate) format: Format,
}

impl fmt::Display for Canonical<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pad(f, &Plain(self))
    }
}

/// The same without regard to width.
struct Plain<'a>(&'a Canonical<'a>);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Canonical { number, format } = *self.0;
        if number.signum() < 0 {
            f.write_char('-')?;
        }
        match format {
            _ if number.signum() == 0 => f.write_char('0'),
            Format::DecimalSi | Format::DecimalExponent => print_decimal(f, number, format),
            Format::BinarySi => print_binary(f, number),
        }
    }
}

fn print_decimal(f: &mut fmt::Formatter<'_>, number: &Number, format: Format) -> fmt::Result {
    let exp = match number {
        Number::Small(small) => {
            let (mut mantissa, mut exp) = (small.value.unsigned_abs(), small.exp);
            while mantissa >= 10 && mantissa % 10 == 0 {
                mantissa /= 10;
                exp = exp.wrapping_add(1);
            }
            write!(f, "{mantissa}")?;
            exp
        }
        Number::Big(number) => {
            let zeros = number.trailing_zeros();
            print_digits(f, number.digits.get(zeros..).unwrap_or(&[]))?;
            number
                .exp
                .wrapping_add(i32::try_from(zeros).unwrap_or(i32::MAX))
        }
    };
    // The exponent must be a multiple of three. It wraps where Kubernetes' does.
    let (zeros, exp) = match exp % 3 {
        1 | -2 => ("0", exp.wrapping_sub(1)),
        2 | -1 => ("00", exp.wrapping_sub(2)),
        _ => ("", exp),
    };
    f.write_str(zeros)?;
    match (format, exp) {
        (_, 0) => Ok(()),
        (Format::DecimalExponent, _) => write!(f, "e{exp}"),
        (Format::DecimalSi | Format::BinarySi, _) => f.write_str(decimal_suffix(exp)),
    }
}

/// The suffix for a power of ten. Kubernetes v1.32 prints none where it has
/// none, so that `1000E` comes out as `1`.
const fn decimal_suffix(exp: i32) -> &'static str {
    match exp {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    }
}

/// Prints with a power of 1024, but small numbers and fractions with one of 1000.
fn print_binary(f: &mut fmt::Formatter<'_>, number: &Number) -> fmt::Result {
    match number {
        Number::Small(small) => match whole(*small) {
            Some(mantissa) if mantissa >= 1024 => return print_whole(f, mantissa),
            Some(_) => return print_decimal(f, number, Format::DecimalSi),
            None => {}
        },
        Number::Big(_) => {}
    }
    let mut decimal = number.to_decimal();
    if decimal.top() > LONGEST_BINARY {
        return print_decimal(f, number, Format::DecimalExponent);
    }
    if decimal.cut_fraction() {
        return print_decimal(f, number, Format::DecimalSi);
    }
    decimal.expand();
    let mut times = 0;
    while decimal.divide_by_1024() {
        times += 1;
    }
    print_digits(f, &decimal.digits)?;
    f.write_str(BINARY_SUFFIXES.get(times).unwrap_or(&""))
}

fn print_whole(f: &mut fmt::Formatter<'_>, mut mantissa: u128) -> fmt::Result {
    let mut times = 0;
    while mantissa.is_multiple_of(1024) {
        mantissa /= 1024;
        times += 1;
    }
    let suffix = BINARY_SUFFIXES.get(times).unwrap_or(&"");
    match u64::try_from(mantissa) {
        Ok(mantissa) => write!(f, "{mantissa}{suffix}"),
        Err(_) => write!(f, "{mantissa}{suffix}"),
    }
}

/// The magnitude, if it is a whole number and fits.
fn whole(small: Small) -> Option<u128> {
    let magnitude = u128::from(small.value.unsigned_abs());
    let factor = 10_u128.checked_pow(small.exp.unsigned_abs())?;
    match small.exp {
        0.. => magnitude.checked_mul(factor),
        _ if magnitude % factor == 0 => Some(magnitude / factor),
        _ => None,
    }
}

/// Prints digits that are kept least significant first.
fn print_digits(f: &mut fmt::Formatter<'_>, digits: &[u8]) -> fmt::Result {
    digits
        .iter()
        .rev()
        .try_for_each(|digit| f.write_char(char::from(b'0' + digit)))
}
