use core::fmt;

/// Why a kernel file's text was not what the kernel writes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// A number was expected, and something else (or nothing) was found.
    Number,
    /// A number that does not fit in its type.
    Range,
    /// A line ended before the field that had to come.
    Missing,
    /// A field is there, but not in its form.
    Form,
}

/// A kernel file's text is not what the kernel writes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// Where: the offset in the text of the first byte of the bad field.
    pub position: usize,
}

impl ParseError {
    pub(crate) const fn new(kind: ParseErrorKind, position: usize) -> Self {
        Self { kind, position }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ParseErrorKind::Number => "not a number",
            ParseErrorKind::Range => "number out of range",
            ParseErrorKind::Missing => "field missing",
            ParseErrorKind::Form => "field malformed",
        };
        write!(f, "{what} at byte {}", self.position)
    }
}

impl core::error::Error for ParseError {}
