#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// Other crates that read JSON from a stream end at the first unreadable text, and hold each text
// whole.

mod bytes;
mod error;
mod text;
mod word;

use core::mem::{replace, take};
use core::str;
use std::io::BufRead;

use bytes::{Bytes, Step};
pub use error::ReadError;
use text::Decoder;
use word::read_word;

/// The longest name of a field, in bytes. A longer name reads as empty.
const MOST_KEY_BYTES: usize = 1024;

/// A reader of one JSON document.
pub struct Json<R> {
    bytes: Bytes<R>,
    /// The value that comes next was not read.
    is_pending: bool,
    /// A value of the field that is being read could not be read as asked for.
    is_odd: bool,
    /// The name of the first field with such a value.
    fault: Option<Box<str>>,
}

impl<R: BufRead> Json<R> {
    /// A reader of the document that the stream holds; it has read nothing yet.
    pub fn new(stream: R) -> Self {
        Self {
            bytes: Bytes::new(stream),
            is_pending: true,
            is_odd: false,
            fault: None,
        }
    }

    /// The name of the first field since the last call whose value could not be read as asked
    /// for; `null` is no such value. The name is empty if the value was in no object.
    pub fn fault(&mut self) -> Option<Box<str>> {
        let is_odd = take(&mut self.is_odd);
        self.fault.take().or_else(|| is_odd.then(Box::default))
    }

    /// Whether a value of the field that is being read could not be read as asked for.
    #[must_use]
    pub const fn is_odd(&self) -> bool {
        self.is_odd
    }

    /// Whether [`Self::fault`] would return a name.
    #[must_use]
    pub const fn has_fault(&self) -> bool {
        self.is_odd || self.fault.is_some()
    }

    /// Reads an object: `each` is called with the name of each field, and a value that it does
    /// not read is skipped. Returns `false` if the value is no object.
    ///
    /// # Errors
    /// If the text is no JSON, or the stream fails or ends; and the error that `each` returns.
    pub fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, &str) -> Result<(), ReadError>,
    ) -> Result<bool, ReadError> {
        self.read_object(&mut each)
    }

    /// Compiled once, and not for each kind of object.
    fn read_object(
        &mut self,
        each: &mut dyn FnMut(&mut Self, &str) -> Result<(), ReadError>,
    ) -> Result<bool, ReadError> {
        if !self.begins(|byte| byte == b'{')? {
            return Ok(false);
        }
        self.bytes.take()?;
        let (mut key, mut is_first) = (Vec::new(), true);
        while self.has_next(b'}', &mut is_first)? {
            if self.bytes.next()? != b'"' {
                return Err(self.bytes.odd());
            }
            let is_readable = self.read_text(MOST_KEY_BYTES, &mut key)?;
            let name = str::from_utf8(&key).ok().filter(|_| is_readable);
            let name = name.unwrap_or_default();
            if self.bytes.next()? != b':' {
                return Err(self.bytes.odd());
            }
            self.bytes.take()?;
            self.is_pending = true;
            each(self, name)?;
            self.leave()?;
            if take(&mut self.is_odd) {
                self.fault.get_or_insert_with(|| name.into());
            }
        }
        Ok(true)
    }

    /// Reads an array: `each` is called for each value, and a value that it does not read is
    /// skipped. Returns `false` if the value is no array.
    ///
    /// # Errors
    /// If the text is no JSON, or the stream fails or ends; and the error that `each` returns.
    pub fn array(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<bool, ReadError> {
        self.read_array(&mut each)
    }

    fn read_array(
        &mut self,
        each: &mut dyn FnMut(&mut Self) -> Result<(), ReadError>,
    ) -> Result<bool, ReadError> {
        if !self.begins(|byte| byte == b'[')? {
            return Ok(false);
        }
        self.bytes.take()?;
        let mut is_first = true;
        while self.has_next(b']', &mut is_first)? {
            self.is_pending = true;
            each(self)?;
            self.leave()?;
        }
        Ok(true)
    }

    /// Reads a text. `None` if the value is no text, has more than `most` bytes, or is not
    /// UTF-8.
    ///
    /// # Errors
    /// If the text is no JSON, or the stream fails or ends.
    pub fn text(&mut self, most: usize) -> Result<Option<String>, ReadError> {
        if !self.begins(|byte| byte == b'"')? {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let is_readable = self.read_text(most, &mut bytes)?;
        let text = String::from_utf8(bytes).ok().filter(|_| is_readable);
        self.is_odd |= text.is_none();
        Ok(text)
    }

    /// Reads a whole number. `None` if the value is none, or does not fit into `T`.
    ///
    /// # Errors
    /// If the text is no JSON, or the stream fails or ends.
    pub fn number<T: TryFrom<i64>>(&mut self) -> Result<Option<T>, ReadError> {
        if !self.begins(|byte| byte == b'-' || byte.is_ascii_digit())? {
            return Ok(None);
        }
        let number: Option<i64> = read_word(&mut self.bytes)?.text().parse().ok();
        let number = number.and_then(|number| T::try_from(number).ok());
        self.is_odd |= number.is_none();
        Ok(number)
    }

    /// Reads `true` or `false`. `None` if the value is neither.
    ///
    /// # Errors
    /// If the text is no JSON, or the stream fails or ends.
    pub fn boolean(&mut self) -> Result<Option<bool>, ReadError> {
        if !self.begins(|byte| matches!(byte, b't' | b'f'))? {
            return Ok(None);
        }
        Ok(Some(read_word(&mut self.bytes)?.text() == "true"))
    }

    /// Skips a value, however long or deep it is.
    ///
    /// # Errors
    /// If the text is no JSON, or the stream fails or ends.
    pub fn skip(&mut self) -> Result<(), ReadError> {
        self.is_pending = false;
        match self.bytes.next()? {
            b'"' => self.read_text(0, &mut Vec::new()).map(drop),
            b'{' | b'[' => self.skip_nested(),
            _ => read_word(&mut self.bytes).map(drop),
        }
    }

    /// Checks that nothing but blanks follows the document.
    ///
    /// # Errors
    /// If something does, or the rest of the document is no JSON, or the stream fails.
    pub fn end(&mut self) -> Result<(), ReadError> {
        self.leave()?;
        match self.bytes.after_blanks()? {
            None => Ok(()),
            Some(_) => Err(self.bytes.odd()),
        }
    }

    /// Whether the value that comes next begins with such a byte. If not, it is skipped, and is
    /// a fault unless it is `null`.
    fn begins(&mut self, is_begin: impl FnOnce(u8) -> bool) -> Result<bool, ReadError> {
        self.is_pending = false;
        let first = self.bytes.next()?;
        if is_begin(first) {
            return Ok(true);
        }
        if first == b'n' {
            read_word(&mut self.bytes)?;
        } else {
            self.skip()?;
            self.is_odd = true;
        }
        Ok(false)
    }

    /// Skips the value that comes next, if it was not read.
    fn leave(&mut self) -> Result<(), ReadError> {
        if replace(&mut self.is_pending, false) {
            self.skip()?;
        }
        Ok(())
    }

    /// Whether another member comes before the closing bracket, which is taken.
    fn has_next(&mut self, close: u8, is_first: &mut bool) -> Result<bool, ReadError> {
        let next = self.bytes.next()?;
        if next == close {
            self.bytes.take()?;
            return Ok(false);
        }
        if !replace(is_first, false) {
            if next != b',' {
                return Err(self.bytes.odd());
            }
            self.bytes.take()?;
        }
        Ok(true)
    }

    fn skip_nested(&mut self) -> Result<(), ReadError> {
        let (mut depth, mut in_text, mut is_escaped) = (0_u64, false, false);
        self.bytes.each(|byte| {
            if in_text {
                in_text = is_escaped || byte != b'"';
                is_escaped = !is_escaped && byte == b'\\';
                return Step::More;
            }
            match byte {
                b'"' => in_text = true,
                b'{' | b'[' => depth = depth.saturating_add(1),
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 { Step::Last } else { Step::More }
        })?;
        Ok(())
    }

    /// Reads a text whose first quote comes next. Returns whether it is readable.
    fn read_text(&mut self, most: usize, bytes: &mut Vec<u8>) -> Result<bool, ReadError> {
        bytes.clear();
        self.bytes.take()?;
        let mut decoder = Decoder::new(bytes, most);
        self.bytes.each(|byte| {
            if decoder.take(byte) {
                Step::More
            } else {
                Step::Last
            }
        })?;
        Ok(decoder.is_readable())
    }
}

/// Keeps a value of a field, unless `place` has one: where an object has a field twice, its
/// first readable value counts.
pub fn first<T>(place: &mut Option<T>, value: Option<T>) {
    if place.is_none() {
        *place = value;
    }
}

#[cfg(test)]
mod tests;
