//! Protobuf messages, read and written field by field. No I/O.

use core::fmt;

/// Bytes within a message, and where they begin in the outermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// How many bytes of the outermost message stand before them.
    pub at: usize,
}

/// The value of a field, by its wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number in as few bytes as it takes: `int64`, `uint32`, `bool`, an enum.
    Varint(u64),
    /// A text, bytes, or a message.
    Bytes(Bytes<'a>),
    /// A number of four or eight bytes, of which CRI has none that matter here.
    Fixed,
}

/// As long as a path may be, the longest text that is not handed back.
const MOST_SHOWN_BYTES: usize = 4096;

impl<'a> Bytes<'a> {
    /// A whole message.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The fields of a message, each its number and its value. Nothing is allocated,
    /// and messages within are not read. After an error there are no more.
    ///
    /// ```
    /// use evictd_containers::cri::{Bytes, Value};
    ///
    /// let mut fields = Bytes::new(&[0x08, 0x96, 0x01, 0x0a, 5, b'x']).fields();
    /// assert_eq!(fields.next(), Some(Ok((1, Value::Varint(150)))));
    /// let error = fields.next().and_then(Result::err).unwrap();
    /// assert_eq!(error.to_string(), "cut off at byte 5");
    /// ```
    pub fn fields(self) -> impl Iterator<Item = Result<(u32, Value<'a>), ProtoError>> + use<'a> {
        let mut rest = self;
        core::iter::from_fn(move || {
            if rest.bytes.is_empty() {
                return None;
            }
            let field = rest.take_field();
            if field.is_err() {
                rest.bytes = &[];
            }
            Some(field)
        })
    }

    pub(super) fn message(self) -> Result<Message<'a>, ProtoError> {
        let all = self.fields().try_for_each(|field| field.map(drop));
        all.map(|()| Message(self))
    }

    /// As text of which at most 4 KiB are read; what is not UTF-8 there, also a character
    /// that the end cuts in two, reads as `\xNN`, byte by byte.
    #[must_use]
    pub fn text(self) -> String {
        let mut text = String::new();
        let bytes = self.bytes.get(..MOST_SHOWN_BYTES).unwrap_or(self.bytes);
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        text
    }

    pub(super) const fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether it is exactly that text.
    pub(super) fn is(&self, text: &str) -> bool {
        self.bytes == text.as_bytes()
    }

    /// As text that will be handed back.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn exact_text(self) -> Result<&'a str, ProtoError> {
        core::str::from_utf8(self.bytes).map_err(|error| ProtoError {
            at: self.at.saturating_add(error.valid_up_to()),
            what: "an id or a name that is not UTF-8",
        })
    }

    fn take_field(&mut self) -> Result<(u32, Value<'a>), ProtoError> {
        let no_number = self.error("no field has this number");
        let not_a_field = self.error("not a field");
        let key = self.varint()?;
        let number = u32::try_from(key >> 3).map_err(|_| no_number)?;
        if !(1..1 << 29).contains(&number) {
            return Err(no_number);
        }
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let count = self.varint()?;
                // What no machine can address is not there either.
                Value::Bytes(self.take(usize::try_from(count).unwrap_or(usize::MAX))?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
            _ => return Err(not_a_field),
        };
        Ok((number, value))
    }

    pub(super) const fn error(&self, what: &'static str) -> ProtoError {
        ProtoError { at: self.at, what }
    }

    fn take(&mut self, count: usize) -> Result<Bytes<'a>, ProtoError> {
        let Bytes { bytes, at } = *self;
        let Some((taken, rest)) = bytes.split_at_checked(count) else {
            return Err(self.error("cut off"));
        };
        *self = Bytes {
            bytes: rest,
            at: at.saturating_add(count),
        };
        Ok(Bytes { bytes: taken, at })
    }

    /// At most ten bytes; of the tenth only one bit has a place.
    fn varint(&mut self) -> Result<u64, ProtoError> {
        let too_long = self.error("a number of more than 64 bits");
        let mut number: u64 = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.take(1)?.bytes.first().copied().unwrap_or_default();
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(too_long);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(too_long)
    }
}

/// A message of which every field can be read.
pub(super) struct Message<'a>(Bytes<'a>);

impl<'a> Message<'a> {
    /// The values of all fields of this number.
    fn values(&self, number: u32) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let of_number = move |(of, value)| (of == number).then_some(value);
        self.0.fields().flatten().filter_map(of_number)
    }

    pub(super) const fn error(&self, what: &'static str) -> ProtoError {
        self.0.error(what)
    }

    /// The texts, bytes or messages among them.
    pub(super) fn all(&self, number: u32) -> impl Iterator<Item = Bytes<'a>> + use<'a> {
        self.values(number).filter_map(|value| match value {
            Value::Bytes(bytes) => Some(bytes),
            Value::Varint(_) | Value::Fixed => None,
        })
    }

    /// The last of these; empty where there is none.
    pub(super) fn bytes(&self, number: u32) -> Bytes<'a> {
        self.all(number).last().unwrap_or(Bytes::new(&[]))
    }

    /// The last of them as a message.
    pub(super) fn within(&self, number: u32) -> Result<Self, ProtoError> {
        self.bytes(number).message()
    }

    /// The last number of a field; 0 where it is not there.
    pub(super) fn number(&self, number: u32) -> u64 {
        let numbers = self.values(number).filter_map(|value| match value {
            Value::Varint(value) => Some(value),
            Value::Bytes(_) | Value::Fixed => None,
        });
        numbers.last().unwrap_or(0)
    }
}

/// Bytes that are no message: where, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProtoError {
    /// How many bytes of the outermost message were read before.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for ProtoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.at)
    }
}

impl core::error::Error for ProtoError {}

/// Writes a protobuf message, field by field. What a field would hold if it were
/// not there (0, false, an empty text) is left out, as proto3 does.
///
/// ```
/// use evictd_containers::cri::Writer;
///
/// let mut message = Writer::default();
/// message.text(1, "abc").number(2, 150);
/// assert_eq!(message.into_bytes(), [0x0a, 3, b'a', b'b', b'c', 0x10, 0x96, 0x01]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// A text.
    pub fn text(&mut self, field: u32, text: &str) -> &mut Self {
        if !text.is_empty() {
            self.bytes(field, text.as_bytes());
        }
        self
    }

    /// A number, a truth (1) or a word of an enum.
    pub fn number(&mut self, field: u32, number: u64) -> &mut Self {
        if number != 0 {
            push_varint(&mut self.bytes, u64::from(field) << 3);
            push_varint(&mut self.bytes, number);
        }
        self
    }

    /// A message, also an empty one.
    pub fn message(&mut self, field: u32, message: &Self) -> &mut Self {
        self.bytes(field, &message.bytes)
    }

    /// A pair of a map of texts.
    pub fn pair(&mut self, field: u32, key: &str, value: &str) -> &mut Self {
        let mut pair = Self::default();
        pair.text(1, key).text(2, value);
        self.message(field, &pair)
    }

    /// Bytes, also none.
    pub fn bytes(&mut self, field: u32, bytes: &[u8]) -> &mut Self {
        push_varint(&mut self.bytes, u64::from(field) << 3 | 2);
        push_varint(&mut self.bytes, bytes.len());
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// The message.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Seven bits a byte, the lowest first: so HPACK writes the rest of a number as well.
pub(super) fn push_varint(bytes: &mut Vec<u8>, number: impl TryInto<u64>) {
    let mut number = number.try_into().unwrap_or(u64::MAX);
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}
