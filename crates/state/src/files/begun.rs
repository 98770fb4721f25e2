//! Evictions that were decided since the state was last written. The state is written to the
//! disk's end, which takes a worn card seconds; a line here survives the end of the process
//! as soon as the kernel has it.

use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use evictd_sys::Directory;

use crate::json::parse_begun;
use crate::record::Record;

const BEGUN: &str = "begun.jsonl";

/// What the file holds at most: a history of usual records.
const MOST: u64 = 128 << 10;

/// A record as its line.
pub(crate) fn to_line(record: &Record) -> String {
    let mut cut = record.clone();
    cut.cut();
    let mut line = serde_json::to_string(&cut).unwrap_or_default();
    line.push('\n');
    line
}

/// Adds lines. Beyond the bound none is added: then the state could not be written for long.
pub(crate) fn add(directory: &Directory, lines: &str) -> io::Result<()> {
    let file = directory.write(BEGUN)?;
    let end = file.metadata()?.len();
    let length = u64::try_from(lines.len()).unwrap_or(u64::MAX);
    if end.saturating_add(length) > MOST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    file.write_all_at(lines.as_bytes(), end)
}

/// All of them are in the state by now.
pub(crate) fn clear(directory: &Directory) -> io::Result<()> {
    let file = directory.write(BEGUN)?;
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    file.set_len(0)
}

/// The records, oldest first; none where there is no such file, or it cannot be read.
pub(crate) fn read(directory: &Directory) -> Vec<Record> {
    let mut bytes = Vec::new();
    let read = directory.read(BEGUN);
    let read = read.and_then(|file| file.take(MOST).read_to_end(&mut bytes));
    read.map_or_else(|_| Vec::new(), |_| parse_begun(&bytes))
}
