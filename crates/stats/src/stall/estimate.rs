//! Lost time where the kernel does not count it: by what is read back of the page cache, as
//! Android's lmkd does it. What comes back from swap does not count: seen beside the kernel's
//! own count, it says little (2026-11-26: 18 % lost and less with 2,500 pages a second, and 80 %
//! with none, while a hog was being swapped out).
//!
//! A stretch between two looks is lost where more pages were read back, by the second, than
//! the limit allows of those that page cache had when it began. What is read back counts up to
//! what major faults bring in: a backup reads again, too, what is there no more, and nobody's
//! code waits for it.

use core::time::Duration;

use evictd_node::Mono;

use super::pages::{FEW, Pages};

/// In percent of the page cache, by the second (lmkd: `thrashing_limit`),
const LIMIT: u64 = 100;
/// where memory is low or the loop itself was late,
const LOW_LIMIT: u64 = 30;
/// and so much of the limit with each stretch that is lost in a row.
const DECAY: u64 = 90;

/// What one major fault brings in at most: the usual read-ahead of 128 KiB.
const OF_ONE_FAULT: u64 = 32;

/// How the machine fared between two looks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plight {
    /// Hardly any memory is available.
    pub(super) is_low: bool,
    /// The loop came late, though it waits for nobody.
    pub(super) is_late: bool,
}

#[derive(Debug)]
pub(super) struct Estimate {
    last: Option<(Mono, Pages)>,
    lost: Duration,
    limit: u64,
}

impl Estimate {
    pub(super) const fn new() -> Self {
        Self {
            last: None,
            lost: Duration::ZERO,
            limit: LIMIT,
        }
    }

    /// How much was lost since the first look; `None` where one of these is not told.
    pub(super) fn note(&mut self, now: Mono, pages: Pages, plight: Plight) -> Option<Duration> {
        let _all = (pages.cache?, pages.read_back_of_files?, pages.major_faults?);
        if let Some((at, then)) = self.last.replace((now, pages)) {
            let stretch = now.since(at);
            let limit = if plight.is_low || plight.is_late {
                LOW_LIMIT
            } else {
                self.limit
            };
            if share(pages.since(then), stretch) > limit {
                self.lost = self.lost.saturating_add(stretch);
                self.limit = (limit * DECAY / 100).max(LOW_LIMIT);
            } else {
                self.limit = LIMIT;
            }
        }
        Some(self.lost)
    }
}

/// What was read back in a second, in percent of the page cache.
fn share(pages: Pages, stretch: Duration) -> u64 {
    let millis = u64::try_from(stretch.as_millis())
        .unwrap_or(u64::MAX)
        .max(1);
    let needed = pages.major_faults.unwrap_or(0).saturating_mul(OF_ONE_FAULT);
    let read_back = pages.read_back_of_files.unwrap_or(0).min(needed);
    let a_second = read_back.saturating_mul(1000) / millis;
    if a_second < FEW {
        return 0;
    }
    a_second.saturating_mul(100) / pages.cache.unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CACHE: u64 = 10_000;

    /// Percent of the page cache that are read back in each half second, all of it by faults:
    /// how many of these are lost.
    fn lost(each: &[u64], plight: Plight) -> u64 {
        let mut estimate = Estimate::new();
        let mut pages = Pages {
            read_back_of_files: Some(0),
            major_faults: Some(0),
            cache: Some(CACHE),
            ..Pages::default()
        };
        let mut lost = estimate.note(Mono::ZERO, pages, plight);
        for (at, percent) in (1..).zip(each) {
            let more = CACHE * percent / 100;
            pages.read_back_of_files = pages.read_back_of_files.map(|pages| pages + more);
            pages.major_faults = pages.major_faults.map(|faults| faults + more);
            lost = estimate.note(Mono::from_millis(at * 500), pages, plight);
        }
        u64::try_from(lost.unwrap().as_millis()).unwrap() / 500
    }

    const LOW: Plight = Plight {
        is_low: true,
        is_late: false,
    };
    const LATE: Plight = Plight {
        is_low: false,
        is_late: true,
    };

    /// Acceptance row 420.
    #[test]
    fn a_stretch_is_lost_where_more_than_the_page_cache_is_read_back_in_a_second() {
        let usual = Plight::default();
        assert_eq!(lost(&[49, 49, 49, 50], usual), 0);
        assert_eq!(lost(&[51], usual), 1);
        assert_eq!(lost(&[16], usual), 0);
        assert_eq!(lost(&[16, 14, 16], LOW), 2, "more than 30 % by the second");
        assert_eq!(lost(&[16, 14, 16], LATE), 2);
        // While it goes on a tenth less is enough each time, and 30 % at least.
        assert_eq!(lost(&[51, 46, 41, 37, 33], usual), 5);
        assert_eq!(lost(&[51, 44, 46], usual), 1, "it was over in between");
        let all = [&[51; 12][..], &[16, 15, 15]].concat();
        assert_eq!(lost(&all, usual), 13);
    }

    /// Acceptance row 421: a backup reads again what is there no more, and makes no faults.
    #[test]
    fn what_is_read_of_files_without_a_fault_is_no_lost_time() {
        let of = |read_back_of_files, major_faults| {
            let pages = Pages {
                read_back_of_files: Some(read_back_of_files),
                major_faults: Some(major_faults),
                cache: Some(CACHE),
                ..Pages::default()
            };
            share(pages, Duration::from_secs(1))
        };
        assert_eq!(of(40_000, 0), 0);
        assert_eq!(of(40_000, 100), 32);
        assert_eq!(of(40_000, 40_000), 400);
        assert_eq!(of(99, 99), 0, "hardly anything");
        let nothing_left = Pages {
            read_back_of_files: Some(200),
            major_faults: Some(200),
            cache: Some(0),
            ..Pages::default()
        };
        assert_eq!(share(nothing_left, Duration::from_secs(1)), 20_000);
    }

    #[test]
    fn without_the_size_of_the_page_cache_nothing_is_known() {
        let pages = Pages::default();
        let mut estimate = Estimate::new();
        assert_eq!(estimate.note(Mono::ZERO, pages, LOW), None);
    }
}
