use alloc::string::String;
use core::fmt;

/// The most bytes of input, and of text copied by aliases: 256 KiB.
pub const MAX_BYTES: usize = 256 << 10;
/// The most values, counting what aliases stand for.
pub const MAX_NODES: usize = 20_000;
/// The most lists and mappings within each other.
pub const MAX_DEPTH: usize = 64;

/// Why a text could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// What was wrong.
    pub kind: ErrorKind,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters (in bytes for JSON), from 1.
    pub column: usize,
}

/// What was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// More than [`MAX_BYTES`] of input, or as much text copied by aliases.
    TooLong,
    /// More than [`MAX_NODES`] scalars, lists and mappings, aliases expanded.
    TooManyNodes,
    /// So many punctuation marks in one place that to read it takes too much memory.
    TooManyMarks,
    /// More than [`MAX_DEPTH`] lists and mappings within each other.
    TooDeep,
    /// Not UTF-8.
    NotUtf8,
    /// A NUL character.
    Nul,
    /// Neither YAML nor JSON, in the words of the parser.
    Syntax(String),
    /// Not JSON, where YAML was left out (without the feature `yaml`).
    NotJson,
    /// A key that its mapping already has.
    DuplicateKey(String),
    /// A key that is null, a list or a mapping.
    BadKey,
    /// A number that JSON cannot say: an infinity or not a number.
    NotFinite(String),
    /// A text that is not what its tag says: the text, the tag.
    WrongTag(String, String),
    /// An alias to a node that contains it.
    AliasWithin,
    /// A merge key `<<` with something else than mappings.
    BadMerge,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, line: usize, column: usize) -> Self {
        Self { kind, line, column }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, line, column } = self;
        write!(f, "line {line}, column {column}: {kind}")
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "more than {MAX_BYTES} bytes"),
            Self::TooManyNodes => write!(f, "more than {MAX_NODES} values"),
            Self::TooManyMarks => f.write_str("more than 8192 punctuation marks in one value"),
            Self::TooDeep => write!(f, "nested more than {MAX_DEPTH} deep"),
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::Nul => f.write_str("a NUL character"),
            Self::Syntax(words) => f.write_str(words),
            Self::NotJson => f.write_str("not JSON, and YAML is not built in"),
            Self::DuplicateKey(key) => write!(f, "the key {key:?} is there twice"),
            Self::BadKey => f.write_str("a key must be a text, a number or a boolean"),
            Self::NotFinite(text) => write!(f, "{text} is no number that JSON can say"),
            Self::WrongTag(text, tag) => write!(f, "{text:?} is no !!{tag}"),
            Self::AliasWithin => f.write_str("an alias inside what it stands for"),
            Self::BadMerge => f.write_str("<< needs a mapping or a list of mappings"),
        }
    }
}

impl core::error::Error for Error {}
