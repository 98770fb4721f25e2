//! The helper that climbs the ladder of memory, and what it has on disk.

use core::time::Duration;

use evictd_evict::ladder::{Ladder, Said, Saying};
use evictd_node::pod::Pod;
use evictd_node::{MemoryRung, MemoryRungs, Mono};

use crate::random::Random;

/// A pod, as the loop knew it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) uid: String,
    pub(crate) known: Pod,
    pub(crate) is_described: bool,
}

/// What evictd has set, as it is written down beside the state: it outlives SIGKILL.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) uid: String,
    pub(super) rung: MemoryRung,
    pub(super) high_before: Option<u64>,
}

/// The helper, and what it has on disk.
pub(crate) struct Climber {
    pub(super) ladder: Ladder,
    /// The loop's side.
    pub(crate) saying: Saying,
    /// The settings' rungs, and since when they are these.
    pub(crate) allowed: MemoryRungs,
    pub(crate) allowed_since: Mono,
    pub(super) said: Said,
    pub(super) pods: Vec<Asked>,
    pub(super) named_at: Mono,
    /// What each had read back, and how long it had waited.
    pub(super) fared: Vec<(String, u64, Duration)>,
    pub(super) looked_at: Option<Mono>,
    pub(super) looks_at: Option<Mono>,
    pub(super) puts_back: bool,
    pub(super) written: Vec<Written>,
    pub(super) random: Random,
    pub(super) says_waits: bool,
    /// Since when there is room, and what was left about a second ago.
    pub(super) room_since: Option<Mono>,
    pub(super) left: Option<(Mono, Option<i64>)>,
    /// How often each rung was climbed.
    pub(crate) climbed: [u64; 4],
}

impl Climber {
    pub(super) fn of(seed: u64) -> Self {
        Self {
            ladder: Ladder::default(),
            saying: Saying::default(),
            allowed: MemoryRungs::default(),
            allowed_since: Mono::ZERO,
            said: Said::default(),
            pods: Vec::new(),
            named_at: Mono::ZERO,
            fared: Vec::new(),
            looked_at: None,
            looks_at: None,
            puts_back: false,
            written: Vec::new(),
            random: Random::new(seed, 9),
            says_waits: !seed.is_multiple_of(5),
            room_since: None,
            left: None,
            climbed: [0; 4],
        }
    }

    pub(super) const fn has_written(&self) -> bool {
        !self.written.is_empty()
    }

    pub(crate) fn holds_any(&self) -> bool {
        self.ladder.holds_any()
    }
}
