//! How long the calls of one list may hang.

use core::time::Duration;
use std::time::Instant;

use crate::{Error, Failure};

/// One container that cannot be looked at must not hide the others: all such calls of one
/// list together may hang so long.
const ALL_TOGETHER: Duration = Duration::from_secs(2);

/// A call that may take no longer is not made.
const SHORTEST: Duration = Duration::from_millis(2);

/// What is left of that time.
pub(super) struct Patience {
    left: Duration,
    /// How many calls were not made, as there was none left.
    pub(super) unasked: usize,
}

impl Patience {
    /// Where each call may take so long anyway.
    pub(super) fn new(within: Duration) -> Self {
        Self {
            left: ALL_TOGETHER.min(within),
            unasked: 0,
        }
    }

    /// Makes a call, which is given the time that it may take: half of what is left, so that
    /// some is left for others, and all of it where the call `hung` before. `None` where
    /// nothing is left.
    pub(super) fn call<T>(
        &mut self,
        hung: bool,
        call: impl FnOnce(Duration) -> Result<T, Error>,
    ) -> Option<Result<T, Error>> {
        let within = if hung { self.left } else { self.left / 2 };
        if within < SHORTEST {
            self.unasked = self.unasked.saturating_add(1);
            return None;
        }
        let begun = Instant::now();
        let answer = call(within);
        if let Err(error) = &answer
            && matches!(error.failure, Failure::TimedOut(_))
        {
            self.left = self.left.saturating_sub(begun.elapsed());
        }
        Some(answer)
    }
}
