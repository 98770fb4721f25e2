//! Numbers, and words such as `false`.

use core::str;
use std::io::BufRead;

use crate::ReadError;
use crate::bytes::{Bytes, Step};

/// The longest that is looked at.
const MOST_BYTES: usize = 24;

/// A number, or a word such as `false`.
#[derive(Default)]
pub(super) struct Word {
    bytes: [u8; MOST_BYTES],
    length: usize,
    is_number: bool,
}

/// Takes a number or a word.
pub(super) fn read_word<R: BufRead>(bytes: &mut Bytes<R>) -> Result<Word, ReadError> {
    let mut word = Word::default();
    // At the end of the document nothing has to follow.
    let _ = bytes.until(|byte| {
        let is_part = byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        if is_part {
            word.push(byte);
            Step::More
        } else {
            Step::Before
        }
    })?;
    if matches!(word.text(), "null" | "true" | "false") || word.is_number {
        Ok(word)
    } else {
        Err(bytes.odd())
    }
}

impl Word {
    fn push(&mut self, byte: u8) {
        let is_first = self.length == 0;
        let is_part = byte.is_ascii_digit() || byte == b'-' || b"+.eE".contains(&byte) && !is_first;
        self.is_number = is_part && (is_first || self.is_number);
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
        }
        self.length = self.length.saturating_add(1);
    }

    /// Empty where it is too long to be looked at.
    pub(super) fn text(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        str::from_utf8(bytes).unwrap_or_default()
    }
}
