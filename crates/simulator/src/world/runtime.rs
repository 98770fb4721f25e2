//! The container runtime of the world: late, silent, wrong, restarted.

use evictd_engine::ports::{Job, News};
use evictd_node::Mono;

use crate::feature::{Feature, Features};
use crate::random::Random;

/// The runtime, and all that takes time beside it.
pub(crate) struct Runtime {
    pub(crate) exists: bool,
    /// It does not answer from then until then.
    pub(crate) away: (Mono, Mono),
    pub(super) was_away: bool,
    /// What it does, and when it is done.
    pub(crate) jobs: Vec<(Mono, Job)>,
    /// What it says, and when.
    pub(super) news: Vec<(Mono, News)>,
    /// What it starts again, and when.
    pub(super) restarts: Vec<(Mono, String)>,
}

impl Runtime {
    pub(super) fn of(seed: u64, features: Features, chaos: Mono) -> Self {
        let mut random = Random::new(seed, 5);
        let from = Mono::from_millis(random.within(0, 40_000));
        let until = Mono::from_millis(from.as_nanos() / 1_000_000 + random.within(100, 20_000));
        let fails = features.has(Feature::FailingRuntime);
        Self {
            exists: features.has(Feature::Runtime),
            away: if fails {
                (from.min(chaos), until.min(chaos))
            } else {
                (Mono::ZERO, Mono::ZERO)
            },
            was_away: false,
            jobs: Vec::new(),
            news: Vec::new(),
            restarts: Vec::new(),
        }
    }

    /// evictd has ended: what it would have been told nobody hears.
    pub(crate) fn forget_evictd(&mut self) {
        self.news.clear();
        self.jobs.clear();
    }

    pub(crate) fn next(&self) -> Option<Mono> {
        let jobs = self.jobs.iter().map(|(at, _)| *at);
        let news = self.news.iter().map(|(at, _)| *at);
        let restarts = self.restarts.iter().map(|(at, _)| *at);
        jobs.chain(news).chain(restarts).min()
    }
}
