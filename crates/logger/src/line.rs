//! One line of the log, as text or as an object in JSON.

use core::fmt::Arguments;
use std::io::{self, Write};

use evictd_node::Utc;
use evictd_plain::Plain;
use evictd_stats::wall_seconds;
use log::{Level, Record};

use crate::stream;

/// How a line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Time, level and sentence.
    Text,
    /// An object with the record's fields.
    Json,
}

/// The record as one line, which is kept by the [`stream`] too where it tells of an event. Asks
/// for no memory: what it is written to has room.
///
/// # Errors
/// Those of `out`.
pub fn write_line(out: &mut dyn Write, format: Format, record: &Record<'_>) -> io::Result<()> {
    match format {
        Format::Text => {
            stream::tell(record, None)?;
            write_plain(out, record.level(), *record.args())
        }
        Format::Json => stream::tell(record, Some(out)),
    }
}

/// Time, level and sentence, in one line however long it is: what reads it counts on that.
pub(crate) fn write_plain(
    out: &mut dyn Write,
    level: Level,
    text: Arguments<'_>,
) -> io::Result<()> {
    writeln!(out, "{} {level:<5} {}", Utc(wall_seconds()), Plain(text))
}
