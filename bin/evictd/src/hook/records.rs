//! The records that the daemon hands over, also those that it has left behind.

use core::time::Duration;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::os::fd::AsFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// No record is longer.
const MOST_BYTES: usize = 64 << 10;
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

    /// The next record, which is waited for; `None` once there is none. One that is too long
    /// costs itself.
    pub(crate) fn next(&mut self, now: Instant) -> Option<String> {
        let read = match &mut self.left {
            Some((_, until)) if now >= *until => return None,
            Some((left, _)) => read_record(left),
            None => read_record(&mut self.pipe),
        };
        self.latest = read.ok().flatten()?;
        Some(self.latest.clone())
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

/// The next record that is not too long; bytes that are no text are replaced.
fn read_record(from: &mut impl BufRead) -> io::Result<Option<String>> {
    loop {
        let mut record = Vec::new();
        let length = from.by_ref().take(MOST).read_until(b'\n', &mut record)?;
        if record.ends_with(b"\n") || (1..MOST_BYTES).contains(&length) {
            return Ok(Some(String::from_utf8_lossy(&record).into_owned()));
        }
        if length == 0 {
            return Ok(None);
        }
        from.skip_until(b'\n')?;
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "what is tested decides nothing")]
mod tests {
    use std::io::{Write, pipe};

    use evictd_testkit::poison::{Items, Poison, lines};

    use super::*;

    const OTHER: &str = "{\"event\":\"met\"}\n";
    const END: &str = "{\"event\":\"ended\"}\n";

    /// Each reader of this crate, as `ci/deps` finds them, and the test that poisons what it reads.
    /// readers: `read_record` -> `a_record_costs_itself`
    #[test]
    fn a_record_costs_itself() {
        let records: Vec<String> = (0..20)
            .map(|number| format!("{{\"n\":{number}}}"))
            .collect();
        let file = Items {
            before: "",
            items: &records,
            between: "\n",
            after: "\n",
        };
        let mut poisons = lines();
        poisons.push(Poison {
            name: "a character across the bound",
            text: "é".repeat(40_000).into_bytes(),
        });
        poisons.push(Poison {
            name: "an odd character across the bound",
            text: format!("x{}", "é".repeat(40_000)).into_bytes(),
        });
        file.each_poisoned(&poisons, |bytes, at, what| {
            let (reader, mut writer) = pipe().unwrap();
            let bytes = bytes.to_vec();
            let writing = std::thread::spawn(move || writer.write_all(&bytes));
            let mut told = Records::of(reader);
            let now = Instant::now();
            let mut read = Vec::new();
            while let Some(record) = told.next(now) {
                assert!(record.len() <= 4 * MOST_BYTES, "{what}");
                read.push(record.trim_end().to_owned());
            }
            writing.join().unwrap().unwrap();
            let others = records.iter().enumerate().filter(|(index, _)| *index != at);
            for (_, record) in others {
                assert!(read.contains(record), "{what}: lost {record}");
            }
        });
    }

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
