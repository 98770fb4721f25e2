use core::fmt::{self, Display, Write as _};

/// Whether a letter shows itself and nothing else.
#[must_use]
pub fn is_plain(letter: char) -> bool {
    let is_hidden = matches!(
        letter,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    );
    !letter.is_control() && !is_hidden
}

/// What is displayed, with all else written as `\u{1b}`.
#[derive(Clone, Copy, Debug)]
pub struct Plain<T>(pub T);

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
