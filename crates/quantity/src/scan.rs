use crate::{ParseQuantityError, ParseQuantityErrorKind};

/// The parts of a quantity's text.
pub(crate) struct Scan<'a> {
    pub(crate) negative: bool,
    /// The digits before the dot, without leading zeros.
    pub(crate) int: &'a [u8],
    /// The digits after the dot.
    pub(crate) frac: &'a [u8],
    /// Whether the number has a digit at all, be it a leading zero.
    pub(crate) any_digit: bool,
    /// The digits of both as one number; right up to 19 digits.
    pub(crate) mantissa: u64,
    pub(crate) suffix: Suffix,
    /// Where the suffix begins.
    pub(crate) suffix_at: usize,
}

/// What a suffix multiplies the number with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    /// A power of ten by name.
    Decimal(i32),
    /// A power of ten by number.
    Exponent(i32),
    /// A power of two.
    Binary(u32),
}

/// Takes a text apart.
pub(crate) fn scan(text: &[u8]) -> Result<Scan<'_>, ParseQuantityError> {
    let (negative, unsigned) = match text {
        [] => return Err(ParseQuantityError::new(ParseQuantityErrorKind::Format, 0)),
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut rest = unsigned;
    while let [b'0', tail @ ..] = rest {
        rest = tail;
    }
    let zeros = rest.len() != unsigned.len();
    let mut mantissa = 0;
    let int = take_digits(&mut rest, &mut mantissa);
    let mut frac: &[u8] = &[];
    if let [b'.', tail @ ..] = rest {
        rest = tail;
        frac = take_digits(&mut rest, &mut mantissa);
    }
    let suffix_at = text.len() - rest.len();
    Ok(Scan {
        negative,
        int,
        frac,
        any_digit: zeros || !int.is_empty() || !frac.is_empty(),
        mantissa,
        suffix: suffix(rest).map_err(|(kind, at)| ParseQuantityError::new(kind, suffix_at + at))?,
        suffix_at,
    })
}

/// Splits the leading digits off `rest` and appends them to `mantissa`.
fn take_digits<'a>(rest: &mut &'a [u8], mantissa: &mut u64) -> &'a [u8] {
    let start = *rest;
    while let [digit @ b'0'..=b'9', tail @ ..] = rest {
        *mantissa = mantissa
            .wrapping_mul(10)
            .wrapping_add(u64::from(*digit - b'0'));
        *rest = tail;
    }
    start.get(..start.len() - rest.len()).unwrap_or(start)
}

/// What the text after the number means. Matching byte by byte, not against whole
/// literals, keeps this a jump instead of a row of comparisons.
fn suffix(text: &[u8]) -> Result<Suffix, (ParseQuantityErrorKind, usize)> {
    let known = match text {
        [] => Some(Suffix::Decimal(0)),
        [letter] => decimal(*letter).map(Suffix::Decimal),
        [letter, b'i'] => binary(*letter).map(Suffix::Binary),
        [b'e' | b'E', number @ ..] => exponent(number).map(Suffix::Exponent),
        _ => None,
    };
    known.ok_or_else(|| wrong(text))
}

const fn decimal(letter: u8) -> Option<i32> {
    Some(match letter {
        b'n' => -9,
        b'u' => -6,
        b'm' => -3,
        b'k' => 3,
        b'M' => 6,
        b'G' => 9,
        b'T' => 12,
        b'P' => 15,
        b'E' => 18,
        _ => return None,
    })
}

const fn binary(letter: u8) -> Option<u32> {
    Some(match letter {
        b'K' => 10,
        b'M' => 20,
        b'G' => 30,
        b'T' => 40,
        b'P' => 50,
        b'E' => 60,
        _ => return None,
    })
}

/// An exponent as Go's `strconv.ParseInt` reads it, in 64 bits, and then cut to
/// 32 as Kubernetes does.
fn exponent(text: &[u8]) -> Option<i32> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut number = 0_i64;
    for byte in digits {
        let digit = i64::from(byte.checked_sub(b'0').filter(|digit| *digit <= 9)?);
        number = number
            .checked_mul(10)?
            .checked_add(if negative { -digit } else { digit })?;
    }
    u32::try_from(number & i64::from(u32::MAX))
        .ok()
        .map(u32::cast_signed)
}

/// Says whether a suffix that does not exist at least has the shape of one:
/// letters, a sign, digits.
fn wrong(text: &[u8]) -> (ParseQuantityErrorKind, usize) {
    let mut rest = text;
    while let [byte, tail @ ..] = rest
        && b"eEinumkKMGTP".contains(byte)
    {
        rest = tail;
    }
    if let [b'+' | b'-', tail @ ..] = rest {
        rest = tail;
    }
    while let [b'0'..=b'9', tail @ ..] = rest {
        rest = tail;
    }
    match text.len() - rest.len() {
        _ if rest.is_empty() => (ParseQuantityErrorKind::Suffix, 0),
        at => (ParseQuantityErrorKind::Format, at),
    }
}
