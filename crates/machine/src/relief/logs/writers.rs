//! Which processes write a log, and how they have it open.

use std::ffi::OsStr;
use std::fs::{DirEntry, read, read_dir, read_link};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use evictd_gc::LogWriter;
use evictd_kerntext::parse_open_file;
use rustix::fs::stat;

use super::find::Log;

/// For each log how its writers have it open. Of all that processes have open only what bears
/// a log's name is looked at closer: other files may lie on disks that do not answer.
pub(super) fn find_writers(proc: &Path, logs: &[Log]) -> Vec<LogWriter> {
    let mut found = vec![LogWriter::Nobody; logs.len()];
    let is_process = |entry: &DirEntry| entry.file_name().as_bytes().iter().all(u8::is_ascii_digit);
    for process in entries(proc).filter(is_process) {
        for open in entries(&process.path().join("fd")) {
            let Ok(link) = read_link(open.path()) else {
                continue;
            };
            let all = logs.iter().zip(&mut found);
            let named = all.filter(|(log, _)| link.file_name() == Some(&log.file));
            for (_, writer) in named.filter(|(log, _)| is_it(&open.path(), log)) {
                *writer = (*writer).max(how(&process.path(), &open.file_name()));
            }
        }
    }
    found
}

/// What is gone meanwhile has none.
fn entries(directory: &Path) -> impl Iterator<Item = DirEntry> {
    read_dir(directory).into_iter().flatten().flatten()
}

fn is_it(open: &Path, log: &Log) -> bool {
    let stat = stat(open);
    stat.is_ok_and(|stat| (stat.st_dev, stat.st_ino) == (log.looked.device, log.looked.inode))
}

/// What cannot be told is the worst.
fn how(process: &Path, number: &OsStr) -> LogWriter {
    let text = read(process.join("fdinfo").join(number));
    let file = text.ok().and_then(|text| parse_open_file(&text).ok());
    match file {
        Some(file) if !file.is_writable() => LogWriter::Nobody,
        Some(file) if file.appends() => LogWriter::Appends,
        _ => LogWriter::KeepsPosition,
    }
}
