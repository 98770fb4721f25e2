use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use crate::Format;
use crate::decimal::Decimal;
use crate::scan::Suffix;

/// A binary number longer than this is printed with a decimal exponent: taking
/// out powers of 1024 costs the square of the length.
const LONGEST_BINARY: i64 = 4096;

/// Prints a number in canonical form.
pub(crate) fn canonical(number: Decimal, format: Format) -> String {
    let sign = match number.signum() {
        0 => return "0".to_owned(),
        -1 => "-",
        _ => "",
    };
    let magnitude = match format {
        Format::DecimalSi | Format::DecimalExponent => decimal(&number, format),
        Format::BinarySi => binary(number),
    };
    format!("{sign}{magnitude}")
}

fn decimal(number: &Decimal, format: Format) -> String {
    let zeros = number.trailing_zeros();
    // It wraps where Kubernetes' does.
    let exp = number
        .exp
        .wrapping_add(i32::try_from(zeros).unwrap_or(i32::MAX));
    // The exponent must be a multiple of three.
    let more_zeros = exp.rem_euclid(3);
    let mantissa = number.text(zeros)
        + match more_zeros {
            1 => "0",
            2 => "00",
            _ => "",
        };
    match exp.wrapping_sub(more_zeros) {
        0 => mantissa,
        exp if format == Format::DecimalExponent => format!("{mantissa}e{exp}"),
        exp => mantissa + Suffix::Decimal(exp).name(),
    }
}

/// Prints with a power of 1024, but small numbers and fractions with one of 1000.
fn binary(mut number: Decimal) -> String {
    if number.top() > LONGEST_BINARY {
        return decimal(&number, Format::DecimalExponent);
    }
    let is_small = number.units(0).unsigned_abs() < 1024;
    let zeros = i32::try_from(number.trailing_zeros()).unwrap_or(i32::MAX);
    if is_small || number.exp.saturating_add(zeros) < 0 {
        return decimal(&number, Format::DecimalSi);
    }
    number.round_to(0);
    let mut shift = 0;
    while number.divide_by_1024() {
        shift += 10;
    }
    number.text(0) + Suffix::Binary(shift).name()
}
