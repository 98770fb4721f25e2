//! One line of the log, as text or as an object in JSON.

use core::fmt::Arguments;
use std::io::{self, Write};

use evictd_config::LogFormat;
use evictd_stats::wall_seconds;
use log::{Level, Record};

use super::stream;
use super::time::Utc;
use crate::plain::Plain;

/// The record as one line. Asks for no memory: what it is written to has room.
pub(super) fn write_line(
    out: &mut dyn Write,
    format: LogFormat,
    record: &Record<'_>,
) -> io::Result<()> {
    match format {
        LogFormat::Text => {
            stream::tell(record, None)?;
            write_plain(out, record.level(), *record.args())
        }
        LogFormat::Json => stream::tell(record, Some(out)),
    }
}

/// Time, level and sentence, in one line however long it is: what reads it counts on that.
pub(super) fn write_plain(
    out: &mut dyn Write,
    level: Level,
    text: Arguments<'_>,
) -> io::Result<()> {
    writeln!(out, "{} {level:<5} {}", Utc(wall_seconds()), Plain(text))
}
