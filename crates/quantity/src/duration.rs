use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::num::TryFromIntError;
use core::str::FromStr;
use core::time::Duration;

use crate::scan::{split_digits, split_sign};

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
    pub fn parse(text: &str) -> Result<Self, ParseDurationError> {
        use ParseDurationErrorKind::{Invalid, Overflow};
        let (negative, unsigned) = split_sign(text);
        let fail = |kind, rest: &str| ParseDurationError {
            kind,
            position: text.len() - rest.len(),
        };
        if unsigned == "0" {
            return Ok(Self::ZERO);
        }
        if unsigned.is_empty() {
            return Err(fail(Invalid, unsigned));
        }
        let mut rest = unsigned;
        let mut sum = 0_u64;
        while !rest.is_empty() {
            let (nanos, after) = part(rest).map_err(|(kind, at)| fail(kind, at))?;
            // 2^63 itself is allowed until the end: it may become negative.
            let total = sum.checked_add(nanos).filter(|total| *total <= LIMIT);
            sum = total.ok_or_else(|| fail(Overflow, rest))?;
            rest = after;
        }
        match (negative, i64::try_from(sum)) {
            (true, _) => Ok(Self(0_i64.wrapping_sub_unsigned(sum))),
            (false, Ok(nanos)) => Ok(Self(nanos)),
            (false, Err(_)) => Err(fail(Overflow, unsigned)),
        }
    }
}

/// The largest magnitude: that of the most negative duration.
const LIMIT: u64 = 1 << 63;

/// The nanoseconds of the first number with its unit, and the rest; or what is wrong with
/// it, and from where on.
fn part(text: &str) -> Result<(u64, &str), (ParseDurationErrorKind, &str)> {
    use ParseDurationErrorKind::{Invalid, MissingUnit, Overflow, UnknownUnit};
    let (digits, rest) = split_digits(text);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    let whole: u64 = match digits {
        "" if fraction.is_empty() => return Err((Invalid, text)),
        "" => 0,
        digits => digits.parse().map_err(|_| (Overflow, text))?,
    };
    if whole > LIMIT {
        return Err((Overflow, text));
    }
    let (unit, after) = split_unit(rest);
    if unit.is_empty() {
        return Err((MissingUnit, rest));
    }
    let unit = unit_nanos(unit).ok_or((UnknownUnit, rest))?;
    let nanos = whole.checked_mul(unit);
    let nanos = nanos.and_then(|nanos| nanos.checked_add(fraction_nanos(fraction, unit)));
    let nanos = nanos.filter(|nanos| *nanos <= LIMIT);
    Ok((nanos.ok_or((Overflow, text))?, after))
}

/// What stands before the next number, and the rest.
fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c == '.' || c.is_ascii_digit());
    end.and_then(|end| text.split_at_checked(end))
        .unwrap_or((text, ""))
}

fn unit_nanos(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // Go knows both the micro sign (U+00B5) and the Greek letter mu (U+03BC).
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
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
fn fraction_nanos(digits: &str, unit: u64) -> u64 {
    // Digits from the first on that does not fit are left out.
    let (mut fraction, mut scale) = (0_u64, 1.0_f64);
    for byte in digits.bytes() {
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
        let sign = if self.0 < 0 { "-" } else { "" };
        let magnitude = self.0.unsigned_abs();
        let seconds = || fixed(magnitude % 60_000_000_000, 9) + "s";
        let text = match (magnitude, magnitude / 60_000_000_000) {
            (0, _) => "0s".to_owned(),
            (1..1_000, _) => format!("{magnitude}ns"),
            (1_000..1_000_000, _) => fixed(magnitude, 3) + "µs",
            (1_000_000..1_000_000_000, _) => fixed(magnitude, 6) + "ms",
            (_, 0) => seconds(),
            (_, minutes @ 1..60) => format!("{minutes}m{}", seconds()),
            (_, minutes) => format!("{}h{}m{}", minutes / 60, minutes % 60, seconds()),
        };
        f.pad(&format!("{sign}{text}"))
    }
}

/// The number with its last `places` digits after a dot, without zeros at the end.
fn fixed(number: u64, places: usize) -> String {
    let digits = format!("{number:0width$}", width = places + 1);
    let (whole, fraction) = digits
        .split_at_checked(digits.len() - places)
        .unwrap_or((&digits, ""));
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

/// Durations beyond 292 years do not fit.
impl TryFrom<Duration> for GoDuration {
    type Error = TryFromIntError;

    fn try_from(duration: Duration) -> Result<Self, Self::Error> {
        i64::try_from(duration.as_nanos()).map(Self)
    }
}

/// Negative ones do not fit.
impl TryFrom<GoDuration> for Duration {
    type Error = TryFromIntError;

    fn try_from(duration: GoDuration) -> Result<Self, Self::Error> {
        u64::try_from(duration.0).map(Self::from_nanos)
    }
}

impl FromStr for GoDuration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
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
/// let error = GoDuration::parse("1m30").unwrap_err();
/// assert_eq!(error.to_string(), "missing unit in duration (at byte 4)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ParseDurationError {
    /// What is wrong.
    pub kind: ParseDurationErrorKind,
    /// The first byte of the text, counted from 0, that is wrong.
    pub position: usize,
}

impl ParseDurationError {
    /// Go's own words about that text, which it quotes (Go:
    /// `time.ParseDuration`).
    ///
    /// ```
    /// use evictd_quantity::GoDuration;
    ///
    /// let error = GoDuration::parse("5x").unwrap_err();
    /// assert_eq!(error.in_go_words("5x"), "time: unknown unit \"x\" in duration \"5x\"");
    /// ```
    #[must_use]
    pub fn in_go_words(self, text: &str) -> String {
        match self.kind {
            ParseDurationErrorKind::Invalid | ParseDurationErrorKind::Overflow => {
                format!("time: invalid duration {text:?}")
            }
            ParseDurationErrorKind::MissingUnit => {
                format!("time: missing unit in duration {text:?}")
            }
            ParseDurationErrorKind::UnknownUnit => {
                let (unit, _) = split_unit(text.get(self.position..).unwrap_or(""));
                format!("time: unknown unit {unit:?} in duration {text:?}")
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
