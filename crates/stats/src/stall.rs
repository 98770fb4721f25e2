//! How much of the time all tasks that could run waited for memory.

use core::time::Duration;
use std::path::Path;

use evictd_kerntext::parse_full_stall;
use evictd_node::{Mono, Reading};

use crate::Error;
use crate::error::Failed;
use crate::file::{Buffer, KeptFile};

/// Over so much time the share is taken. The kernel's own averages are of ten seconds and
/// more: a machine that stands still shows there too late.
const WINDOW: Duration = Duration::from_secs(2);

/// Less time says nothing: reading a single file from a slow card takes some of it.
const LEAST: Duration = Duration::from_secs(1);

/// Looks that follow each other sooner are one.
const APART: Duration = Duration::from_millis(100);

/// So many looks lie in a window at most, with the one before it.
const LOOKS: usize = 22;

/// The time that was lost waiting for memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStall {
    /// When the observed time began: no eviction before it shows in it as not yet done.
    pub since: Mono,
    /// How long was observed.
    pub observed: Duration,
    /// How much of that was lost.
    pub lost: Duration,
}

impl MemoryStall {
    /// The share that was lost, in percent.
    #[must_use]
    pub fn percent(&self) -> i64 {
        let share = self.lost.as_micros() * 100 / self.observed.as_micros().max(1);
        i64::try_from(share).unwrap_or(i64::MAX).min(100)
    }

    pub(crate) fn reading(&self) -> Reading {
        Reading {
            available: self.percent(),
            capacity: 100,
            sampled: Some(self.since),
        }
    }
}

/// What the kernel had counted, and when.
type Look = (Mono, Duration);

/// The file, kept open, and the looks of late.
#[derive(Debug)]
pub(crate) struct StallFile {
    file: KeptFile,
    /// The latest first.
    looks: [Option<Look>; LOOKS],
}

impl StallFile {
    pub(crate) fn new(proc: &Path) -> Self {
        Self {
            file: KeptFile::new(proc.join("pressure/memory")),
            looks: [None; LOOKS],
        }
    }

    /// Looks, unless it did just before. Without the file, as where the kernel counts nothing
    /// (`psi=0`), nothing is known.
    pub(crate) fn read(
        &mut self,
        now: Mono,
        buffer: &mut Buffer,
        errors: &mut Vec<Error>,
    ) -> Option<MemoryStall> {
        let is_new = |(at, _): Look| now.since(at) >= APART;
        if self.latest().is_none_or(is_new) {
            let read = self
                .file
                .parse(buffer, |text| Ok(parse_full_stall(text.text())?));
            match read.map_err(Failed::unless_gone) {
                Ok(total) => self.note(now, total),
                Err(failed) => {
                    errors.extend(failed);
                    self.looks = [None; LOOKS];
                }
            }
        }
        self.stall()
    }

    /// Whether the file is there, and was not looked at for long enough.
    pub(crate) fn is_awaited(&self) -> bool {
        self.latest().is_some() && self.stall().is_none()
    }

    fn note(&mut self, now: Mono, total: Duration) {
        self.looks.rotate_right(1);
        if let Some(latest) = self.looks.first_mut() {
            *latest = Some((now, total));
        }
    }

    fn latest(&self) -> Option<Look> {
        *self.looks.first()?
    }

    /// From the youngest look that is as old as the window, or the oldest there is.
    fn stall(&self) -> Option<MemoryStall> {
        let (now, total) = self.latest()?;
        let before = || self.looks.iter().flatten();
        let whole = before().find(|(at, _)| now.since(*at) >= WINDOW);
        let (since, then) = *whole.or_else(|| before().last())?;
        let observed = now.since(since);
        (observed >= LEAST).then(|| MemoryStall {
            since,
            observed,
            lost: total.saturating_sub(then),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(looks: &[(u64, u64)]) -> Option<(Mono, i64)> {
        let mut file = StallFile::new(Path::new("nowhere"));
        for (at, lost) in looks {
            file.note(Mono::from_millis(*at), Duration::from_millis(*lost));
        }
        let stall = file.stall()?;
        Some((stall.since, stall.percent()))
    }

    /// Acceptance row 305.
    #[test]
    fn the_share_of_lost_time_is_that_of_the_last_two_seconds() {
        let at = Mono::from_millis;
        for (looks, expected) in [
            (&[][..], None),
            // What the kernel counted since the boot says nothing of now.
            (&[(0, 90_000)], None),
            (&[(0, 90_000), (900, 90_900)], None),
            (&[(0, 90_000), (1000, 90_250)], Some((at(0), 25))),
            // What was before the window counts no more.
            (
                &[(0, 0), (1000, 1000), (2000, 1000), (3000, 1000)],
                Some((at(1000), 0)),
            ),
            // Late looks: of what was observed.
            (&[(0, 0), (10_000, 4000)], Some((at(0), 40))),
            // No more than all of it, and no less than nothing.
            (&[(0, 0), (1000, 1010)], Some((at(0), 100))),
            (&[(0, 500), (1000, 400)], Some((at(0), 0))),
        ] {
            assert_eq!(after(looks), expected, "{looks:?}");
        }
    }

    #[test]
    fn a_window_holds_all_looks_that_are_kept_apart() {
        let looks: Vec<(u64, u64)> = (0..100).map(|look| (look * 100, look * 50)).collect();
        assert_eq!(after(&looks), Some((Mono::from_millis(7900), 50)));
    }
}
