//! The records that the daemon hands over, also those that it has left behind.

use core::time::Duration;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::os::fd::AsFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// No record is longer.
const MOST: u64 = 64 << 10;

/// A pipe holds no more.
const MOST_LEFT: u64 = 1 << 20;

/// How long what a daemon left behind that has ended may take in all.
const AFTER_THE_END: Duration = Duration::from_secs(10);

/// How the last record of a daemon reads that ended by itself.
const ENDED: &str = "\"event\":\"ended\"";

pub(crate) struct Records<Pipe> {
    pipe: BufReader<Pipe>,
    latest: String,
    /// What is still to be told once the daemon has ended, and until when.
    left: Option<(Cursor<Vec<u8>>, Instant)>,
}

impl<Pipe: Read + AsFd> Records<Pipe> {
    pub(crate) fn of(pipe: Pipe) -> Self {
        Self {
            pipe: BufReader::new(pipe),
            latest: String::new(),
            left: None,
        }
    }

    /// The next record, which is waited for; `None` once there is none.
    pub(crate) fn next(&mut self, now: Instant) -> Option<String> {
        self.latest.clear();
        let read = match &mut self.left {
            Some((_, until)) if now >= *until => return None,
            Some((left, _)) => left.take(MOST).read_line(&mut self.latest),
            None => self.pipe.by_ref().take(MOST).read_line(&mut self.latest),
        };
        matches!(read, Ok(1..)).then(|| self.latest.clone())
    }

    /// By when all has to be told: a while after the daemon has ended, and at once where it
    /// was killed, as the next one begins anew.
    pub(crate) fn until(&mut self, now: Instant) -> Option<Instant> {
        if self.left.is_none() && self.is_closed() {
            let mut left = Vec::new();
            let _ = self.pipe.by_ref().take(MOST_LEFT).read_to_end(&mut left);
            let text = String::from_utf8_lossy(&left);
            let last = text.lines().next_back().unwrap_or(&self.latest);
            let wait = if last.contains(ENDED) {
                AFTER_THE_END
            } else {
                Duration::ZERO
            };
            self.left = Some((Cursor::new(left), now + wait));
        }
        self.left.as_ref().map(|(_, until)| *until)
    }

    /// Whether nobody holds the other end any more; there may be something in the pipe.
    fn is_closed(&self) -> bool {
        let mut pipe = [PollFd::new(self.pipe.get_ref(), PollFlags::empty())];
        let at_once = Timespec::default();
        poll(&mut pipe, Some(&at_once)).is_ok() && {
            let [pipe] = &pipe;
            pipe.revents().contains(PollFlags::HUP)
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "what is tested decides nothing")]
mod tests {
    use std::io::{Write, pipe};

    use super::*;

    const OTHER: &str = "{\"event\":\"met\"}\n";
    const END: &str = "{\"event\":\"ended\"}\n";

    /// Acceptance row 281.
    #[test]
    fn what_a_daemon_left_behind_has_a_bound_and_none_where_it_was_killed() {
        for (texts, wait) in [
            (&[OTHER, OTHER, END][..], AFTER_THE_END),
            (&[END], AFTER_THE_END),
            (&[OTHER, OTHER], Duration::ZERO),
            (&[OTHER], Duration::ZERO),
        ] {
            let (reader, mut writer) = pipe().unwrap();
            for text in texts {
                writer.write_all(text.as_bytes()).unwrap();
            }
            let mut records = Records::of(reader);
            let now = Instant::now();
            assert_eq!(records.next(now).as_deref(), Some(texts[0]));
            assert_eq!(records.until(now), None);
            drop(writer);
            assert_eq!(records.until(now), Some(now + wait));
            let later = now + Duration::from_secs(1);
            assert_eq!(records.until(later), Some(now + wait));
            for text in texts.iter().skip(1).filter(|_| !wait.is_zero()) {
                assert_eq!(records.next(later).as_deref(), Some(*text));
            }
            assert_eq!(records.next(later), None);
            assert_eq!(records.next(now + AFTER_THE_END), None);
        }
    }
}
