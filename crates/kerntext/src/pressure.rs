use core::time::Duration;

use crate::scan::{Fields, Lines, Piece};
use crate::{ParseError, ParseErrorKind};

/// For how long in all, since the kernel began, all tasks that could run waited at the same
/// time: `total` of the line `full` of `/proc/pressure/memory` or a cgroup's
/// `memory.pressure`.
///
/// # Errors
/// When there is no such line, or no such number in it.
pub fn parse_full_stall(text: &[u8]) -> Result<Duration, ParseError> {
    total(text, b"full")
}

/// For how long in all, since the kernel began, any task that could run waited: `total` of
/// the line `some`.
///
/// # Errors
/// As [`parse_full_stall`].
pub fn parse_some_stall(text: &[u8]) -> Result<Duration, ParseError> {
    total(text, b"some")
}

fn total(text: &[u8], of: &[u8]) -> Result<Duration, ParseError> {
    for line in Lines::new(text) {
        let mut fields = Fields::new(line);
        if fields.next().is_some_and(|name| name.text == of) {
            let total = fields.find_map(|field| {
                let (name, value) = field.split(|byte| byte == b'=')?;
                (name.text == b"total").then_some(value)
            });
            let total = total.ok_or(line.error(ParseErrorKind::Missing))?;
            return Ok(Duration::from_micros(total.number()?));
        }
    }
    Err(Piece::whole(text).error(ParseErrorKind::Missing))
}
