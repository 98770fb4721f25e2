use alloc::vec::Vec;

/// Writes a protobuf message, field by field. What a field would hold if it were
/// not there (0, false, an empty text) is left out, as proto3 does.
///
/// ```
/// use evictd_containers::cri_api::Writer;
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
            self.varint(u64::from(field) << 3);
            self.varint(number);
        }
        self
    }

    /// A message, also an empty one.
    pub fn message(&mut self, field: u32, message: &Self) -> &mut Self {
        self.bytes(field, &message.bytes);
        self
    }

    /// A pair of a map of texts.
    pub fn pair(&mut self, field: u32, key: &str, value: &str) -> &mut Self {
        let mut pair = Self::default();
        pair.text(1, key).text(2, value);
        self.message(field, &pair)
    }

    /// Bytes, also none.
    pub fn bytes(&mut self, field: u32, bytes: &[u8]) -> &mut Self {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// The message.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.bytes.push(number.to_le_bytes()[0]);
    }
}
