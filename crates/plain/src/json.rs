use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CharEscape, Formatter};

use crate::is_plain;

/// A document as JSON whose texts are plain, also once a reader has unescaped them.
///
/// # Errors
/// The writer's, and those of values that are no JSON.
pub fn write_json(out: &mut dyn Write, document: &impl Serialize) -> serde_json::Result<()> {
    document.serialize(&mut Serializer::with_formatter(out, PlainJson))
}

struct PlainJson;

impl Formatter for PlainJson {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for letter in fragment.chars() {
            if is_plain(letter) {
                write!(out, "{letter}")?;
            } else {
                // The backslash itself is escaped: it is to be seen.
                write!(out, "\\{}", letter.escape_unicode())?;
            }
        }
        Ok(())
    }

    fn write_char_escape<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        let letter = match escape {
            CharEscape::Quote => return out.write_all(b"\\\""),
            CharEscape::ReverseSolidus => return out.write_all(b"\\\\"),
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        };
        write!(out, "\\{}", letter.escape_unicode())
    }
}
