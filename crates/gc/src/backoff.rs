use core::time::Duration;

/// The longest pause, unless the period itself is longer.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// How long to leave images alone when none could be freed: each run in a row that
/// does not reach its goal doubles the pause, to an hour at most. Otherwise a disk
/// full of images in use would have them listed, and the same line logged, every
/// five minutes for ever.
///
/// ```
/// use core::time::Duration;
/// use evictd_gc::Backoff;
///
/// let period = Duration::from_secs(300);
/// let mut backoff = Backoff::default();
/// assert!(backoff.ended(false), "the first failure is worth a line");
/// assert_eq!(backoff.pause(period), Duration::from_secs(600));
/// assert!(!backoff.ended(false));
/// assert!(backoff.ended(true));
/// assert_eq!(backoff.pause(period), period);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// A run has ended, and has or has not reached its goal. Returns whether that
    /// is news.
    pub fn ended(&mut self, reached: bool) -> bool {
        let is_news = reached != (self.failures == 0);
        self.failures = if reached {
            0
        } else {
            self.failures.saturating_add(1)
        };
        is_news
    }

    /// How long to wait until the next run.
    #[must_use]
    pub fn pause(&self, period: Duration) -> Duration {
        let factor = 1_u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        period.saturating_mul(factor).min(LONGEST.max(period))
    }
}
