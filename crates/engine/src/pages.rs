//! File pages that the kernel would give back are asked for before a pod is killed for
//! memory (acceptance row 180): for a moment, and not while memory fills fast.

use core::time::Duration;

use evictd_node::{Amount, Mono};

use crate::fields::Fields;
use crate::ports::{Collected, Usage};

/// How long a kill waits for them at most.
const AT_MOST: Duration = Duration::from_millis(50);

/// How soon to measure again meanwhile.
const LOOK: Duration = Duration::from_millis(5);

/// Where that was not enough, it is not tried again for so long.
const REST: Duration = Duration::from_secs(10);

/// It is told of that often at most.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// Memory that would be used up within that time, twice as long as a kill waits, is too
/// short to wait.
const STEEP: Duration = Duration::from_millis(100);

/// Whether a kill waits for file pages.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    stage: Stage,
    rests_until: Option<Mono>,
    told_at: Option<Mono>,
    /// How much was left in the last round.
    last: Option<(Mono, u64)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Idle,
    /// They are being asked for, since then.
    Asked(Mono),
    /// That is over; so much was given back. It is measured once more.
    Over(u64),
}

/// What a kill has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// Nothing.
    Kill,
    /// Pages are to be asked for, if there are any.
    Ask,
    /// The next measurement, after so long.
    Measure(Duration),
}

impl Pages {
    /// How fast memory was being filled since the last round, in bytes a second.
    fn filling(&self, now: Mono, available: u64) -> u64 {
        let Some((at, before)) = self.last else {
            return 0;
        };
        let nanos = now.since(at).as_nanos().max(1);
        let taken = u128::from(before.saturating_sub(available));
        u64::try_from(taken * 1_000_000_000 / nanos).unwrap_or(u64::MAX)
    }

    /// A round is over, and so much is left.
    pub(crate) const fn note(&mut self, now: Mono, available: u64) {
        self.last = Some((now, available));
    }

    /// Whether the kill of a pod for memory waits: then it is to be measured again after so
    /// long. So many bytes are `missing` with the minimum reclaim, and without it; `available` are
    /// left, which lately got fewer by `filling` a second, by other looks than those of rounds.
    pub(crate) fn hold_back<P: Usage>(
        &mut self,
        now: Mono,
        (missing, available): ([u64; 2], u64),
        filling: u64,
        pods: &mut P,
    ) -> Option<Duration> {
        let filling = self.filling(now, available).max(filling);
        match self.before_kill(now, (available, filling), pods.pages_given()) {
            Wait::Kill => None,
            Wait::Measure(after) => Some(after),
            Wait::Ask => {
                let mut missing = missing.into_iter().filter(|missing| *missing > 0);
                let is_asked = missing.any(|missing| {
                    // A little more, as others take some of it meanwhile.
                    let asked = missing.saturating_add(missing / 4).saturating_add(1 << 20);
                    pods.ask_for_pages(asked, now + AT_MOST)
                });
                is_asked.then(|| {
                    self.stage = Stage::Asked(now);
                    LOOK
                })
            }
        }
    }

    /// What the kill of a pod for memory waits for now. `available` bytes are left, which
    /// lately got fewer by `filling` a second; `given` is what was given back of what was
    /// asked for, once that is over.
    fn before_kill(
        &mut self,
        now: Mono,
        (available, filling): (u64, u64),
        given: Option<u64>,
    ) -> Wait {
        let in_a_moment = u128::from(filling) * STEEP.as_millis() / 1000;
        if in_a_moment > u128::from(available) {
            self.stage = Stage::Idle;
            return Wait::Kill;
        }
        match self.stage {
            Stage::Idle if self.rests_until.is_some_and(|until| now < until) => Wait::Kill,
            Stage::Idle => Wait::Ask,
            Stage::Asked(since) => match given {
                Some(given) => {
                    self.stage = Stage::Over(given);
                    Wait::Measure(Duration::ZERO)
                }
                None if now.since(since) < AT_MOST => Wait::Measure(LOOK),
                None => self.fail(now),
            },
            Stage::Over(_) => self.fail(now),
        }
    }

    /// Whether a kill waits for them.
    pub(crate) const fn is_waiting(&self) -> bool {
        !matches!(self.stage, Stage::Idle)
    }

    fn fail(&mut self, now: Mono) -> Wait {
        (self.stage, self.rests_until) = (Stage::Idle, Some(now + REST));
        Wait::Kill
    }

    /// No memory is missing any more. Returns what is to be told of it; how much was
    /// `given` back is not known while the kernel goes on.
    pub(crate) fn clear(&mut self, now: Mono, given: Option<u64>) -> Option<Collected> {
        let given = match core::mem::take(&mut self.stage) {
            Stage::Asked(_) => given,
            Stage::Over(given) => Some(given),
            Stage::Idle => Some(0),
        };
        if given == Some(0) {
            return None; // nothing came of it, or nothing was asked for
        }
        let is_told = self.told_at.is_some_and(|at| now.since(at) < TELL_EVERY);
        if is_told {
            return None;
        }
        self.told_at = Some(now);
        let amount = given.map(|given| format!("{} of ", Amount::bytes(given)));
        let amount = amount.unwrap_or_default();
        Some(Collected {
            text: format!(
                "the kernel gave back {amount}file pages that pods held; no pod is killed"
            ),
            fields: Fields::default().with("filePageBytes", given),
            ..Collected::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 195: what is told is true.
    #[test]
    fn only_what_the_kernel_is_known_to_have_given_back_is_told() {
        let told = |stage, given| {
            let mut pages = Pages {
                stage,
                ..Pages::default()
            };
            let collected = pages.clear(Mono::ZERO, given)?;
            Some(collected.text)
        };
        let asked = Stage::Asked(Mono::ZERO);
        let text = |amount| {
            Some(format!(
                "the kernel gave back {amount}file pages that pods held; no pod is killed"
            ))
        };
        assert_eq!(told(asked, Some(20 << 20)), text("20Mi of "));
        assert_eq!(told(Stage::Over(20 << 20), None), text("20Mi of "));
        assert_eq!(told(asked, None), text(""), "it goes on");
        assert_eq!(told(asked, Some(0)), None, "others gave it back");
        assert_eq!(told(Stage::Over(0), None), None);
        assert_eq!(told(Stage::Idle, Some(20 << 20)), None);
    }
}
