//! How much of the time all tasks that could run waited for memory.

mod estimate;
mod pages;

use core::time::Duration;
use std::path::Path;

use evictd_kerntext::parse_full_stall;
use evictd_node::{Mono, Reading, Signal};

use crate::Error;
use crate::file::{Buffer, KeptFile};
use estimate::{Estimate, Plight};
use pages::Pages;

/// Over so much time the share is taken.
const WINDOW: Duration = Signal::MemoryStall.window();

/// Less time says nothing: reading a single file from a slow card takes some of it.
const LEAST: Duration = Duration::from_secs(1);

/// Looks that follow each other sooner are one.
const APART: Duration = Duration::from_millis(100);

/// Who runs before all others and keeps all its pages is not that late on a machine that is
/// well.
const LATE: Duration = Duration::from_millis(100);

/// So many looks lie in a window at most, with the one before it.
const LOOKS: usize = 17;

/// The time that was lost waiting for memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStall {
    /// When it was looked at last.
    pub sampled: Mono,
    /// How much time up to then it tells of: the [window](Signal::window), or less at first.
    pub observed: Duration,
    /// How much of that was lost; at least so much, where nobody looked as the window began.
    pub lost: Duration,
    /// It was lost within limits of cgroups, with room left on the node, whose own reclaim
    /// scanned far fewer pages than were read back, or hardly any. False where the kernel does
    /// not tell.
    pub within_limits: bool,
    /// The kernel does not count lost time: it is what was read back of the page cache that
    /// says so.
    pub is_estimated: bool,
}

impl MemoryStall {
    /// The share that was lost for want of the node's memory, in percent, rounded up: a bit more
    /// than 40 % is more than 40 %.
    #[must_use]
    pub fn percent(&self) -> i64 {
        if self.within_limits {
            return 0;
        }
        let share = (self.lost.as_micros() * 100).div_ceil(self.observed.as_micros().max(1));
        i64::try_from(share).unwrap_or(i64::MAX).min(100)
    }

    pub(crate) fn reading(&self) -> Reading {
        Reading {
            available: self.percent(),
            capacity: 100,
            sampled: Some(self.sampled),
        }
    }
}

/// What the kernel had counted by then.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: Mono,
    lost: Duration,
    pages: Option<Pages>,
}

/// The files, kept open, and the looks of late.
#[derive(Debug)]
pub(crate) struct StallFile {
    pressure: KeptFile,
    vmstat: KeptFile,
    /// Where the kernel does not count lost time.
    estimate: Option<Estimate>,
    /// By how much the caller came late at most since the last look.
    late: Duration,
    /// The latest first.
    looks: [Option<Look>; LOOKS],
}

impl StallFile {
    pub(crate) fn new(proc: &Path) -> Self {
        Self {
            pressure: KeptFile::new(proc.join("pressure/memory")),
            vmstat: KeptFile::new(proc.join("vmstat")),
            estimate: None,
            late: Duration::ZERO,
            looks: [None; LOOKS],
        }
    }

    /// Looks, unless it did just before. Where the kernel tells neither lost time nor what was
    /// read back, nothing is known.
    pub(crate) fn read(
        &mut self,
        now: Mono,
        is_low: bool,
        (buffer, errors): (&mut Buffer, &mut Vec<Error>),
    ) -> Option<MemoryStall> {
        let is_new = |look: Look| now.since(look.at) >= APART;
        if self.latest().is_none_or(is_new) {
            let is_late = core::mem::take(&mut self.late) >= LATE;
            let plight = Plight { is_low, is_late };
            let vmstat = self.vmstat.parse(buffer, |text| Ok(Pages::of(text.text())));
            let pages = vmstat.ok();
            let counted = self
                .pressure
                .parse(buffer, |text| Ok(parse_full_stall(text.text())?));
            let lost = match counted {
                Ok(lost) => {
                    if self.estimate.take().is_some() {
                        self.looks = [None; LOOKS];
                    }
                    Some(lost)
                }
                Err(failed) if failed.cause.is_not_told() => self.estimated(now, pages, plight),
                Err(failed) => {
                    errors.push(failed.error());
                    None
                }
            };
            match lost {
                Some(lost) => self.note(Look {
                    at: now,
                    lost,
                    pages,
                }),
                None => self.looks = [None; LOOKS],
            }
        }
        self.stall()
    }

    /// The caller came so much later than it wanted to.
    pub(crate) fn note_late(&mut self, by: Duration) {
        self.late = self.late.max(by);
    }

    fn estimated(&mut self, now: Mono, pages: Option<Pages>, plight: Plight) -> Option<Duration> {
        if self.estimate.is_none() {
            self.looks = [None; LOOKS];
        }
        let estimate = self.estimate.get_or_insert_with(Estimate::new);
        estimate.note(now, pages?, plight)
    }

    /// Whether lost time is told, and was not looked at for long enough.
    pub(crate) fn is_awaited(&self) -> bool {
        self.latest().is_some() && self.stall().is_none()
    }

    fn note(&mut self, look: Look) {
        self.looks.rotate_right(1);
        if let Some(latest) = self.looks.first_mut() {
            *latest = Some(look);
        }
    }

    fn latest(&self) -> Option<Look> {
        *self.looks.first()?
    }

    /// What was lost in the window, at least: its beginning lies between two looks as a rule,
    /// seconds apart where the kernel had told of nothing or the loop was late. So all that was
    /// lost since the younger of them, or since the older what does not fit in before the window.
    fn stall(&self) -> Option<MemoryStall> {
        let now = self.latest()?;
        let before = || self.looks.iter().flatten();
        let age = |look: &Look| now.at.since(look.at);
        let younger = before().rfind(|look| age(look) < WINDOW)?;
        let Some(older) = before().find(|look| age(look) >= WINDOW) else {
            let observed = age(younger);
            return (observed >= LEAST).then(|| self.lost(now, *younger, observed));
        };
        let both = [younger, older].map(|look| self.lost(now, *look, WINDOW));
        both.into_iter().max_by_key(MemoryStall::percent)
    }

    fn lost(&self, now: Look, then: Look, observed: Duration) -> MemoryStall {
        let between = now.at.since(then.at);
        let millis = u64::try_from(between.as_millis()).unwrap_or(u64::MAX);
        let pages = now.pages.zip(then.pages);
        let pages = pages.map(|(now, then)| now.since(then));
        let lost = now.lost.saturating_sub(then.lost);
        MemoryStall {
            sampled: now.at,
            observed,
            lost: lost.saturating_sub(between.saturating_sub(observed)),
            within_limits: pages.is_some_and(|pages| pages.were_taken_within_limits(millis)),
            is_estimated: self.estimate.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(looks: &[(u64, u64)]) -> Option<(Mono, i64)> {
        let mut file = StallFile::new(Path::new("nowhere"));
        for (at, lost) in looks {
            file.note(Look {
                at: Mono::from_millis(*at),
                lost: Duration::from_millis(*lost),
                pages: None,
            });
        }
        let stall = file.stall()?;
        Some((stall.sampled, stall.percent()))
    }

    /// Acceptance row 305.
    #[test]
    fn the_share_of_lost_time_is_that_of_the_last_second_and_a_half() {
        let at = Mono::from_millis;
        for (looks, expected) in [
            (&[][..], None),
            // What the kernel counted since the boot says nothing of now.
            (&[(0, 90_000)], None),
            (&[(0, 90_000), (900, 90_900)], None),
            (&[(0, 90_000), (1000, 90_250)], Some((at(1000), 25))),
            // What was before the window counts no more.
            (
                &[(0, 0), (1000, 1000), (2000, 1000), (3000, 1000)],
                Some((at(3000), 0)),
            ),
            // A loop that is late: what does not fit in before the window.
            (&[(0, 0), (2500, 2000)], Some((at(2500), 67))),
            (&[(0, 0), (60_000, 59_000)], Some((at(60_000), 34))),
            (&[(0, 0), (10_000, 4000)], Some((at(10_000), 0))),
            // Nobody looked before the kernel told: what was lost since.
            (
                &[(0, 0), (10_000, 70), (10_500, 500)],
                Some((at(10_500), 29)),
            ),
            (
                &[(0, 0), (10_000, 70), (10_500, 500), (11_000, 1000)],
                Some((at(11_000), 62)),
            ),
            // A bit more than 40 % is more than 40 %.
            (&[(0, 0), (1000, 400)], Some((at(1000), 40))),
            (&[(0, 0), (1000, 401)], Some((at(1000), 41))),
            // No more than all of it, and no less than nothing.
            (&[(0, 0), (1000, 1010)], Some((at(1000), 100))),
            (&[(0, 500), (1000, 400)], Some((at(1000), 0))),
        ] {
            assert_eq!(after(looks), expected, "{looks:?}");
        }
    }

    #[test]
    fn a_window_holds_all_looks_that_are_kept_apart() {
        let looks: Vec<(u64, u64)> = (0..100).map(|look| (look * 100, look * 50)).collect();
        assert_eq!(after(&looks), Some((Mono::from_millis(9900), 50)));
    }

    /// Acceptance row 310: a pod that thrashes at its own limit stalls everybody where nobody
    /// else has anything to do, and is no reason to evict anyone. Where the node's reclaim scans
    /// what is all in use, it takes none for a while.
    #[test]
    fn what_a_pod_loses_at_its_own_limit_is_not_the_nodes() {
        let vmstat = |kswapd: u64, direct: u64, anon: u64, file: u64| {
            let text = format!(
                "nr_free_pages 1\npgscan_kswapd {kswapd}\npgscan_direct {direct}\n\
                 pgsteal_kswapd 1000\npgsteal_direct 1000\nworkingset_refault_anon {anon}\n\
                 workingset_refault_file {file}\n"
            );
            Some(Pages::of(text.as_bytes()))
        };
        let begin = vmstat(1000, 1000, 1000, 1000);
        for (end, percent) in [
            (vmstat(3000, 2000, 2000, 3000), 90), // all of it the node's
            (vmstat(1000, 3000, 1000, 5000), 90), // half of it
            (vmstat(1000, 2900, 1000, 5000), 0),
            (vmstat(1000, 1000, 9000, 1000), 0),  // none of it
            (vmstat(1000, 9000, 1000, 1000), 90), // nothing is read back, as from files anew
            (vmstat(1100, 1099, 1000, 1000), 0),  // hardly anything
            (None, 90),                           // nobody knows
        ] {
            let mut file = StallFile::new(Path::new("nowhere"));
            for (at, lost, pages) in [(0, 0, begin), (2000, 1850, end)] {
                file.note(Look {
                    at: Mono::from_millis(at),
                    lost: Duration::from_millis(lost),
                    pages,
                });
            }
            assert_eq!(file.stall().unwrap().percent(), percent, "{end:?}");
        }
        let unknown = Pages::of(b"pgscan_kswapd 1000\nworkingset_refault x\n");
        assert!(
            !unknown.were_taken_within_limits(1000),
            "what is read back is unknown"
        );
    }
}
