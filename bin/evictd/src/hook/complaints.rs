//! What a program writes to its standard error, of which the log takes so much and no more: a
//! program in a loop writes gigabytes a minute.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write, stderr};
use std::process::ChildStderr;

use evictd_plain::Plain;
use rustix::fs::{OFlags, fcntl_setfl};

/// What is taken of one run at most.
const MOST_BYTES: usize = 4 << 10;
const MOST_LINES: usize = 20;

/// What is read at once, so that no program that writes on and on is read on and on.
const AT_ONCE: usize = 64 << 10;

pub(crate) struct Complaints {
    pipe: Option<ChildStderr>,
    taken: Vec<u8>,
    /// What was read and not taken.
    beyond: u64,
}

impl Complaints {
    /// Of a pipe that is never waited for.
    pub(crate) fn new(pipe: Option<ChildStderr>) -> Self {
        let pipe = pipe.filter(|pipe| fcntl_setfl(pipe, OFlags::NONBLOCK).is_ok());
        Self {
            pipe,
            taken: Vec::new(),
            beyond: 0,
        }
    }

    /// Reads what is there, so that the program goes on.
    pub(crate) fn read(&mut self) {
        let (mut piece, mut left) = ([0; 4096], AT_ONCE);
        while left > 0
            && let Some(pipe) = &mut self.pipe
        {
            match pipe.read(&mut piece) {
                Ok(length @ 1..) => {
                    self.take(piece.get(..length).unwrap_or_default());
                    left = left.saturating_sub(length);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => self.pipe = None,
            }
        }
    }

    fn take(&mut self, piece: &[u8]) {
        let room = MOST_BYTES.saturating_sub(self.taken.len());
        let (taken, beyond) = piece.split_at_checked(room).unwrap_or((piece, &[]));
        self.taken.extend_from_slice(taken);
        let beyond = u64::try_from(beyond.len()).unwrap_or(u64::MAX);
        self.beyond = self.beyond.saturating_add(beyond);
    }

    /// Writes them to the log, a line each, and what was left out as one.
    pub(crate) fn tell(&self, program: &OsStr) {
        let program = program.display();
        for line in self.lines() {
            // Where even that cannot be written there is nobody to tell.
            let _ = writeln!(stderr(), "evictd: {}: {line}", Plain(&program));
        }
    }

    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.taken);
        let mut all = text.lines();
        let mut lines: Vec<String> = all
            .by_ref()
            .take(MOST_LINES)
            .map(|line| Plain(line).to_string())
            .collect();
        let bytes = |line: &str| u64::try_from(line.len().saturating_add(1)).unwrap_or(u64::MAX);
        let beyond = all.map(bytes).fold(self.beyond, u64::saturating_add);
        if beyond > 0 {
            lines.push(format!(
                "{beyond} bytes more of its standard error are left out"
            ));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(of: &[u8]) -> Vec<String> {
        let mut complaints = Complaints::new(None);
        of.chunks(1000).for_each(|piece| complaints.take(piece));
        complaints.lines()
    }

    /// Acceptance row 282.
    #[test]
    fn so_much_of_a_programs_standard_error_is_told_and_the_rest_counted() {
        assert_eq!(lines(b""), [""; 0]);
        assert_eq!(lines(b"a\n\x1b[2J"), ["a", r"\u{1b}[2J"]);
        let many = lines("y\n".repeat(1 << 20).as_bytes());
        assert_eq!(many.len(), MOST_LINES + 1);
        let beyond = (2 << 20) - 2 * MOST_LINES;
        assert!(many.last().unwrap().starts_with(&format!("{beyond} ")));
        let long = lines(&[b'y'; 10_000]);
        assert_eq!((long.len(), long[0].len()), (2, MOST_BYTES));
    }
}
