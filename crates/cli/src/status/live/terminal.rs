//! The terminal: taken over, drawn on, and given back as it was.

use core::time::Duration;
use std::io::{stdin, stdout};
use std::path::Path;

use evictd_sys::{is_writable, reopen_non_blocking};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::{Errno, dup, read, write};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

/// A screen of its own, no cursor, and lines that end at the edge.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l";
const LEAVE: &str = "\u{1b}[0m\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l";

/// How long the end waits for a terminal that takes nothing.
const WAIT: Duration = Duration::from_millis(200);

/// What a screen has room for.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// Given back when it is dropped.
pub(super) struct Terminal {
    before: Termios,
    out: OwnedFd,
    /// What it shows, or is about to.
    shown: String,
    /// What it has not taken yet.
    left: Vec<u8>,
}

impl Terminal {
    pub(super) fn enter() -> Result<Self, Errno> {
        let before = tcgetattr(stdin())?;
        // Not our caller's own: that one would not wait either, once we are gone. Where it
        // cannot be opened anew, a terminal that takes nothing holds us up.
        let ours = stdout();
        let out = match reopen_non_blocking(ours.as_fd(), Path::new("/proc/self/fd/1")) {
            Some(out) => out,
            None => dup(&ours)?,
        };
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        Ok(Self {
            before,
            out,
            shown: String::new(),
            left: ENTER.as_bytes().to_vec(),
        })
    }

    /// An old terminal's, where it does not say.
    pub(super) fn size() -> Size {
        let size = tcgetwinsize(stdout()).ok();
        let size = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
        size.map_or((80, 24).into(), |size| (size.ws_col, size.ws_row).into())
    }

    /// What was typed; empty once nobody can type any more.
    pub(super) fn typed() -> Vec<u8> {
        let mut bytes = [0; 64];
        let length = read(stdin(), &mut bytes).unwrap_or(0);
        bytes.get(..length).unwrap_or_default().to_vec()
    }

    /// After it was made larger or smaller, nothing that it shows counts.
    pub(super) fn forget(&mut self) {
        self.shown.clear();
    }

    /// Shows these lines; what is there already is not sent again. A terminal that is slow
    /// gets the rest with the next call, and new lines once it has it.
    pub(super) fn show(&mut self, lines: &[String]) {
        self.flush();
        let frame = frame(lines);
        if self.left.is_empty() && frame != self.shown {
            self.left.extend_from_slice(frame.as_bytes());
            self.shown = frame;
            self.flush();
        }
    }

    fn flush(&mut self) {
        while !self.left.is_empty() {
            match write(&self.out, &self.left) {
                Ok(taken @ 1..) => drop(self.left.drain(..taken)),
                Err(Errno::INTR) => {}
                _ => return,
            }
        }
    }

    /// It has not taken everything.
    pub(super) const fn is_behind(&self) -> bool {
        !self.left.is_empty()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if is_writable(self.out.as_fd(), WAIT) {
            let _ = write(&self.out, LEAVE.as_bytes());
        }
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}

impl From<(u16, u16)> for Size {
    fn from((columns, rows): (u16, u16)) -> Self {
        Self {
            columns: columns.into(),
            rows: rows.into(),
        }
    }
}

/// In one piece and line by line over what was there, so that nothing flickers. Each line clears
/// its place before it is written: behind one that is as wide as the screen the cursor stays on
/// its last letter, which would be cleared. The lines fill the screen: below there is nothing.
fn frame(lines: &[String]) -> String {
    format!("\u{1b}[H\u{1b}[K{}", lines.join("\r\n\u{1b}[K"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_goes_over_what_was_there() {
        let lines = ["a".to_owned(), "b".to_owned()];
        assert_eq!(frame(&lines), "\u{1b}[H\u{1b}[Ka\r\n\u{1b}[Kb");
    }
}
