//! JSON, read from a stream value by value: the one at hand is all that is in memory.
//!
//! Only what is no JSON ends the reading. A value of another kind than the one asked for, a
//! text that is too long or not UTF-8, and a number beyond 64 bits read as `None`; the next
//! value is read as if nothing had happened, and [`Json::fault`] names the field. What is
//! skipped is not judged: of it only brackets and quotes count. Why no crate does it: those
//! that read a stream end at the first odd text, and hold each text whole.

mod text;

use core::mem::{replace, take};
use core::str;
use std::io::BufRead;

use self::text::Decoder;
use crate::Failure;

/// The longest name of a field that is looked at. A longer one reads as empty.
const MOST_KEY_BYTES: usize = 1024;

/// The longest number, or word such as `false`, that is looked at.
const MOST_WORD_BYTES: usize = 24;

/// A reader of one document.
pub struct Json<R> {
    stream: R,
    /// How many bytes were taken from the stream.
    taken: u64,
    /// A value comes next that nobody has read.
    is_pending: bool,
    /// A value was not what was asked for, in the field that is being read.
    is_odd: bool,
    /// The first field of which that is so.
    fault: Option<Box<str>>,
}

/// What becomes of a byte that is looked at.
enum Step {
    /// It is taken, and so may the next be.
    More,
    /// It is the last that is taken.
    Last,
    /// It stays.
    Before,
}

/// A number, or a word such as `false`.
#[derive(Default)]
struct Word {
    bytes: [u8; MOST_WORD_BYTES],
    length: usize,
    is_number: bool,
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
    fn text(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        str::from_utf8(bytes).unwrap_or_default()
    }
}

impl<R: BufRead> Json<R> {
    /// Reads the document that the stream holds.
    pub fn new(stream: R) -> Self {
        Self {
            stream,
            taken: 0,
            is_pending: true,
            is_odd: false,
            fault: None,
        }
    }

    /// The first field since the last call whose value was not what was asked for; empty
    /// where that was no field of an object.
    pub fn fault(&mut self) -> Option<Box<str>> {
        let is_odd = take(&mut self.is_odd);
        self.fault.take().or_else(|| is_odd.then(Box::default))
    }

    /// Whether the value that was read last was not what was asked for.
    pub(super) const fn is_odd(&self) -> bool {
        self.is_odd
    }

    /// Whether [`Self::fault`] would return one.
    pub(super) const fn has_fault(&self) -> bool {
        self.is_odd || self.fault.is_some()
    }

    /// Reads an object: `each` is given the name of each field, and what it leaves of the
    /// field's value is skipped. Returns `false` where the value is none.
    ///
    /// # Errors
    /// When that is no JSON, or the stream ends; and what `each` returns.
    pub fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, &str) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        if !self.begins(|byte| byte == b'{')? {
            return Ok(false);
        }
        self.take_byte()?;
        let (mut key, mut is_first) = (Vec::new(), true);
        while self.has_next(b'}', &mut is_first)? {
            if self.next()? != b'"' {
                return Err(self.odd_byte());
            }
            let is_readable = self.read_text(MOST_KEY_BYTES, &mut key)?;
            let name = str::from_utf8(&key).ok().filter(|_| is_readable);
            let name = name.unwrap_or_default();
            if self.next()? != b':' {
                return Err(self.odd_byte());
            }
            self.take_byte()?;
            self.is_pending = true;
            each(self, name)?;
            self.leave()?;
            if take(&mut self.is_odd) {
                self.fault.get_or_insert_with(|| name.into());
            }
        }
        Ok(true)
    }

    /// Reads an array: `each` is called for each value, and what it leaves of it is skipped.
    /// Returns `false` where the value is none.
    ///
    /// # Errors
    /// When that is no JSON, or the stream ends; and what `each` returns.
    pub fn array(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        if !self.begins(|byte| byte == b'[')? {
            return Ok(false);
        }
        self.take_byte()?;
        let mut is_first = true;
        while self.has_next(b']', &mut is_first)? {
            self.is_pending = true;
            each(self)?;
            self.leave()?;
        }
        Ok(true)
    }

    /// Reads a text of at most so many bytes; `None` of what is none, is longer, or is not
    /// UTF-8.
    ///
    /// # Errors
    /// When that is no JSON, or the stream ends.
    pub fn text(&mut self, most: usize) -> Result<Option<String>, Failure> {
        if !self.begins(|byte| byte == b'"')? {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let is_readable = self.read_text(most, &mut bytes)?;
        let text = String::from_utf8(bytes).ok().filter(|_| is_readable);
        self.is_odd |= text.is_none();
        Ok(text)
    }

    /// Reads a whole number; `None` of what is none, or does not fit.
    ///
    /// # Errors
    /// When that is no JSON, or the stream ends.
    pub fn number<T: TryFrom<i64>>(&mut self) -> Result<Option<T>, Failure> {
        if !self.begins(|byte| byte == b'-' || byte.is_ascii_digit())? {
            return Ok(None);
        }
        let number: Option<i64> = self.word()?.text().parse().ok();
        let number = number.and_then(|number| T::try_from(number).ok());
        self.is_odd |= number.is_none();
        Ok(number)
    }

    /// Reads `true` or `false`; `None` of what is neither.
    ///
    /// # Errors
    /// When that is no JSON, or the stream ends.
    pub fn boolean(&mut self) -> Result<Option<bool>, Failure> {
        if !self.begins(|byte| matches!(byte, b't' | b'f'))? {
            return Ok(None);
        }
        Ok(Some(self.word()?.text() == "true"))
    }

    /// Passes over a value, however deep it is.
    ///
    /// # Errors
    /// When that is no JSON, or the stream ends.
    pub fn skip(&mut self) -> Result<(), Failure> {
        self.is_pending = false;
        match self.next()? {
            b'"' => self.read_text(0, &mut Vec::new()).map(drop),
            b'{' | b'[' => self.skip_nested(),
            _ => self.word().map(drop),
        }
    }

    /// Makes sure that nothing follows the document.
    ///
    /// # Errors
    /// When something does.
    pub fn end(&mut self) -> Result<(), Failure> {
        self.leave()?;
        match self.blanks()? {
            None => Ok(()),
            Some(_) => Err(self.odd_byte()),
        }
    }

    /// Whether the value that comes next begins so; else it is skipped, and is a fault unless
    /// it is `null`.
    fn begins(&mut self, is_begin: impl FnOnce(u8) -> bool) -> Result<bool, Failure> {
        self.is_pending = false;
        let first = self.next()?;
        if is_begin(first) {
            return Ok(true);
        }
        if first == b'n' {
            self.word()?;
        } else {
            self.skip()?;
            self.is_odd = true;
        }
        Ok(false)
    }

    /// Skips a value that nobody has read.
    fn leave(&mut self) -> Result<(), Failure> {
        if replace(&mut self.is_pending, false) {
            self.skip()?;
        }
        Ok(())
    }

    /// Whether another member comes before the closing bracket, which is taken.
    fn has_next(&mut self, close: u8, is_first: &mut bool) -> Result<bool, Failure> {
        let next = self.next()?;
        if next == close {
            self.take_byte()?;
            return Ok(false);
        }
        if !replace(is_first, false) {
            if next != b',' {
                return Err(self.odd_byte());
            }
            self.take_byte()?;
        }
        Ok(true)
    }

    fn skip_nested(&mut self) -> Result<(), Failure> {
        let (mut depth, mut in_text, mut is_escaped) = (0_u64, false, false);
        self.each_byte(|byte| {
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

    /// Reads a text, of which its first quote comes next; returns whether it is readable.
    fn read_text(&mut self, most: usize, bytes: &mut Vec<u8>) -> Result<bool, Failure> {
        bytes.clear();
        self.take_byte()?;
        let mut decoder = Decoder::new(bytes, most);
        self.each_byte(|byte| {
            if decoder.take(byte) {
                Step::More
            } else {
                Step::Last
            }
        })?;
        Ok(decoder.is_readable())
    }

    fn word(&mut self) -> Result<Word, Failure> {
        let mut word = Word::default();
        // At the end of the document nothing has to follow.
        let _ = self.bytes_until(|byte| {
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
            Err(self.odd_byte())
        }
    }

    /// The byte that comes next, blanks aside; it stays.
    fn next(&mut self) -> Result<u8, Failure> {
        self.blanks()?.ok_or_else(|| self.cut_off())
    }

    fn blanks(&mut self) -> Result<Option<u8>, Failure> {
        let mut next = None;
        let _ = self.bytes_until(|byte| {
            if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                Step::More
            } else {
                next = Some(byte);
                Step::Before
            }
        })?;
        Ok(next)
    }

    fn take_byte(&mut self) -> Result<(), Failure> {
        self.each_byte(|_| Step::Last)
    }

    /// Like [`Self::bytes_until`], of what has an end of its own.
    fn each_byte(&mut self, step: impl FnMut(u8) -> Step) -> Result<(), Failure> {
        if self.bytes_until(step)? {
            Ok(())
        } else {
            Err(self.cut_off())
        }
    }

    /// Shows byte after byte to `step`, and takes them as it says. Returns `false` where the
    /// stream ended first.
    fn bytes_until(&mut self, mut step: impl FnMut(u8) -> Step) -> Result<bool, Failure> {
        loop {
            let bytes = self.stream.fill_buf()?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let (mut count, mut is_done) = (0, false);
            for byte in bytes {
                let step = step(*byte);
                is_done = !matches!(step, Step::More);
                count += usize::from(!matches!(step, Step::Before));
                if is_done {
                    break;
                }
            }
            self.stream.consume(count);
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            self.taken = self.taken.saturating_add(count);
            if is_done {
                return Ok(true);
            }
        }
    }

    fn odd_byte(&self) -> Failure {
        Failure::malformed(format!("no JSON at byte {}", self.taken))
    }

    fn cut_off(&self) -> Failure {
        Failure::malformed(format!("JSON that ends at byte {}", self.taken))
    }
}

/// Keeps a value of a field, unless there is one: of a field that comes twice the first
/// readable one counts.
pub(super) fn first<T>(place: &mut Option<T>, value: Option<T>) {
    if place.is_none() {
        *place = value;
    }
}

#[cfg(test)]
mod tests;
