use alloc::string::String;
use core::fmt;

/// Bytes within a message, and where they begin in the outermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// How many bytes of the outermost message stand before them.
    pub at: usize,
}

impl<'a> Bytes<'a> {
    /// A whole message.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// As text; what is not UTF-8 reads as `\xNN`, byte by byte.
    #[must_use]
    pub fn text(self) -> String {
        let mut text = String::new();
        for chunk in self.bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                text.push_str("\\x");
                for digit in [byte >> 4, byte & 15] {
                    text.extend(char::from_digit(u32::from(digit), 16));
                }
            }
        }
        text
    }

    /// As text that will be handed back.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn exact_text(self) -> Result<String, ProtoError> {
        match core::str::from_utf8(self.bytes) {
            Ok(text) => Ok(text.into()),
            Err(error) => Err(ProtoError {
                at: self.at.saturating_add(error.valid_up_to()),
                kind: ProtoErrorKind::NotText,
            }),
        }
    }
}

/// The value of a field, by its wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number in as few bytes as it takes: `int64`, `uint32`, `bool`, an enum.
    Varint(u64),
    /// Eight bytes: `fixed64`, `double`.
    Fixed64(u64),
    /// A text, bytes, or a message.
    Bytes(Bytes<'a>),
    /// Four bytes: `fixed32`, `float`.
    Fixed32(u32),
}

impl<'a> Value<'a> {
    /// What a field of texts or messages holds; `None` where the wire type is
    /// another one, as of a field that means something else to the sender.
    #[must_use]
    pub const fn bytes(self) -> Option<Bytes<'a>> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Varint(_) | Self::Fixed64(_) | Self::Fixed32(_) => None,
        }
    }

    /// What a field of numbers holds; `None` where the wire type is another one.
    #[must_use]
    pub const fn number(self) -> Option<u64> {
        match self {
            Self::Varint(number) => Some(number),
            Self::Bytes(_) | Self::Fixed64(_) | Self::Fixed32(_) => None,
        }
    }

    /// A number that may be negative (`int64`), as its bits say.
    #[must_use]
    pub const fn signed(self) -> Option<i64> {
        match self.number() {
            Some(number) => Some(number.cast_signed()),
            None => None,
        }
    }
}

/// Calls `each` with every field of a protobuf message: its number and its value.
///
/// Fields that nobody knows are for `each` to pass over. Nothing is allocated, and
/// messages within are read only where `each` does so.
///
/// # Errors
/// Where the bytes are no message, and what `each` returns.
///
/// ```
/// use evictd_containers::cri_api::{Bytes, Value, parse_fields};
///
/// let mut seen = Vec::new();
/// parse_fields(Bytes::new(&[0x08, 0x96, 0x01]), &mut |number, value| {
///     seen.push((number, value));
///     Ok(())
/// })?;
/// assert_eq!(seen, [(1, Value::Varint(150))]);
/// let error = parse_fields(Bytes::new(&[0x0a, 5, b'x']), &mut |_, _| Ok(())).unwrap_err();
/// assert_eq!(error.to_string(), "cut off at byte 2");
/// # Ok::<(), evictd_containers::cri_api::ProtoError>(())
/// ```
pub fn parse_fields<'a>(
    message: Bytes<'a>,
    each: &mut dyn FnMut(u32, Value<'a>) -> Result<(), ProtoError>,
) -> Result<(), ProtoError> {
    let mut reader = Reader { rest: message };
    while !reader.rest.bytes.is_empty() {
        let at = reader.rest.at;
        let key = reader.varint()?;
        let number = u32::try_from(key >> 3)
            .ok()
            .filter(|number| (1..1 << 29).contains(number))
            .ok_or(ProtoError {
                at,
                kind: ProtoErrorKind::FieldNumber,
            })?;
        let value = match key & 7 {
            0 => Value::Varint(reader.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(reader.array()?)),
            2 => Value::Bytes(reader.counted()?),
            5 => Value::Fixed32(u32::from_le_bytes(reader.array()?)),
            _ => {
                let kind = ProtoErrorKind::WireType;
                return Err(ProtoError { at, kind });
            }
        };
        each(number, value)?;
    }
    Ok(())
}

struct Reader<'a> {
    rest: Bytes<'a>,
}

impl<'a> Reader<'a> {
    const fn error(&self, kind: ProtoErrorKind) -> ProtoError {
        ProtoError {
            at: self.rest.at,
            kind,
        }
    }

    fn take(&mut self, count: usize) -> Result<Bytes<'a>, ProtoError> {
        let Bytes { bytes, at } = self.rest;
        let Some((taken, rest)) = bytes.split_at_checked(count) else {
            return Err(self.error(ProtoErrorKind::CutOff));
        };
        self.rest = Bytes {
            bytes: rest,
            at: at.saturating_add(count),
        };
        Ok(Bytes { bytes: taken, at })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtoError> {
        let cut_off = self.error(ProtoErrorKind::CutOff);
        self.take(N)?.bytes.try_into().map_err(|_| cut_off)
    }

    fn counted(&mut self) -> Result<Bytes<'a>, ProtoError> {
        let count = self.varint()?;
        match usize::try_from(count) {
            Ok(count) => self.take(count),
            Err(_) => Err(self.error(ProtoErrorKind::CutOff)),
        }
    }

    /// At most ten bytes; of the tenth only one bit has a place.
    fn varint(&mut self) -> Result<u64, ProtoError> {
        let too_long = self.error(ProtoErrorKind::Number);
        let mut number: u64 = 0;
        for shift in (0..70).step_by(7) {
            let [byte] = self.array()?;
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

/// Bytes that are no message: where, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtoError {
    /// How many bytes of the outermost message were read before.
    pub at: usize,
    /// What is wrong there.
    pub kind: ProtoErrorKind,
}

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtoErrorKind {
    /// It ends within a field.
    CutOff,
    /// A number of more than 64 bits.
    Number,
    /// A field's number is 0 or too large.
    FieldNumber,
    /// A wire type that does not exist, or a group.
    WireType,
    /// An id or a name of an image is not UTF-8.
    NotText,
}

impl fmt::Display for ProtoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ProtoErrorKind::CutOff => "cut off",
            ProtoErrorKind::Number => "a number of more than 64 bits",
            ProtoErrorKind::FieldNumber => "no field has this number",
            ProtoErrorKind::WireType => "not a field",
            ProtoErrorKind::NotText => "an id or a name that is not UTF-8",
        };
        write!(f, "{what} at byte {}", self.at)
    }
}

impl core::error::Error for ProtoError {}
