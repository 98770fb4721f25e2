use alloc::format;
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

    /// What stands between key and value, but for signals that grow with the trouble.
    #[must_use]
    pub const fn separator(self) -> char {
        match self {
            Self::Hard | Self::Soft => '<',
            Self::SoftGracePeriod | Self::MinimumReclaim => '=',
        }
    }
}

/// One `key<value` or `key=value` of a list, blanks around both cut.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pair {
    /// The text before the first separator.
    pub key: String,
    /// The text after it.
    pub value: String,
    /// The separator.
    pub separator: char,
    /// The byte in the list's text where the key begins.
    pub at: usize,
    /// The byte where the value begins.
    pub value_at: usize,
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
    /// The text before `%` is not a number, or none that fits: Go's words for that.
    Percentage(&'static str),
    /// A threshold written with `<` of a signal that grows with the trouble.
    LessThan,
    /// A threshold of such a signal that is not a whole number of percent.
    NotWholePercent,
    /// A minimum reclaim of such a signal.
    NothingToReclaim,
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
    /// A value of more bytes than any needs: that many.
    TooLong(usize),
}

/// The longest value that is taken, in bytes. A kubelet reads any number of digits, and makes the
/// largest quantity of them.
pub(crate) const MOST_VALUE_BYTES: usize = 256;

/// What of a text an error shows: its beginning, where it is too long.
fn shown(text: &str) -> String {
    match text.char_indices().nth(MOST_VALUE_BYTES) {
        Some((end, _)) => format!("{}...", text.split_at(end).0),
        None => text.to_string(),
    }
}

/// What is wrong, where. Its text is the kubelet's own wording (K:
/// `eviction/helpers.go`), which operators search for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The list it lies in.
    pub list: List,
    /// What is wrong.
    pub kind: ErrorKind,
    /// The byte in the list's text from which on it is wrong.
    pub position: usize,
    /// The key of the offending pair, or a piece that is no pair.
    key: String,
    value: String,
    separator: char,
}

impl Error {
    pub(crate) fn malformed(list: List, piece: &str, position: usize) -> Self {
        Self {
            list,
            kind: ErrorKind::MalformedPair,
            position,
            key: shown(piece),
            value: String::new(),
            separator: list.separator(),
        }
    }

    pub(crate) fn of(list: List, kind: ErrorKind, pair: &Pair) -> Self {
        let position = if let ErrorKind::Quantity(error) = &kind {
            pair.value_at.saturating_add(error.position)
        } else if let ErrorKind::Duration(error) = &kind {
            pair.value_at.saturating_add(error.position)
        } else if let ErrorKind::UnsupportedSignal
        | ErrorKind::LessThan
        | ErrorKind::MissingGrace(_) = kind
        {
            pair.at
        } else {
            pair.value_at
        };
        Self {
            list,
            kind,
            position,
            key: shown(&pair.key),
            value: shown(&pair.value),
            separator: pair.separator,
        }
    }

    /// The offending pair, as written but for blanks.
    #[must_use]
    pub fn offending(&self) -> String {
        if self.kind == ErrorKind::MalformedPair {
            return self.key.clone();
        }
        format!("{}{}{}", self.key, self.separator, self.value)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, value) = (&self.key, &self.value);
        let share = "eviction percentage threshold";
        let must_be = |f: &mut fmt::Formatter<'_>, what: &str, must: &str| {
            write!(f, "{what} {key} must be {must}: {value}")
        };
        match &self.kind {
            ErrorKind::MalformedPair => {
                let separator = self.list.separator();
                write!(f, "malformed pair, expect string{separator}string")
            }
            ErrorKind::UnsupportedSignal => write!(f, "unsupported eviction signal {key}"),
            ErrorKind::Quantity(error) => error.fmt(f),
            ErrorKind::Percentage(problem) => {
                let number = value.trim_end_matches('%');
                write!(f, "strconv.ParseFloat: parsing {number:?}: {problem}")
            }
            ErrorKind::LessThan => write!(
                f,
                "{key} says how much is lost, not what is left: write {key}>{value}"
            ),
            ErrorKind::NotWholePercent => must_be(f, "eviction threshold", "a whole percentage"),
            ErrorKind::NothingToReclaim => {
                write!(
                    f,
                    "{key} has no minimum reclaim: it is left when it is not met"
                )
            }
            ErrorKind::NotPositive => must_be(f, "eviction threshold", "positive"),
            ErrorKind::PercentageBelowZero => must_be(f, share, ">= 0%"),
            ErrorKind::PercentageAboveHundred => must_be(f, share, "<= 100%"),
            ErrorKind::ReclaimPercentageNotPositive => {
                must_be(f, "eviction percentage minimum reclaim", "positive")
            }
            ErrorKind::Duration(error) => f.write_str(&error.in_go_words(value)),
            ErrorKind::NegativeGrace => write!(
                f,
                "invalid eviction grace period specified: {value}, must be a positive value"
            ),
            ErrorKind::MissingGrace(signal) => write!(
                f,
                "grace period must be specified for the soft eviction threshold {signal}"
            ),
            ErrorKind::TooLong(bytes) => write!(
                f,
                "the value of {key} has {bytes} bytes; at most {MOST_VALUE_BYTES} are read"
            ),
            ErrorKind::NegativeReclaim => {
                write!(f, "negative eviction minimum reclaim specified for {key}")
            }
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        if let ErrorKind::Quantity(error) = &self.kind {
            return Some(error);
        }
        if let ErrorKind::Duration(error) = &self.kind {
            return Some(error);
        }
        None
    }
}
