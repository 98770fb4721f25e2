use alloc::string::{String, ToString};
use core::fmt;

use evictd_node::Signal;
use evictd_quantity::{ParseDurationError, ParseQuantityError};

/// Which of the four lists an error lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Hard thresholds.
    Hard,
    /// Soft thresholds.
    Soft,
    /// Grace periods of the soft thresholds.
    SoftGracePeriod,
    /// Minimum reclaims.
    MinimumReclaim,
}

impl List {
    /// The flag that gives the list, without dashes.
    #[must_use]
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Hard => "eviction-hard",
            Self::Soft => "eviction-soft",
            Self::SoftGracePeriod => "eviction-soft-grace-period",
            Self::MinimumReclaim => "eviction-minimum-reclaim",
        }
    }

    /// What stands between key and value.
    #[must_use]
    pub const fn separator(self) -> char {
        match self {
            Self::Hard | Self::Soft => '<',
            Self::SoftGracePeriod | Self::MinimumReclaim => '=',
        }
    }
}

/// What is wrong with a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A piece without its separator.
    MalformedPair,
    /// No such signal.
    UnsupportedSignal,
    /// The amount is not a quantity.
    Quantity(ParseQuantityError),
    /// The text before `%` is not a number.
    Percentage,
    /// The number before `%` does not fit.
    PercentageOutOfRange,
    /// A threshold of zero or less.
    NotPositive,
    /// A percentage below zero.
    PercentageBelowZero,
    /// A percentage above a hundred.
    PercentageAboveHundred,
    /// The grace period is not a duration.
    Duration(ParseDurationError),
    /// A grace period below zero.
    NegativeGrace,
    /// A soft threshold without a grace period.
    MissingGrace(Signal),
    /// A minimum reclaim of zero percent or less.
    ReclaimPercentageNotPositive,
    /// A minimum reclaim below zero.
    NegativeReclaim,
}

/// What is wrong, where. Its text is the kubelet's own wording (K:
/// `eviction/helpers.go`), which operators search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    list: List,
    kind: ErrorKind,
    key: String,
    value: String,
    at: usize,
}

impl Error {
    pub(crate) fn new(list: List, kind: ErrorKind, piece: &str, at: usize) -> Self {
        Self {
            list,
            kind,
            key: piece.to_string(),
            value: String::new(),
            at,
        }
    }

    pub(crate) fn of(list: List, kind: ErrorKind, pair: &crate::Pair) -> Self {
        Self {
            value: pair.value.clone(),
            ..Self::new(list, kind, &pair.key, pair.at)
        }
    }

    /// The list it lies in.
    #[must_use]
    pub const fn list(&self) -> List {
        self.list
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The byte in the list's text where the offending pair begins.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// The offending pair, as written but for blanks.
    #[must_use]
    pub fn offending(&self) -> String {
        let mut text = self.key.clone();
        if self.kind != ErrorKind::MalformedPair {
            text.push(self.list.separator());
            text.push_str(&self.value);
        }
        text
    }

    /// Go's words about a number before `%`.
    fn parse_float(&self, f: &mut fmt::Formatter<'_>, problem: &str) -> fmt::Result {
        let number = self.value.trim_end_matches('%');
        write!(f, "strconv.ParseFloat: parsing {number:?}: {problem}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, value) = (&self.key, &self.value);
        match &self.kind {
            ErrorKind::MalformedPair => {
                let separator = self.list.separator();
                write!(f, "malformed pair, expect string{separator}string")
            }
            ErrorKind::UnsupportedSignal => write!(f, "unsupported eviction signal {key}"),
            ErrorKind::Quantity(error) => error.fmt(f),
            ErrorKind::Percentage => self.parse_float(f, "invalid syntax"),
            ErrorKind::PercentageOutOfRange => self.parse_float(f, "value out of range"),
            ErrorKind::NotPositive => {
                write!(f, "eviction threshold {key} must be positive: {value}")
            }
            ErrorKind::PercentageBelowZero => {
                write!(
                    f,
                    "eviction percentage threshold {key} must be >= 0%: {value}"
                )
            }
            ErrorKind::PercentageAboveHundred => {
                write!(
                    f,
                    "eviction percentage threshold {key} must be <= 100%: {value}"
                )
            }
            ErrorKind::Duration(error) => error.in_go_words(value).fmt(f),
            ErrorKind::NegativeGrace => write!(
                f,
                "invalid eviction grace period specified: {value}, must be a positive value"
            ),
            ErrorKind::MissingGrace(signal) => write!(
                f,
                "grace period must be specified for the soft eviction threshold {signal}"
            ),
            ErrorKind::ReclaimPercentageNotPositive => write!(
                f,
                "eviction percentage minimum reclaim {key} must be positive: {value}"
            ),
            ErrorKind::NegativeReclaim => {
                write!(f, "negative eviction minimum reclaim specified for {key}")
            }
        }
    }
}

impl core::error::Error for Error {}
