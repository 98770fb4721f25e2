//! How long questions that hang are waited for, and when they are asked again.

use core::time::Duration;
use std::time::Instant;

/// How long all questions of one list that fail may take together.
const IN_ALL: Duration = Duration::from_secs(2);
/// In less than that an engine that is well may not answer either.
const LEAST: Duration = Duration::from_millis(50);

const FIRST_REST: Duration = Duration::from_secs(10);
const LONGEST_REST: Duration = Duration::from_secs(600);

/// What is left of the time for questions of one list that fail. Those that are answered take
/// nothing of it.
#[derive(Debug)]
pub(crate) struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(IN_ALL)
    }
}

impl Patience {
    /// How long the next question may take: half of what is left, so that some is left for
    /// others; all of it where the question has failed before, as those are asked last. `None`
    /// where no more are to be asked.
    pub(crate) fn share(&self, has_failed: bool) -> Option<Duration> {
        let share = if has_failed { self.0 } else { self.0 / 2 };
        (share >= LEAST).then_some(share)
    }

    /// Counts the time that a question took which failed.
    pub(crate) fn spend(&mut self, time: Duration) {
        self.0 = self.0.saturating_sub(time);
    }
}

/// How long the next call of a question may take, which began at `begun` and may take `within`
/// in all.
pub(crate) fn left(within: Duration, begun: Instant) -> Duration {
    within.saturating_sub(begun.elapsed()).max(LEAST)
}

/// Whether something may be asked for again: after each failure it rests for twice as long.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rest {
    failures: u8,
    until: Option<Instant>,
}

impl Rest {
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| until <= now)
    }

    /// Whether the last question failed.
    pub(crate) const fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// It failed.
    pub(crate) fn begin(&mut self, now: Instant) {
        let rest = FIRST_REST.saturating_mul(1_u32.checked_shl(self.failures.into()).unwrap_or(0));
        self.failures = self.failures.saturating_add(1).min(10);
        self.until = now.checked_add(rest.min(LONGEST_REST));
    }

    #[cfg(test)]
    pub(super) const fn end(&mut self) {
        self.until = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_grows_and_ends() {
        let begun = Instant::now();
        let mut rest = Rest::default();
        assert!(rest.is_over(begun) && !rest.has_failed());
        let mut seconds = Vec::new();
        for _ in 0..30 {
            rest.begin(begun);
            let ends = (0..1000).find(|after| rest.is_over(begun + Duration::from_secs(*after)));
            seconds.push(ends.unwrap());
        }
        assert_eq!(seconds[..8], [10, 20, 40, 80, 160, 320, 600, 600]);
        assert_eq!(seconds[29], 600);
    }

    #[test]
    fn each_question_that_fails_leaves_time_for_others() {
        let mut patience = Patience::default();
        let mut waited = Vec::new();
        while let Some(share) = patience.share(false) {
            waited.push(share.as_millis());
            patience.spend(share);
        }
        assert_eq!(waited, [1000, 500, 250, 125, 62]);
        let left = patience.share(true).unwrap();
        patience.spend(left);
        assert_eq!(patience.share(true), None);
    }
}
