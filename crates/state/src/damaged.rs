//! JSON that may be damaged. A value that is none costs itself, and what is torn costs what
//! stands behind the tear; all else is read.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Number, Value};

/// How much of a text is looked at, in bytes: a value that grew absurdly hides none behind it.
pub(crate) const MOST_READ: usize = 1 << 20;

/// So many values are kept; a file has some thousands.
const MOST_VALUES: usize = 16_384;

/// Lists and objects within each other that are kept; a file has four.
const MOST_DEPTH: usize = 16;

/// The longest text or number that is kept whole, in bytes.
const MOST_TEXT: usize = 16 << 10;

/// What was read, and where it was not what it should be.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) value: Value,
    /// How many values could not be read,
    lost: usize,
    /// and in which byte the first of them begins, or where the text is torn; from 1.
    first: Option<usize>,
    /// Whether its end is missing.
    pub(crate) is_torn: bool,
}

impl Read {
    /// What is wrong with the text.
    pub(crate) fn fault(&self) -> Option<String> {
        let (lost, first) = (self.lost, self.first?);
        Some(match lost {
            1 => format!("damaged at byte {first}"),
            _ => format!("damaged in {lost} places, first at byte {first}"),
        })
    }
}

/// Reads one value; whatever stands behind it is not looked at.
pub(crate) fn read(text: &[u8]) -> Read {
    let text = text.get(..MOST_READ).unwrap_or(text);
    let mut reader = Reader {
        text,
        at: 0,
        left: MOST_VALUES,
        lost: 0,
        first: None,
        is_torn: false,
    };
    let value = reader.value(0).unwrap_or_default();
    Read {
        value,
        lost: reader.lost,
        first: reader.first,
        is_torn: reader.is_torn,
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// How many more values are kept.
    left: usize,
    lost: usize,
    first: Option<usize>,
    /// Nothing behind this can be told apart.
    is_torn: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at = self.at.saturating_add(1);
        Some(byte)
    }

    /// The next byte that says something. Control characters say nothing outside of texts.
    fn mark(&mut self) -> Option<u8> {
        while self.peek().is_some_and(|byte| byte <= b' ') {
            self.at = self.at.saturating_add(1);
        }
        self.peek()
    }

    fn take(&mut self, mark: u8) -> bool {
        let is_there = self.mark() == Some(mark);
        if is_there {
            self.at = self.at.saturating_add(1);
        }
        is_there
    }

    fn lose(&mut self, begin: usize) {
        self.lost = self.lost.saturating_add(1);
        self.first.get_or_insert(begin.saturating_add(1));
    }

    fn tear(&mut self) {
        if !self.is_torn {
            self.is_torn = true;
            self.lose(self.at);
        }
    }

    /// A value; `None` where it is none, or too much.
    fn value(&mut self, depth: usize) -> Option<Value> {
        let mark = self.mark();
        let begin = self.at;
        let is_kept = depth < MOST_DEPTH && self.left > 0;
        self.left = self.left.saturating_sub(1);
        let value = match mark {
            Some(b'{' | b'[') if !is_kept => {
                self.pass_over();
                None
            }
            Some(b'{') => Some(self.object(depth)),
            Some(b'[') => Some(self.list(depth)),
            Some(b'"') => self.string().filter(|_| is_kept).map(Value::String),
            Some(_) => word(self.word()).filter(|_| is_kept),
            None => {
                self.tear();
                return None;
            }
        };
        if value.is_none() && !self.is_torn {
            self.lose(begin);
        }
        value
    }

    /// The first of two members of one name counts.
    fn object(&mut self, depth: usize) -> Value {
        let mut members = Map::new();
        self.parts(b'}', |reader| {
            let key = if reader.mark() == Some(b'"') {
                reader.string()
            } else {
                reader.tear();
                return;
            };
            if !reader.take(b':') {
                return reader.tear();
            }
            let value = reader.value(depth.saturating_add(1));
            if let Some((key, value)) = key.zip(value) {
                members.entry(key).or_insert(value);
            }
        });
        Value::Object(members)
    }

    fn list(&mut self, depth: usize) -> Value {
        let mut elements = Vec::new();
        self.parts(b']', |reader| {
            elements.extend(reader.value(depth.saturating_add(1)));
        });
        Value::Array(elements)
    }

    /// What stands between commas, from the opening bracket to the closing one.
    fn parts(&mut self, end: u8, mut part: impl FnMut(&mut Self)) {
        self.next();
        if self.take(end) {
            return;
        }
        while !self.is_torn {
            part(self);
            if self.is_torn || self.take(end) {
                return;
            }
            if !self.take(b',') {
                self.tear();
            }
        }
    }

    /// Goes to the end of a list or object, without its parts.
    fn pass_over(&mut self) {
        let mut open = 0_usize;
        while let Some(mark) = self.mark() {
            match mark {
                b'"' => drop(self.string()),
                b'{' | b'[' => {
                    open = open.saturating_add(1);
                    self.next();
                }
                b'}' | b']' => {
                    open = open.saturating_sub(1);
                    self.next();
                }
                _ => drop(self.next()),
            }
            if open == 0 {
                return;
            }
        }
        self.tear();
    }

    /// A number or a word, as it stands there.
    fn word(&mut self) -> &[u8] {
        let begin = self.at;
        let is_inner = |byte: &u8| {
            !matches!(
                byte,
                b',' | b':' | b'"' | b'[' | b']' | b'{' | b'}' | 0..=b' '
            )
        };
        let rest = self.text.get(begin..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_inner(byte)).count();
        self.at = begin.saturating_add(length);
        rest.get(..length).unwrap_or_default()
    }

    /// A text, whose bytes that are none are replaced; `None` where it is too long.
    fn string(&mut self) -> Option<String> {
        self.next();
        let mut text = Vec::new();
        loop {
            match self.next() {
                None => {
                    self.tear();
                    return None;
                }
                Some(b'"') => break,
                Some(b'\\') => {
                    let letter = self.escaped();
                    text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(byte) => text.push(byte),
            }
            // What is beyond is read and not kept.
            text.truncate(MOST_TEXT.saturating_add(1));
        }
        (text.len() <= MOST_TEXT).then(|| String::from_utf8_lossy(&text).into_owned())
    }

    /// What stands behind a backslash.
    fn escaped(&mut self) -> char {
        match self.next() {
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'u') => self.unit(),
            Some(byte) if byte.is_ascii() => char::from(byte),
            Some(_) | None => char::REPLACEMENT_CHARACTER,
        }
    }

    /// The character of an escape that begins with `\u`. A character beyond 16 bits has two such
    /// escapes, and both are read.
    fn unit(&mut self) -> char {
        let Some(first) = self.hex() else {
            return char::REPLACEMENT_CHARACTER;
        };
        let mut units = [first, 0];
        let mut length = 1;
        if (0xd800..0xdc00).contains(&first)
            && self
                .text
                .get(self.at..)
                .is_some_and(|rest| rest.starts_with(b"\\u"))
        {
            let before = self.at;
            self.at = before.saturating_add(2);
            match self
                .hex()
                .filter(|second| (0xdc00..0xe000).contains(second))
            {
                Some(second) => (units, length) = ([first, second], 2),
                None => self.at = before,
            }
        }
        let units = units.into_iter().take(length);
        let decoded = char::decode_utf16(units).next().and_then(Result::ok);
        decoded.unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at.checked_add(4)?)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        self.at = self.at.saturating_add(4);
        u16::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
    }
}

fn word(text: &[u8]) -> Option<Value> {
    match text {
        b"null" => Some(Value::Null),
        b"true" => Some(Value::Bool(true)),
        b"false" => Some(Value::Bool(false)),
        _ if text.len() > MOST_TEXT => None,
        _ => serde_json::from_slice::<Number>(text)
            .ok()
            .map(Value::Number),
    }
}
