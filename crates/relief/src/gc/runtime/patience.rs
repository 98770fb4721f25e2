//! How long a job waits for a runtime.

use core::fmt;
use core::time::Duration;

use evictd_gc::FsUsage;
use evictd_node::Mono;

/// A job stops after this many removals without an answer: the runtime is at fault then, and not
/// one image.
const MOST_UNANSWERED: usize = 3;

/// How long a thing rests that was not removed in time.
const UNANSWERED_REST: Duration = Duration::from_secs(600);

/// At most this many things rest.
const MOST_RESTING: usize = 64;

/// So much of a disk shows that it gives something back.
const VISIBLE: u64 = 1000;

/// The patience of one job.
pub(super) struct Patience {
    within: Duration,
    /// Since when nothing was freed, and what was free then.
    since: Mono,
    free: Option<FsUsage>,
    unanswered: usize,
}

impl Patience {
    pub(super) const fn new(now: Mono, within: Duration) -> Self {
        Self {
            within,
            since: now,
            free: None,
            unanswered: 0,
        }
    }

    /// What is free of the disk now.
    pub(super) fn see(&mut self, now: Mono, usage: FsUsage) {
        let has_more = |then: FsUsage| {
            let more = |now: u64, then: u64, all: u64| now > then.saturating_add(all / VISIBLE);
            more(
                usage.available_bytes,
                then.available_bytes,
                usage.capacity_bytes,
            ) || more(usage.inodes_free, then.inodes_free, usage.inodes)
        };
        if self.free.is_none() {
            self.free = Some(usage);
        } else if self.free.is_some_and(has_more) {
            (self.since, self.free) = (now, Some(usage));
        }
    }

    pub(super) fn is_over(&self, now: Mono) -> bool {
        now.since(self.since) >= self.within
    }

    /// A removal had no answer, for which there is a patience of its own. Returns whether it was
    /// the last of this job.
    pub(super) const fn has_unanswered(&mut self, now: Mono) -> bool {
        self.since = now;
        self.unanswered = self.unanswered.saturating_add(1);
        self.unanswered >= MOST_UNANSWERED
    }
}

impl fmt::Display for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.within.as_secs();
        write!(
            f,
            "nothing was freed for {seconds} s; the rest is left for later"
        )
    }
}

/// What was not removed in time, and when: one whose removal hangs would cost all others, each
/// time anew.
#[derive(Default)]
pub(super) struct Unanswered(Vec<(String, Mono)>);

impl Unanswered {
    pub(super) fn add(&mut self, id: String, now: Mono) {
        if self.0.len() >= MOST_RESTING {
            self.0.remove(0);
        }
        self.0.push((id, now));
    }

    pub(super) fn rests(&mut self, id: &str, now: Mono) -> bool {
        self.0
            .retain(|(_, since)| now.since(*since) < UNANSWERED_REST);
        self.0.iter().any(|(of, _)| of == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn usage(available_bytes: u64) -> FsUsage {
        FsUsage {
            capacity_bytes: 100_000,
            available_bytes,
            inodes: 0,
            inodes_free: 0,
        }
    }

    #[test]
    fn a_job_goes_on_as_long_as_its_disk_gives_something_back() {
        let at = Mono::from_millis;
        let mut patience = Patience::new(at(0), Duration::from_secs(30));
        for (millis, free, is_over) in [
            (0, 1000, false),
            (29_000, 1000, false),
            (29_500, 1101, false),
            (59_000, 1150, false),
            (59_500, 1150, true),
        ] {
            patience.see(at(millis), usage(free));
            assert_eq!(patience.is_over(at(millis)), is_over, "{millis}");
        }
    }

    #[test]
    fn what_was_unanswered_is_left_alone_for_ten_minutes() {
        let at = |seconds: u64| Mono::from_millis(seconds * 1000);
        let mut unanswered = Unanswered::default();
        unanswered.add("a".into(), at(1));
        assert!(unanswered.rests("a", at(600)) && !unanswered.rests("b", at(600)));
        assert!(!unanswered.rests("a", at(601)));
        for number in 0..100 {
            unanswered.add(number.to_string(), at(700));
        }
        assert_eq!(unanswered.0.len(), MOST_RESTING);
        assert!(unanswered.rests("99", at(701)) && !unanswered.rests("0", at(701)));
    }
}
