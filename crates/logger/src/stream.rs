//! The event stream: each event is a record, one line of JSON, and these are kept here until
//! the loop hands them on, to the ring in the state directory and to the hook.
//!
//! Nothing here asks for memory once it is open, as events are told while there is none.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use evictd_node::Utc;
use evictd_plain::write_json;
use evictd_stats::wall_seconds;
use log::{Level, Record};

use crate::json::{About, Line, event_of};

/// What is kept between two turns of the loop, at most; the newest are lost beyond it.
const MOST: usize = 16 << 10;

static STREAM: Mutex<Stream> = Mutex::new(Stream {
    text: Vec::new(),
    about: About {
        sequence: 0,
        node: String::new(),
        boot_id: String::new(),
    },
});

struct Stream {
    text: Vec<u8>,
    about: About,
}

fn lock() -> MutexGuard<'static, Stream> {
    STREAM.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, records are kept, each with where it comes from: the node's name, and an id of
/// its boot.
pub fn open(node: String, boot_id: String) {
    *lock() = Stream {
        text: Vec::with_capacity(MOST),
        about: About {
            sequence: 0,
            node,
            boot_id,
        },
    };
}

/// The records since this was last called, each with its newline, in order.
pub fn take() -> Option<String> {
    let mut stream = lock();
    if stream.text.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(&stream.text).into_owned();
    stream.text.clear();
    Some(text)
}

/// Keeps the record of an event. As a line of JSON it is written to `out` too, as is what
/// tells of no event.
pub(crate) fn tell(record: &Record<'_>, out: Option<&mut dyn Write>) -> io::Result<()> {
    let Stream { text, about } = &mut *lock();
    let is_event = record.level() <= Level::Info && event_of(record).is_some();
    if is_event {
        about.sequence = about.sequence.saturating_add(1);
    }
    let before = text.len();
    let line = Line {
        when: Utc(wall_seconds()),
        about: is_event.then_some(about),
        record,
    };
    let is_kept = is_event && write(&mut Room(text), &line).is_ok();
    if !is_kept {
        // The gap in the numbers shows what was lost.
        text.truncate(before);
    }
    match out {
        Some(out) if is_kept => out.write_all(text.get(before..).unwrap_or_default()),
        Some(out) => write(out, &line),
        None => Ok(()),
    }
}

fn write(out: &mut dyn Write, line: &Line<'_>) -> io::Result<()> {
    write_json(out, line)?;
    out.write_all(b"\n")
}

/// A text that takes what it has room for, and asks for no more.
pub(crate) struct Room<'a>(pub(crate) &'a mut Vec<u8>);

impl Write for Room<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.0.capacity().saturating_sub(self.0.len());
        if bytes.len() > room {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
