use core::time::Duration;

use evictd_evict::Config;
use evictd_node::Mono;

/// The settings of an engine.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Thresholds and policy.
    pub evict: Config,
    /// How often a round begins at least.
    pub interval: Duration,
    /// Nothing is killed and nothing deleted.
    pub dry_run: bool,
    /// Images are deleted under pressure only until it is over.
    pub images_until_clear: bool,
    /// How often images are looked at, whatever the pressure: every five minutes as the
    /// kubelet does (K: `ImageGCPeriod`), more often where they may lie unused for less.
    pub images_every: Duration,
    /// How many processors fill memory at the same time.
    pub processors: u64,
    /// The time now, to measure how long each stage takes, and to notice that a decision
    /// has become old before it is carried out.
    pub clock: fn() -> Mono,
    /// Seconds since 1970, for the record of an eviction.
    pub wall_clock: fn() -> u64,
}

impl Default for Settings {
    /// No threshold, a round every 10 seconds as the kubelet has, one processor, and a
    /// clock that stands still.
    fn default() -> Self {
        Self {
            evict: Config::default(),
            interval: Duration::from_secs(10),
            dry_run: false,
            images_until_clear: false,
            images_every: Duration::from_secs(5 * 60),
            processors: 1,
            clock: || Mono::ZERO,
            wall_clock: || 0,
        }
    }
}
