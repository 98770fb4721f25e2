use core::fmt;
use std::io::Write;

/// After so many characters of a sentence the next line begins at a blank,
const FULL: usize = 150;

/// and after so many anywhere; with time and level no line has more than 200.
const MOST: usize = 172;

/// What is longer than a line goes on in the next one, which is indented. Asks for no
/// memory.
pub(super) struct Folded<'a> {
    out: &'a mut dyn Write,
    column: usize,
}

impl<'a> Folded<'a> {
    pub(super) const fn new(out: &'a mut dyn Write) -> Self {
        Self { out, column: 0 }
    }
}

impl fmt::Write for Folded<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.write_char(c))
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        let failed = |_| fmt::Error;
        let is_blank = c == ' ';
        if self.column >= MOST || self.column >= FULL && is_blank {
            self.out.write_all(b"\n    ").map_err(failed)?;
            self.column = 0;
            if is_blank {
                return Ok(());
            }
        }
        self.column = self.column.saturating_add(1);
        let mut room = [0; 4];
        let bytes = c.encode_utf8(&mut room).as_bytes();
        self.out.write_all(bytes).map_err(failed)
    }
}
