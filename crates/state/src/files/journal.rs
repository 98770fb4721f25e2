use core::time::Duration;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use evictd_node::Mono;

use crate::error::Error;
use crate::files::home::Home;

/// The file that records are added to, and the one that was full before.
const EVENTS: &str = "events.jsonl";
const FORMER: &str = "events.old.jsonl";

/// What each holds at most: some hundred records.
pub(crate) const MOST: u64 = 32 << 10;

/// What is written a day at most: a flash disk wears out.
const MOST_A_DAY: u64 = 1 << 20;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The events of late, on disk: two files of records, one line of JSON each.
#[derive(Debug)]
pub(crate) struct Journal {
    day_began: Mono,
    written: u64,
}

impl Journal {
    pub(crate) const fn new() -> Self {
        Self {
            day_began: Mono::ZERO,
            written: 0,
        }
    }

    /// Adds records, each with its newline.
    pub(crate) fn add(&mut self, home: &Home, now: Mono, records: &str) -> Result<(), Error> {
        if self.written == 0 || now.since(self.day_began) >= DAY {
            *self = Self {
                day_began: now,
                written: 0,
            };
        }
        let length = u64::try_from(records.len()).unwrap_or(u64::MAX);
        let error = Error::at(&home.path.join(EVENTS));
        if self.written.saturating_add(length) > MOST_A_DAY {
            let most = MOST_A_DAY >> 20;
            return Err(error(io::Error::other(format!(
                "{most} MiB of events were written since yesterday; none is kept for a while"
            ))));
        }
        self.written = self.written.saturating_add(length);
        write(home, records.as_bytes(), length).map_err(error)
    }
}

fn write(home: &Home, records: &[u8], length: u64) -> io::Result<()> {
    let directory = &home.directory;
    let mut file = directory.write(EVENTS)?;
    let mut end = file.metadata()?.len();
    if end.saturating_add(length) > MOST {
        directory.rename(EVENTS, FORMER)?;
        file = directory.write(EVENTS)?;
        end = 0;
    }
    // A record that a power failure tore is one line of its own.
    let mut last = [b'\n'];
    if end > 0 {
        file.read_exact_at(&mut last, end.saturating_sub(1))?;
    }
    let newline: &[u8] = if last == [b'\n'] { b"" } else { b"\n" };
    file.write_all_at(&[newline, records].concat(), end)?;
    file.sync_data()
}

/// The records of late, oldest first, as lines; what is no text among them is replaced.
///
/// # Errors
/// The kernel's, with the file's name.
pub fn read_events(directory: &Path) -> Result<String, Error> {
    let home = Home::open(directory).map_err(Error::at(directory))?;
    let most = usize::try_from(MOST).unwrap_or(usize::MAX);
    let mut text = String::new();
    for name in [FORMER, EVENTS] {
        match home.directory.read_lines(name, most, most) {
            // What stands in the place of one of them costs it alone.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => {
            }
            lines => {
                let lines = lines.map_err(Error::at(&directory.join(name)))?;
                text.push_str(&String::from_utf8_lossy(&lines));
            }
        }
    }
    Ok(text)
}
