//! Evictions that were decided since the state was last written. The state is written to the
//! disk's end, which takes a worn card seconds; a line here survives the end of the process
//! as soon as the kernel has it.

use std::io;
use std::os::unix::fs::FileExt;

use evictd_sys::Directory;

use crate::json::parse_begun;
use crate::record::Record;

const BEGUN: &str = "begun.jsonl";

/// What the file holds at most: a history of usual records.
const MOST: usize = 128 << 10;

/// The longest line of a record: its texts are cut, and JSON takes six letters for some.
const LONGEST: usize = MOST;

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
    let length = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
    if end.saturating_add(length(lines.len())) > length(MOST) {
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
    let lines = directory.read_lines(BEGUN, LONGEST, MOST);
    lines.map_or_else(|_| Vec::new(), |lines| parse_begun(&lines))
}
