//! What may be set of a pod for a while, and what the kernel makes of it.

use core::time::Duration;

use evictd_evict::memory_relief::Lifted;
use evictd_node::Mono;

use crate::feature::{Feature, Features};
use crate::random::Random;

/// A brake.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Knob {
    /// Since when evictd has it set.
    pub(crate) since: Option<Mono>,
    /// When it was over last, and why; what was there before may not be back yet.
    pub(crate) over: Option<(Mono, Lifted)>,
}

impl Knob {
    /// Whether it is set, by an evictd that began then or later.
    pub(super) fn is_set(&self, began: Mono) -> bool {
        let is_over = self.over.is_some_and(|(at, _)| Some(at) >= self.since);
        self.since.is_some_and(|since| since >= began) && !is_over
    }
}

/// What is set of a pod, and what it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knobs {
    /// Which cgroup it has.
    pub(super) cgroup: u64,
    /// Its memory grows no further; what its operator has set, where that is less.
    pub(crate) high: Option<u64>,
    pub(crate) own_high: Option<u64>,
    /// So many thousandths of what is taken from it it reads back,
    pub(super) hot: u64,
    /// so much is yet to be read back,
    pub(super) away: u64,
    /// and was read back in all; for so long it has waited.
    pub(crate) read_back: u64,
    pub(crate) waited: Duration,
    pub(crate) brake: Knob,
    /// What it had read back when the helper looked last.
    pub(super) seen: Option<(Mono, u64)>,
}

impl Knobs {
    pub(super) fn of(seed: u64, number: u32, features: Features, memory: u64) -> Self {
        // A stream of its own: a world without relief stays what it is.
        let mut random = Random::new(seed, 3000 + u64::from(number));
        let r = &mut random;
        let own_high = (features.has(Feature::Relief) && r.one_in(8)).then_some(memory / 4);
        Self {
            hot: r.within(0, 1000),
            high: own_high,
            own_high,
            ..Self::default()
        }
    }

    /// Its cgroup is another one.
    pub(super) fn start_anew(&mut self) {
        self.cgroup += 1;
        self.high = self.own_high;
        self.brake = Knob::default();
        self.away = 0;
    }
}
