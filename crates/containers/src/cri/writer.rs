//! Protobuf messages, written field by field. No I/O.

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
