//! How long questions that hang are waited for, and when they are asked again.

use core::time::Duration;
use std::time::Instant;

/// How long all questions of one list that find no answer may take together.
const IN_ALL: Duration = Duration::from_secs(2);
/// In less than that an engine that is well may not answer either.
const LEAST: Duration = Duration::from_millis(50);

const FIRST_REST: Duration = Duration::from_secs(10);
const LONGEST_REST: Duration = Duration::from_secs(600);

/// What is left of the time for questions of one list that find no answer. Those that are
/// answered take nothing of it.
#[derive(Debug)]
pub(crate) struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(IN_ALL)
    }
}

impl Patience {
    /// How long the next question may take; `None` where no more are to be asked.
    pub(crate) fn left(&self) -> Option<Duration> {
        (self.0 >= LEAST).then_some(self.0)
    }

    /// A question found no answer for so long.
    pub(crate) fn spend(&mut self, time: Duration) {
        self.0 = self.0.saturating_sub(time);
    }
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

    pub(crate) fn begin(&mut self, now: Instant) {
        let rest = FIRST_REST.saturating_mul(1_u32.checked_shl(self.failures.into()).unwrap_or(0));
        self.failures = self.failures.saturating_add(1).min(10);
        self.until = now.checked_add(rest.min(LONGEST_REST));
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
    fn only_what_hangs_takes_patience() {
        let mut patience = Patience::default();
        assert_eq!(patience.left(), Some(IN_ALL));
        patience.spend(Duration::from_millis(1500));
        assert_eq!(patience.left(), Some(Duration::from_millis(500)));
        patience.spend(Duration::from_millis(460));
        assert_eq!(patience.left(), None);
    }
}
