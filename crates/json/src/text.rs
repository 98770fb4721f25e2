//! The inside of a text, byte by byte.

/// Undoes the escapes of a text, as far as it fits.
pub(super) struct Decoder<'a> {
    bytes: &'a mut Vec<u8>,
    most: usize,
    state: State,
    /// The first half of a character of two escapes.
    high: Option<u32>,
    /// Something of it could not be read, or did not fit.
    is_broken: bool,
}

enum State {
    Plain,
    /// After a backslash.
    Escape,
    /// After `\u` and some of its four digits.
    Digits {
        count: u8,
        value: u32,
    },
    Ended,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a mut Vec<u8>, most: usize) -> Self {
        Self {
            bytes,
            most,
            state: State::Plain,
            high: None,
            is_broken: false,
        }
    }

    /// Takes the next byte after the first quote; returns `false` at the last quote.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        match self.state {
            State::Plain => match byte {
                b'"' => self.state = State::Ended,
                b'\\' => self.state = State::Escape,
                _ => self.push(&[byte]),
            },
            State::Escape => self.escape(byte),
            State::Digits { count, value } => self.digit(byte, count, value),
            State::Ended => {}
        }
        !matches!(self.state, State::Ended)
    }

    /// Whether all of it was read; UTF-8 is another question.
    pub(super) const fn is_readable(&self) -> bool {
        !self.is_broken && self.high.is_none()
    }

    fn escape(&mut self, byte: u8) {
        self.state = State::Plain;
        match byte {
            b'u' => self.state = State::Digits { count: 0, value: 0 },
            b'"' | b'\\' | b'/' => self.push(&[byte]),
            b'b' => self.push(&[8]),
            b'f' => self.push(&[12]),
            b'n' => self.push(b"\n"),
            b'r' => self.push(b"\r"),
            b't' => self.push(b"\t"),
            _ => self.is_broken = true,
        }
    }

    fn digit(&mut self, byte: u8, count: u8, value: u32) {
        let Some(digit) = char::from(byte).to_digit(16) else {
            // The quote that ends the text may be what came in place of a digit.
            self.is_broken = true;
            self.state = State::Plain;
            self.take(byte);
            return;
        };
        let value = (value << 4) | digit;
        if count < 3 {
            let count = count.saturating_add(1);
            self.state = State::Digits { count, value };
        } else {
            self.state = State::Plain;
            self.unit(value);
        }
    }

    /// A unit of UTF-16: a character, or a half of one.
    fn unit(&mut self, unit: u32) {
        match (self.high.take(), unit) {
            (None, 0xd800..0xdc00) => self.high = Some(unit),
            (Some(high), 0xdc00..0xe000) => {
                let both = ((high & 0x3ff) << 10) | (unit & 0x3ff);
                self.character(0x1_0000_u32.saturating_add(both));
            }
            (None, _) => self.character(unit),
            (Some(_), _) => self.is_broken = true,
        }
    }

    fn character(&mut self, code: u32) {
        match char::from_u32(code) {
            Some(letter) => self.push(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self.is_broken = true,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        // Half of a character was before it, and not the other half.
        self.is_broken |= self.high.is_some();
        self.is_broken |= self.bytes.len().saturating_add(bytes.len()) > self.most;
        if !self.is_broken {
            self.bytes.extend_from_slice(bytes);
        }
    }
}
