//! What evictd was told of the pods, and how it hears what is new.

use evictd_engine::ports::Told;
use evictd_node::Mono;
use evictd_state::Remembered;

use crate::random::Random;

/// What evictd was told of pods, and how it hears what is new.
pub(crate) struct Describing {
    pub(super) random: Random,
    /// Which pods are protected, as evictd keeps it over a restart.
    pub(crate) remembered: Remembered,
    /// Who was shown as protected: what it keeps has to say so.
    pub(crate) shown: Vec<String>,
    /// Whom it must spare, by the state that it has read.
    pub(crate) spared: Vec<String>,
    /// When the runtime tells something,
    pub(super) events: Vec<Mono>,
    /// when what it tells leads to a list,
    pub(super) told: Told,
    /// and until when its follower waits.
    pub(super) waits_until: Mono,
    /// What the runtime lists was begun, and is said then; it says nothing of it where it is
    /// away.
    pub(super) list: Option<(Mono, Mono, bool)>,
    pub(super) listed_at: Option<Mono>,
    /// The last one has ended then, well or not.
    pub(super) list_ended: Mono,
    /// It has told something then, and no list was begun since.
    pub(super) news_since: Option<Mono>,
    pub(super) was_away: bool,
}

impl Describing {
    pub(super) fn of(seed: u64) -> Self {
        Self {
            random: Random::new(seed, 42),
            remembered: Remembered::default(),
            shown: Vec::new(),
            spared: Vec::new(),
            events: Vec::new(),
            told: Told::since(Mono::ZERO),
            waits_until: Mono::ZERO,
            list: None,
            listed_at: None,
            list_ended: Mono::ZERO,
            news_since: None,
            was_away: false,
        }
    }

    pub(super) fn follow_from(&mut self, now: Mono) {
        self.told = Told::since(now);
        self.waits_until = now + self.told.at_most(now);
        self.news_since = None;
    }
}
