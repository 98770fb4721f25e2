use crate::ParseError;
use crate::scan::Piece;

/// A limit that may be none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// That many: bytes or tasks, as the file counts.
    Value(u64),
    /// No limit. It is greater than every value.
    Max,
}

impl Limit {
    /// From here on a number means "no limit".
    ///
    /// cgroup v1 has no word for it: `memory.limit_in_bytes` then shows 2^63
    /// rounded down to a page, and each page size gives another number. Nothing
    /// real is near it, and the kubelet draws its line at 2^62 as well.
    pub const UNLIMITED_FROM: u64 = 1 << 62;

    /// The number, if there is a limit.
    #[must_use]
    pub const fn value(self) -> Option<u64> {
        match self {
            Self::Value(value) => Some(value),
            Self::Max => None,
        }
    }
}

/// A file that holds one number: `memory.usage_in_bytes`, `memory.current`,
/// `pids.current`, and those below `/proc/sys`.
///
/// # Errors
/// When it holds anything else, or a number beyond 64 bits.
pub fn parse_u64(text: &[u8]) -> Result<u64, ParseError> {
    Piece::whole(text).trim_end().number()
}

/// A file that holds one limit: `memory.max`, `memory.high`, `pids.max` (also
/// on v1), `memory.limit_in_bytes`, `memory.soft_limit_in_bytes`.
///
/// `max` and every number from [`Limit::UNLIMITED_FROM`] on are
/// [`Limit::Max`].
///
/// # Errors
/// When it holds neither `max` nor a number, or a number beyond 64 bits.
pub fn parse_limit(text: &[u8]) -> Result<Limit, ParseError> {
    let piece = Piece::whole(text).trim_end();
    if piece.text == b"max" {
        return Ok(Limit::Max);
    }
    Ok(match piece.number()? {
        Limit::UNLIMITED_FROM.. => Limit::Max,
        value => Limit::Value(value),
    })
}
