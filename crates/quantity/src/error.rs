use core::fmt;

/// What is wrong with the text of a quantity; the same three verdicts as
/// Kubernetes gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseQuantityErrorKind {
    /// The text has not the shape of a quantity at all, or is empty.
    Format,
    /// The suffix is none that exists, or its exponent is out of bounds.
    Suffix,
    /// There is no number before the suffix.
    Numeric,
}

/// A text that is no quantity: what is wrong, and from which byte on.
///
/// It prints as Kubernetes words it, with the position added:
///
/// ```
/// use evictd_quantity::{ParseQuantityErrorKind, Quantity};
///
/// let error = Quantity::parse("100MB").unwrap_err();
/// assert_eq!(error.kind, ParseQuantityErrorKind::Format);
/// assert_eq!(
///     error.to_string(),
///     "quantities must match the regular expression \
///      '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' (at byte 4)"
/// );
/// let error = Quantity::parse("100mi").unwrap_err();
/// assert_eq!(error.to_string(), "unable to parse quantity's suffix (at byte 3)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ParseQuantityError {
    /// What is wrong.
    pub kind: ParseQuantityErrorKind,
    /// The first byte of the text, counted from 0, that is wrong.
    pub position: usize,
}

impl fmt::Display for ParseQuantityErrorKind {
    /// Kubernetes' own words, for callers that tell the position themselves.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => {
                "quantities must match the regular expression \
                 '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            Self::Suffix => "unable to parse quantity's suffix",
            Self::Numeric => "unable to parse numeric part of quantity",
        })
    }
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.kind, self.position)
    }
}

impl core::error::Error for ParseQuantityError {}
