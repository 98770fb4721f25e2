use core::fmt::{self, Write};
use core::str::FromStr;

use crate::pad::pad;

/// A duration as Go counts it: signed nanoseconds in 64 bits, 292 years each way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoDuration(i64);

impl GoDuration {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// So many nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// The nanoseconds.
    #[must_use]
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// Reads a duration as Go's `time.ParseDuration` does: a sign, then numbers
    /// with a unit each, of `h m s ms us ns`; or `0` alone.
    ///
    /// # Errors
    /// When a number or its unit is missing, a unit is unknown, or the sum does
    /// not fit.
    pub fn parse(text: &[u8]) -> Result<Self, ParseDurationError> {
        let (negative, unsigned) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let at = |rest: &[u8]| text.len() - rest.len();
        let fail = |kind, rest| Err(ParseDurationError::new(kind, at(rest)));
        if unsigned == b"0" {
            return Ok(Self::ZERO);
        }
        if unsigned.is_empty() {
            return fail(ParseDurationErrorKind::Invalid, unsigned);
        }
        let mut rest = unsigned;
        let mut sum = 0_u64;
        while !rest.is_empty() {
            let start = rest;
            match part(&mut rest) {
                // 2^63 itself is allowed until the end: it may become negative.
                Ok(nanos) if nanos <= LIMIT - sum => sum += nanos,
                Ok(_) => return fail(ParseDurationErrorKind::Overflow, start),
                Err(kind) => return fail(kind, rest),
            }
        }
        match (negative, i64::try_from(sum)) {
            (true, _) => Ok(Self(0_i64.wrapping_sub_unsigned(sum))),
            (false, Ok(nanos)) => Ok(Self(nanos)),
            (false, Err(_)) => fail(ParseDurationErrorKind::Overflow, unsigned),
        }
    }
}

/// The largest magnitude: that of the most negative duration.
const LIMIT: u64 = 1 << 63;

/// Reads a number with its unit off `rest`, in nanoseconds.
fn part(rest: &mut &[u8]) -> Result<u64, ParseDurationErrorKind> {
    use ParseDurationErrorKind::{Invalid, MissingUnit, Overflow, UnknownUnit};
    let start = *rest;
    let digits = take(rest, |byte| byte.is_ascii_digit());
    let whole = digits.iter().try_fold(0_u64, |n, byte| {
        n.checked_mul(10)?
            .checked_add(u64::from(byte.wrapping_sub(b'0')))
            .filter(|n| *n <= LIMIT)
    });
    let whole = whole.ok_or_else(|| {
        *rest = start;
        Overflow
    })?;
    let mut fraction: &[u8] = &[];
    if let [b'.', tail @ ..] = *rest {
        *rest = tail;
        fraction = take(rest, |byte| byte.is_ascii_digit());
    }
    if digits.is_empty() && fraction.is_empty() {
        *rest = start;
        return Err(Invalid);
    }
    let unit_at = *rest;
    let unit = take(rest, |byte| !byte.is_ascii_digit() && byte != b'.');
    if unit.is_empty() {
        return Err(MissingUnit);
    }
    let unit = unit_nanos(unit).ok_or_else(|| {
        *rest = unit_at;
        UnknownUnit
    })?;
    whole
        .checked_mul(unit)
        .and_then(|nanos| nanos.checked_add(fraction_nanos(fraction, unit)))
        .filter(|nanos| *nanos <= LIMIT)
        .ok_or_else(|| {
            *rest = start;
            Overflow
        })
}

/// Splits off the leading bytes that `belongs` accepts.
fn take<'a>(rest: &mut &'a [u8], belongs: impl Fn(u8) -> bool) -> &'a [u8] {
    let len = rest
        .iter()
        .position(|byte| !belongs(*byte))
        .unwrap_or(rest.len());
    let (taken, tail) = rest.split_at_checked(len).unwrap_or((rest, &[]));
    *rest = tail;
    taken
}

fn unit_nanos(unit: &[u8]) -> Option<u64> {
    Some(match unit {
        b"ns" => 1,
        // Go knows both the micro sign (U+00B5) and the Greek letter mu (U+03BC).
        b"us" | b"\xc2\xb5s" | b"\xce\xbcs" => 1_000,
        b"ms" => 1_000_000,
        b"s" => 1_000_000_000,
        b"m" => 60_000_000_000,
        b"h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// The nanoseconds of a fraction of a unit, rounded down.
///
/// Go reckons this in `f64`, and the last nanosecond of a long fraction shows it,
/// so the same operations are done here in the same order.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "Go's own conversions, with its rounding; the result is below one hour"
)]
fn fraction_nanos(digits: &[u8], unit: u64) -> u64 {
    // Digits from the first on that does not fit are left out.
    let (mut fraction, mut scale) = (0_u64, 1.0_f64);
    for byte in digits {
        if fraction > (LIMIT - 1) / 10 {
            break;
        }
        let next = fraction * 10 + u64::from(byte.wrapping_sub(b'0'));
        if next > LIMIT {
            break;
        }
        fraction = next;
        scale *= 10.0;
    }
    (fraction as f64 * (unit as f64 / scale)) as u64
}

impl fmt::Display for GoDuration {
    /// Prints as Go's `Duration.String`: `1h0m0.5s`, `1.5ms`, `0s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pad(f, &Plain(*self))
    }
}

/// The same without regard to width.
struct Plain(GoDuration);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.nanos();
        let magnitude = nanos.unsigned_abs();
        if nanos < 0 {
            f.write_char('-')?;
        }
        match magnitude {
            0 => f.write_str("0s"),
            1..1_000 => write!(f, "{magnitude}ns"),
            1_000..1_000_000 => fixed(f, magnitude, 3, "µs"),
            1_000_000..1_000_000_000 => fixed(f, magnitude, 6, "ms"),
            _ => {
                let minutes = magnitude / 60_000_000_000;
                if minutes >= 60 {
                    write!(f, "{}h", minutes / 60)?;
                }
                if minutes > 0 {
                    write!(f, "{}m", minutes % 60)?;
                }
                fixed(f, magnitude % 60_000_000_000, 9, "s")
            }
        }
    }
}

/// Prints `number` with so many decimal places, without zeros at the end.
fn fixed(f: &mut fmt::Formatter<'_>, number: u64, places: u32, unit: &str) -> fmt::Result {
    let one = 10_u64.pow(places);
    write!(f, "{}", number / one)?;
    let mut fraction = number % one;
    let mut width = usize::try_from(places).unwrap_or(0);
    if fraction != 0 {
        while fraction.is_multiple_of(10) {
            fraction /= 10;
            width -= 1;
        }
        write!(f, ".{fraction:0width$}")?;
    }
    f.write_str(unit)
}

impl FromStr for GoDuration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text.as_bytes())
    }
}

/// What is wrong with the text of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseDurationErrorKind {
    /// There is no number where one must be.
    Invalid,
    /// A number has no unit.
    MissingUnit,
    /// A unit is none of `h m s ms us ns`.
    UnknownUnit,
    /// The duration is longer than 292 years.
    Overflow,
}

/// A text that is no duration: what is wrong, and from which byte on.
///
/// ```
/// use evictd_quantity::GoDuration;
///
/// let error = GoDuration::parse(b"1m30").unwrap_err();
/// assert_eq!(error.to_string(), "missing unit in duration (at byte 4)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseDurationError {
    kind: ParseDurationErrorKind,
    position: usize,
}

impl ParseDurationError {
    const fn new(kind: ParseDurationErrorKind, position: usize) -> Self {
        Self { kind, position }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(self) -> ParseDurationErrorKind {
        self.kind
    }

    /// The first byte of the text, counted from 0, that is wrong.
    #[must_use]
    pub const fn position(self) -> usize {
        self.position
    }

    /// Go's own words about that text, which it quotes (Go:
    /// `time.ParseDuration`).
    ///
    /// ```
    /// use evictd_quantity::GoDuration;
    ///
    /// let error = GoDuration::parse(b"5x").unwrap_err();
    /// let words = error.in_go_words("5x").to_string();
    /// assert_eq!(words, "time: unknown unit \"x\" in duration \"5x\"");
    /// ```
    pub fn in_go_words(self, text: &str) -> impl fmt::Display + '_ {
        GoWords { error: self, text }
    }
}

struct GoWords<'a> {
    error: ParseDurationError,
    text: &'a str,
}

impl fmt::Display for GoWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text;
        match self.error.kind {
            ParseDurationErrorKind::Invalid | ParseDurationErrorKind::Overflow => {
                write!(f, "time: invalid duration {text:?}")
            }
            ParseDurationErrorKind::MissingUnit => {
                write!(f, "time: missing unit in duration {text:?}")
            }
            ParseDurationErrorKind::UnknownUnit => {
                let rest = text.get(self.error.position..).unwrap_or("");
                let end = rest.find(|c: char| c == '.' || c.is_ascii_digit());
                let unit = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
                write!(f, "time: unknown unit {unit:?} in duration {text:?}")
            }
        }
    }
}

impl fmt::Display for ParseDurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ParseDurationErrorKind::Invalid => "invalid duration",
            ParseDurationErrorKind::MissingUnit => "missing unit in duration",
            ParseDurationErrorKind::UnknownUnit => "unknown unit in duration",
            ParseDurationErrorKind::Overflow => "duration out of range",
        };
        write!(f, "{what} (at byte {})", self.position)
    }
}

impl core::error::Error for ParseDurationError {}
