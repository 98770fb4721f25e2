//! Protobuf messages, read field by field as they come in. No I/O but by the source.

use core::fmt;
use std::io::{self, BufRead, ErrorKind};

/// As long as a path may be, the longest text that is shown.
const MOST_SHOWN_BYTES: usize = 4096;

const NOT_A_TEXT: &str = "not a text";

/// Reads a message from a source, in one go: what is not asked for is skipped, and nothing
/// is kept of it. A part that cannot be read costs itself alone; the first such
/// [`Fault`] is remembered. An error is only ever the source's.
///
/// ```
/// use evictd_containers::cri::Reader;
///
/// let mut message = &[0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1a, 5, b'x'][..];
/// let length = message.len();
/// let mut reader = Reader::new(&mut message, length);
/// let (mut number, mut text) = (None, None);
/// let whole = reader.whole();
/// reader
///     .message(whole, &mut |reader, field, value| {
///         match field {
///             1 => number = reader.number(value),
///             2 => text = reader.text(value, 100)?,
///             _ => {}
///         }
///         Ok(())
///     })
///     .unwrap();
/// assert_eq!((number, text.as_deref()), (Some(150), Some("hi")));
/// assert_eq!(reader.take_fault().unwrap().to_string(), "cut off");
/// ```
pub struct Reader<'a> {
    source: &'a mut dyn BufRead,
    /// How many bytes were read.
    at: u64,
    end: u64,
    fault: Option<Fault>,
}

/// The value of a field, by its wire type. It is read while it is handed out, or skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number in as few bytes as it takes: `int64`, `uint32`, `bool`, an enum.
    Number(u64),
    /// A text, bytes, or a message.
    Bytes(Extent),
    /// A number of four or eight bytes, of which CRI has none that matter here.
    Fixed,
}

/// Where a text or a message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    end: u64,
}

/// A part of a message that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// In which field of the message that was read; 0 where the message itself is cut off.
    pub field: u32,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            0 => f.write_str(self.what),
            field => write!(f, "field {field}: {}", self.what),
        }
    }
}

impl Fault {
    /// The part that cannot be read, as a note names it.
    pub(super) fn part(self) -> Box<str> {
        match self.field {
            0 => format!("a part ({})", self.what),
            field => format!("field {field} ({})", self.what),
        }
        .into()
    }
}

/// Why a field cannot be read.
enum Halt {
    Source(io::Error),
    Fault(&'static str),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Source(error)
    }
}

/// Reads one field of a message.
pub type Each<'e> = dyn FnMut(&mut Reader<'_>, u32, Value) -> io::Result<()> + 'e;

impl<'a> Reader<'a> {
    /// The message in the first `length` bytes of the source.
    #[must_use]
    pub fn new(source: &'a mut dyn BufRead, length: usize) -> Self {
        Self {
            source,
            at: 0,
            end: u64::try_from(length).unwrap_or(u64::MAX),
            fault: None,
        }
    }

    /// The whole message.
    #[must_use]
    pub const fn whole(&self) -> Value {
        Value::Bytes(Extent { end: self.end })
    }

    /// The first fault since the last call.
    pub const fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    /// Whether there was one.
    #[must_use]
    pub const fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// Remembers a fault, if it is the first.
    pub fn note(&mut self, what: &'static str) {
        self.fault.get_or_insert(Fault { field: 0, what });
    }

    /// Hands out each field of a message, as far as they can be read, and goes behind it.
    ///
    /// # Errors
    /// The source's, and those of `each`.
    pub fn message(&mut self, message: Value, each: &mut Each<'_>) -> io::Result<()> {
        let Value::Bytes(Extent { end }) = message else {
            self.note("not a message");
            return Ok(());
        };
        while self.at < end {
            let was_right = self.fault.is_none();
            match self.field(end) {
                Ok((number, value)) => {
                    each(self, number, value)?;
                    if let Value::Bytes(inner) = value {
                        self.skip_to(inner.end)?;
                    }
                    if let Some(fault) = self.fault.as_mut().filter(|_| was_right) {
                        fault.field = number;
                    }
                }
                Err(Halt::Fault(what)) => {
                    self.note(what);
                    break;
                }
                Err(Halt::Source(error)) => return Err(error),
            }
        }
        self.skip_to(end)
    }

    /// A number; none where it is something else.
    pub fn number(&mut self, value: Value) -> Option<u64> {
        if let Value::Number(number) = value {
            return Some(number);
        }
        self.note("not a number");
        None
    }

    /// A text that will be handed back or compared; none where it is longer than that or
    /// not UTF-8.
    ///
    /// # Errors
    /// The source's.
    pub fn text(&mut self, text: Value, most_bytes: usize) -> io::Result<Option<String>> {
        if !matches!(text, Value::Bytes(_)) {
            self.note(NOT_A_TEXT);
            return Ok(None);
        }
        let bytes = self.prefix(text, most_bytes.saturating_add(1))?;
        if bytes.len() > most_bytes {
            self.note("too long");
            return Ok(None);
        }
        let text = String::from_utf8(bytes);
        if text.is_err() {
            self.note("not UTF-8");
        }
        Ok(text.ok())
    }

    /// A text to be shown, of which at most 4 KiB are read.
    ///
    /// # Errors
    /// The source's.
    pub fn shown(&mut self, text: Value) -> io::Result<String> {
        let bytes = self.prefix(text, MOST_SHOWN_BYTES)?;
        Ok(shown(&bytes))
    }

    /// The first `most` bytes of a text, or all of a shorter one.
    ///
    /// # Errors
    /// The source's.
    pub fn prefix(&mut self, text: Value, most: usize) -> io::Result<Vec<u8>> {
        let Value::Bytes(Extent { end }) = text else {
            self.note(NOT_A_TEXT);
            return Ok(Vec::new());
        };
        let mut missing = usize::try_from(end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        missing = missing.min(most);
        // It may be longer by what it says than by what comes.
        let mut bytes = Vec::with_capacity(missing.min(MOST_SHOWN_BYTES));
        while missing > 0 {
            let buffer = fill(self.source)?;
            let piece = buffer.get(..missing).unwrap_or(buffer);
            bytes.extend_from_slice(piece);
            let count = piece.len();
            missing = missing.saturating_sub(count);
            self.consume(count);
        }
        Ok(bytes)
    }

    /// Goes behind a text or a message.
    ///
    /// # Errors
    /// The source's.
    pub fn skip(&mut self, value: Value) -> io::Result<()> {
        match value {
            Value::Bytes(Extent { end }) => self.skip_to(end),
            Value::Number(_) | Value::Fixed => Ok(()),
        }
    }

    fn field(&mut self, end: u64) -> Result<(u32, Value), Halt> {
        let key = self.varint(end)?;
        let number = u32::try_from(key >> 3).unwrap_or(0);
        if !(1..1 << 29).contains(&number) {
            return Err(Halt::Fault("no field has this number"));
        }
        let value = match key & 7 {
            0 => Value::Number(self.varint(end)?),
            1 => self.fixed(8, end)?,
            2 => {
                let count = self.varint(end)?;
                let end = self.extent(count, end)?;
                Value::Bytes(Extent { end })
            }
            5 => self.fixed(4, end)?,
            _ => return Err(Halt::Fault("not a field")),
        };
        Ok((number, value))
    }

    fn fixed(&mut self, count: u64, end: u64) -> Result<Value, Halt> {
        let end = self.extent(count, end)?;
        self.skip_to(end)?;
        Ok(Value::Fixed)
    }

    /// The position behind the next `count` bytes.
    fn extent(&self, count: u64, end: u64) -> Result<u64, Halt> {
        let inner = self.at.checked_add(count).filter(|inner| *inner <= end);
        inner.ok_or(Halt::Fault("cut off"))
    }

    /// At most ten bytes; of the tenth only one bit has a place.
    fn varint(&mut self, end: u64) -> Result<u64, Halt> {
        const TOO_LONG: Halt = Halt::Fault("a number of more than 64 bits");
        let mut number: u64 = 0;
        for shift in (0..70).step_by(7) {
            self.extent(1, end)?;
            let byte = fill(self.source)?.first().copied().unwrap_or_default();
            self.consume(1);
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(TOO_LONG);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(TOO_LONG)
    }

    fn skip_to(&mut self, end: u64) -> io::Result<()> {
        while self.at < end {
            let missing = usize::try_from(end.saturating_sub(self.at)).unwrap_or(usize::MAX);
            let count = fill(self.source)?.len().min(missing);
            self.consume(count);
        }
        Ok(())
    }

    fn consume(&mut self, count: usize) {
        self.source.consume(count);
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.at = self.at.saturating_add(count);
    }
}

/// What the source has next, never nothing.
fn fill(source: &mut dyn BufRead) -> io::Result<&[u8]> {
    let buffer = source.fill_buf()?;
    if buffer.is_empty() {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(buffer)
}

/// Bytes as text; those that are not UTF-8, also of a character that was cut in two, read
/// as `\xNN`.
pub(super) fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}
