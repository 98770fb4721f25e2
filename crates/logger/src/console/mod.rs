//! Where log lines are written: standard error, so that its reader cannot hold the daemon
//! up.
//!
//! A line is written when the reader has room for it; else it is kept, in order, and
//! written as soon as there is room. Beyond a bound the newest lines are lost, and
//! counted.

use core::time::Duration;
use std::fs::File;
use std::io::{self, ErrorKind, Write, stderr};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use evictd_node::Mono;
use evictd_stats::now;
use evictd_sys::{is_writable, reopen_non_blocking};
use log::{Level, Record};

use crate::line::{Format, write_line};

/// What a pipe that can be written to takes without waiting (`PIPE_BUF`).
const PIECE: usize = 4096;

/// The most that is kept, and what of it is left for the line about those lost.
const MOST: usize = 32 << 10;
const SPARE: usize = 256;

/// How soon to try again while lines are kept.
const AGAIN: Duration = Duration::from_millis(200);

/// How long the end may wait for a reader.
const LAST: Duration = Duration::from_secs(1);

static CONSOLE: Mutex<Console> = Mutex::new(Console {
    held: Held::new(Format::Text),
    out: None,
});

struct Console {
    held: Held,
    /// Standard error once more, where it can be opened so that it never waits.
    out: Option<File>,
}

/// Writes to the console. A write takes all of a line and never waits.
#[derive(Debug)]
pub struct Writer;

/// From here on, standard error is written to by the [`Writer`].
pub fn open(format: Format) -> Writer {
    let path = Path::new("/proc/self/fd/2");
    *lock() = Console {
        held: Held::new(format),
        out: reopen_non_blocking(stderr().as_fd(), path).map(File::from),
    };
    Writer
}

impl Write for Writer {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let Console { held, out } = &mut *lock();
        held.take(line, &mut |piece| {
            write_some(out.as_ref(), Duration::ZERO, piece)
        });
        Ok(line.len())
    }

    /// What is kept waits for the reader, not the writer of a line for it.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes what is kept, as far as there is room. Returns when to come back for more.
pub fn flush() -> Option<Mono> {
    let Console { held, out } = &mut *lock();
    if held.is_empty() {
        return None;
    }
    held.flush(&mut |piece| write_some(out.as_ref(), Duration::ZERO, piece));
    (!held.is_empty()).then(|| now() + AGAIN)
}

/// Writes what is kept before the process ends, if that does not take too long.
pub fn close() {
    let end = now() + LAST;
    let Console { held, out } = &mut *lock();
    held.flush(&mut |piece| write_some(out.as_ref(), end.since(now()), piece));
}

fn lock() -> MutexGuard<'static, Console> {
    CONSOLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes as much of a piece as there is room for, and waits at most so long for there
/// to be any. What nobody can ever read counts as written.
fn write_some(mut out: Option<&File>, wait: Duration, piece: &[u8]) -> usize {
    let stderr = stderr();
    let fd = out.map_or(stderr.as_fd(), AsFd::as_fd);
    if !is_writable(fd, wait) {
        return 0;
    }
    let written = match &mut out {
        Some(out) => out.write(piece),
        None => (&stderr).write(piece),
    };
    match written.map_err(|error| error.kind()) {
        Ok(length) => length,
        // Full after all: there is other room than for this piece, or somebody else
        // was quicker.
        Err(ErrorKind::WouldBlock | ErrorKind::Interrupted) => 0,
        Err(_) => piece.len(),
    }
}

/// Writes the beginning of a piece and returns how much of it.
type WriteSome<'a> = &'a mut dyn FnMut(&[u8]) -> usize;

/// The lines that were not written yet.
struct Held {
    text: Vec<u8>,
    lost: u32,
    format: Format,
}

impl Held {
    const fn new(format: Format) -> Self {
        Self {
            text: Vec::new(),
            lost: 0,
            format,
        }
    }

    const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Writes a line after those that are kept, or keeps it, or counts it.
    fn take(&mut self, line: &[u8], write: WriteSome<'_>) {
        self.flush(write);
        let mut line = line;
        if self.is_empty() {
            line = write_all(line, write);
        }
        let room = MOST.saturating_sub(self.text.len());
        if room >= line.len() + SPARE {
            self.tell_lost();
            self.text.extend_from_slice(line);
        } else {
            self.lost = self.lost.saturating_add(1);
        }
    }

    fn flush(&mut self, write: WriteSome<'_>) {
        while !self.is_empty() {
            let left = write_all(&self.text, write).len();
            self.text.drain(..self.text.len() - left);
            if left > 0 {
                return;
            }
            self.text = Vec::new();
            self.tell_lost();
        }
    }

    /// Where they would have stood.
    fn tell_lost(&mut self) {
        let lost = core::mem::take(&mut self.lost);
        if lost == 0 {
            return;
        }
        let fields = [
            ("event", "lines_lost".into()),
            ("lines", log::kv::Value::from(lost)),
        ];
        let _ = write_line(
            &mut self.text,
            self.format,
            &Record::builder()
                .level(Level::Warn)
                .key_values(&fields)
                .args(format_args!("{lost} lines were lost: stderr was not read"))
                .build(),
        );
    }
}

/// Returns what was not written.
fn write_all<'a>(mut text: &'a [u8], write: WriteSome<'_>) -> &'a [u8] {
    while !text.is_empty() {
        let piece = text.get(..PIECE).unwrap_or(text);
        match write(piece) {
            0 => break,
            length => text = text.get(length..).unwrap_or_default(),
        }
    }
    text
}

#[cfg(test)]
mod tests;
