//! The helper that relieves memory, and what it has on disk.

use core::time::Duration;

use evictd_evict::memory_relief::{Relief, Said, Saying};
use evictd_node::Mono;
use evictd_node::pod::Pod;

use crate::random::Random;

/// A pod, as the loop knew it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) uid: String,
    pub(crate) known: Pod,
}

/// What evictd has set, as it is written down beside the state: it outlives SIGKILL.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) uid: String,
    pub(super) high_before: Option<u64>,
}

/// The helper, and what it has on disk.
pub(crate) struct Reliever {
    pub(super) relief: Relief,
    /// The loop's side.
    pub(crate) saying: Saying,
    /// Whether the settings switch relief on, and since when they are these.
    pub(crate) is_on: bool,
    pub(crate) set_since: Mono,
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
    /// How often pods were asked for memory, and braked.
    pub(crate) climbed: [u64; 2],
}

impl Reliever {
    pub(super) fn of(seed: u64) -> Self {
        Self {
            relief: Relief::default(),
            saying: Saying::default(),
            is_on: false,
            set_since: Mono::ZERO,
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
            climbed: [0; 2],
        }
    }

    pub(super) const fn has_written(&self) -> bool {
        !self.written.is_empty()
    }

    pub(crate) fn holds_any(&self) -> bool {
        self.relief.holds_any()
    }
}
