use alloc::string::String;
use core::fmt::{self, Write};

/// Takes what is within a string's quotes (RFC 8259, section 7).
pub(crate) struct Escape<'a>(pub(crate) &'a mut String);

impl Write for Escape<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            self.write_char(c)?;
        }
        Ok(())
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        let short = match c {
            '"' | '\\' => c,
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\0'..='\u{1f}' => return write!(self.0, "\\u{:04x}", u32::from(c)),
            _ => {
                self.0.push(c);
                return Ok(());
            }
        };
        self.0.push('\\');
        self.0.push(short);
        Ok(())
    }
}
