//! Clocks that do what clocks must not: the wall clock is set, the machine sleeps, and a virtual
//! machine is paused, so that its monotonic clock goes on and nothing else does.

use evictd_node::Mono;

use crate::feature::{Feature, Features};
use crate::random::Random;

/// When a clock is upset next.
pub(crate) struct Clocks {
    pub(super) random: Random,
    pub(super) next: Option<Mono>,
    /// Until then the machine was paused last: nobody could do anything.
    pub(super) paused_until: Mono,
    /// How often they were.
    pub(crate) upset: u64,
}

impl Clocks {
    pub(super) fn of(seed: u64, features: Features) -> Self {
        let mut random = Random::new(seed, 10);
        let all = [Feature::ClockSteps, Feature::Suspend, Feature::Paused];
        let is_on = all.iter().any(|of| features.has(*of));
        let next = is_on.then(|| Mono::from_millis(random.within(100, 30_000)));
        let upset = 0;
        Self {
            random,
            next,
            paused_until: Mono::ZERO,
            upset,
        }
    }
}
