use crate::scan::{Lines, Piece};
use crate::{ParseError, ParseErrorKind};

/// How a process has a file open (`/proc/PID/fdinfo/FD`, proc(5)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenFile {
    /// The flags that it was opened with, and what `fcntl` has made of them: `O_*`.
    pub flags: u32,
}

impl OpenFile {
    /// Whether it may be written to (`O_WRONLY`, `O_RDWR`).
    #[must_use]
    pub const fn is_writable(self) -> bool {
        matches!(self.flags & 0o3, 0o1 | 0o2)
    }

    /// Whether all that is written goes to its end (`O_APPEND`).
    #[must_use]
    pub const fn appends(self) -> bool {
        self.flags & 0o2000 != 0
    }
}

/// `/proc/PID/fdinfo/FD`: its line `flags:`, in octal digits.
///
/// # Errors
/// When there is no such line, or no such number in it.
pub fn parse_open_file(text: &[u8]) -> Result<OpenFile, ParseError> {
    let mut keys = Lines::new(text).filter_map(|line| line.split(|byte| byte == b':'));
    let flags = keys.find(|(key, _)| key.text == b"flags");
    let missing = Piece::whole(text).error(ParseErrorKind::Missing);
    let value = flags.ok_or(missing)?.1.trim_start().trim_end();
    let digits = core::str::from_utf8(value.text).ok();
    let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let flags = digits.and_then(|digits| u32::from_str_radix(digits, 8).ok());
    let flags = flags.ok_or(value.error(ParseErrorKind::Number))?;
    Ok(OpenFile { flags })
}
