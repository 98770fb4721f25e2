use crate::ParseError;
use crate::scan::{Lines, Piece, key_and_value};

/// One `KEY VALUE` line of a flat keyed file.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    key: Piece<'a>,
    value: Piece<'a>,
}

impl<'a> Entry<'a> {
    /// The key.
    #[must_use]
    pub const fn key(&self) -> &'a [u8] {
        self.key.text
    }

    /// The value as text; empty where the line has none.
    #[must_use]
    pub const fn value(&self) -> &'a [u8] {
        self.value.text
    }

    /// The value as a number.
    ///
    /// # Errors
    /// When it is none, or beyond 64 bits.
    pub fn number(&self) -> Result<u64, ParseError> {
        self.value.number()
    }
}

/// The lines of a file of `KEY VALUE` lines (cgroup-v2.rst, "flat keyed"; v1's
/// `memory.stat` and `memory.oom_control` have the same form), in its order.
pub fn flat_keyed(text: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    Lines::new(text).map(|line| {
        let (key, value) = key_and_value(line);
        Entry { key, value }
    })
}
