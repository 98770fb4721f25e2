//! What the daemon writes to standard error, so that whoever reads it cannot hold it
//! up.
//!
//! A line is written when the reader has room for it; else it is kept, in order, and
//! written as soon as there is room. Beyond a bound the newest lines are lost, and
//! counted.

use core::time::Duration;
use std::io::{ErrorKind, Write, stderr};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use evictd_node::Mono;
use evictd_stats::{now, wall_seconds};
use evictd_watch::is_writable;

use crate::log_line::Utc;

/// What a pipe that can be written to takes without waiting (`PIPE_BUF`).
const PIECE: usize = 4096;

/// The most that is kept, and what of it is left for the line about those lost.
const MOST: usize = 32 << 10;
const SPARE: usize = 128;

/// How soon to try again while lines are kept.
const AGAIN: Duration = Duration::from_millis(200);

/// How long the end may wait for a reader.
const LAST: Duration = Duration::from_secs(1);

static HELD: Mutex<Held> = Mutex::new(Held::new());

/// Writes a line, or keeps it.
pub(crate) fn take(line: &str) {
    held().take(line.as_bytes(), &mut to_stderr(Duration::ZERO));
}

/// Writes what is kept, as far as there is room; answers when to come back for more.
pub(crate) fn flush() -> Option<Mono> {
    let mut held = held();
    if held.is_empty() {
        return None;
    }
    held.flush(&mut to_stderr(Duration::ZERO));
    (!held.is_empty()).then(|| now() + AGAIN)
}

/// Writes what is kept before the process ends, if that does not take too long.
pub(crate) fn close() {
    let end = now() + LAST;
    held().flush(&mut |piece| to_stderr(end.since(now()))(piece));
}

fn held() -> MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A function that writes as much of a piece as there is room for, and waits at most
/// so long for there to be any. What nobody can ever read counts as written.
fn to_stderr(wait: Duration) -> impl FnMut(&[u8]) -> usize {
    move |piece| {
        let mut stderr = stderr();
        if !is_writable(stderr.as_fd(), wait) {
            return 0;
        }
        match stderr.write(piece) {
            Ok(length) => length,
            // Somebody else has made the pipe non-blocking, and filled it.
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(_) => piece.len(),
        }
    }
}

/// Writes the beginning of a piece and answers how much of it.
type WriteSome<'a> = &'a mut dyn FnMut(&[u8]) -> usize;

/// The lines that were not written yet.
struct Held {
    text: Vec<u8>,
    lost: u32,
}

impl Held {
    const fn new() -> Self {
        Self {
            text: Vec::new(),
            lost: 0,
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
        if self.lost > 0 {
            let (when, lost) = (Utc(wall_seconds()), self.lost);
            let line = format!("{when} WARN  {lost} lines were lost: stderr was not read\n");
            self.text.extend_from_slice(line.as_bytes());
            self.lost = 0;
        }
    }
}

/// Answers with what was not written.
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
