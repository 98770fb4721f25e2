//! Names from outside, as they are shown: the one place where they are escaped on their
//! way into the log, the commands' output and JSON (acceptance row 198).
//!
//! A cgroup, a file or an image may be named by whoever wants to forge a line of a log, or
//! to have a terminal do something: nothing that ends a line, moves a cursor or turns the
//! direction of text gets through. Nothing asks for memory here: the log has none to ask.

use core::fmt::{self, Display, Write as _};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CharEscape, Formatter};

/// Whether a letter shows itself and nothing else.
fn is_plain(letter: char) -> bool {
    let is_hidden = matches!(
        letter,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    );
    !letter.is_control() && !is_hidden
}

/// What is displayed, with all else written as `\u{1b}`.
pub(crate) struct Plain<T>(pub(crate) T);

impl<T: Display> Display for Plain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping(f), "{}", self.0)
    }
}

struct Escaping<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for piece in text.split_inclusive(|letter| !is_plain(letter)) {
            match piece.char_indices().next_back() {
                Some((at, letter)) if !is_plain(letter) => {
                    self.0.write_str(piece.get(..at).unwrap_or_default())?;
                    write!(self.0, "{}", letter.escape_unicode())?;
                }
                _ => self.0.write_str(piece)?,
            }
        }
        Ok(())
    }
}

/// A document as JSON whose texts are plain, also once a reader has unescaped them.
///
/// # Errors
/// The writer's, and those of values that are no JSON.
pub(crate) fn write_json(out: &mut dyn Write, document: &impl Serialize) -> serde_json::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What must not get through, each with a letter before and behind.
    const HOSTILE: &str =
        "a\u{1b}[31mb\rc\nd\u{9b}e\u{7f}f\u{85}g\u{202e}h\u{2066}i\u{61c}j\u{2028}k\tl\u{0}m";
    const SHOWN: &str = "a\\u{1b}[31mb\\u{d}c\\u{a}d\\u{9b}e\\u{7f}f\\u{85}g\\u{202e}h\\u{2066}i\
                         \\u{61c}j\\u{2028}k\\u{9}l\\u{0}m";

    /// Acceptance row 198.
    #[test]
    fn nothing_but_letters_gets_through() {
        assert_eq!(Plain(HOSTILE).to_string(), SHOWN);
        assert_eq!(Plain(SHOWN).to_string(), SHOWN);
        assert_eq!(
            Plain("größe \"Ω\" \\ 日本 🦀").to_string(),
            "größe \"Ω\" \\ 日本 🦀"
        );
    }

    /// Acceptance row 198.
    #[test]
    fn json_is_plain_before_and_after_it_is_read() {
        let document =
            alloc::collections::BTreeMap::from([(HOSTILE, "\"quoted\" \\ größe"), ("b", HOSTILE)]);
        let mut out = Vec::new();
        write_json(&mut out, &document).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.chars().all(is_plain), "{text}");
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read[SHOWN], "\"quoted\" \\ größe");
        assert_eq!(read["b"], SHOWN);
    }
}
