use alloc::boxed::Box;
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
pub struct Error(Box<Fault>);

/// Apart from the error, so that a result is no larger than what it returns.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    list: List,
    kind: ErrorKind,
    key: String,
    value: String,
    at: usize,
}

impl Error {
    pub(crate) fn new(list: List, kind: ErrorKind, piece: &str, at: usize) -> Self {
        Self(Box::new(Fault {
            list,
            kind,
            key: piece.to_string(),
            value: String::new(),
            at,
        }))
    }

    pub(crate) fn of(list: List, kind: ErrorKind, pair: &crate::Pair) -> Self {
        Self(Box::new(Fault {
            list,
            kind,
            key: pair.key.clone(),
            value: pair.value.clone(),
            at: pair.at,
        }))
    }

    /// The list it lies in.
    #[must_use]
    pub const fn list(&self) -> List {
        self.0.list
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The byte in the list's text where the offending pair begins.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.0.at
    }

    /// The offending pair, as written but for blanks.
    #[must_use]
    pub fn offending(&self) -> String {
        let mut text = self.0.key.clone();
        if self.0.kind != ErrorKind::MalformedPair {
            text.push(self.0.list.separator());
            text.push_str(&self.0.value);
        }
        text
    }

    fn number(&self) -> &str {
        self.0.value.trim_end_matches('%')
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, value) = (&self.0.key, &self.0.value);
        match &self.0.kind {
            ErrorKind::MalformedPair => {
                write!(
                    f,
                    "malformed pair, expect string{}string",
                    self.0.list.separator()
                )
            }
            ErrorKind::UnsupportedSignal => write!(f, "unsupported eviction signal {key}"),
            ErrorKind::Quantity(error) => error.fmt(f),
            ErrorKind::Percentage => {
                write!(
                    f,
                    "strconv.ParseFloat: parsing {:?}: invalid syntax",
                    self.number()
                )
            }
            ErrorKind::PercentageOutOfRange => {
                write!(
                    f,
                    "strconv.ParseFloat: parsing {:?}: value out of range",
                    self.number()
                )
            }
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
            ErrorKind::NegativeGrace => {
                write!(f, "invalid eviction grace period specified: {value}, ")?;
                f.write_str("must be a positive value")
            }
            ErrorKind::MissingGrace(signal) => {
                f.write_str("grace period must be specified for the soft eviction threshold ")?;
                signal.fmt(f)
            }
            ErrorKind::ReclaimPercentageNotPositive => {
                write!(
                    f,
                    "eviction percentage minimum reclaim {key} must be positive: {value}"
                )
            }
            ErrorKind::NegativeReclaim => {
                write!(f, "negative eviction minimum reclaim specified for {key}")
            }
        }
    }
}

impl core::error::Error for Error {}
