use serde::Serialize;

use crate::object::Object;
use crate::record::{MOST_TEXT, cut};

/// How many are remembered: the last ones.
pub const RELIEFS: usize = 20;

/// What one relief step frees within so many seconds is one entry: a log that is written fast
/// gives up its old part every second, and each entry wears the flash card that it is kept on.
const TOGETHER_SECONDS: u64 = 60;

/// What was given back of a disk before a pod was evicted for it. As JSON it is what the
/// state file and `evictd history` hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Relief {
    /// When that began: seconds since 1970.
    pub wall_seconds: u64,
    /// Which relief step it was, by its name.
    pub rung: String,
    /// How much was given back within a minute from then, where it was measured.
    pub freed_bytes: Option<u64>,
    /// How often, within that minute.
    pub times: u64,
    /// What was given up last, in one line.
    pub text: String,
}

impl Relief {
    /// Texts beyond 1 KiB are cut.
    #[must_use]
    pub fn new(wall_seconds: u64, rung: &str, freed_bytes: Option<u64>, text: &str) -> Self {
        let mut relief = Self {
            wall_seconds,
            rung: rung.to_owned(),
            freed_bytes,
            times: 1,
            text: text.to_owned(),
        };
        cut(&mut relief.rung, MOST_TEXT);
        cut(&mut relief.text, MOST_TEXT);
        relief
    }

    /// Adds what the same step freed soon afterwards. Returns whether that is so.
    pub(crate) fn add(&mut self, next: &Self) -> bool {
        let after = next.wall_seconds.checked_sub(self.wall_seconds);
        let belongs = self.rung == next.rung && after.is_some_and(|after| after < TOGETHER_SECONDS);
        if belongs {
            let bytes = [self.freed_bytes, next.freed_bytes].into_iter().flatten();
            self.freed_bytes = bytes.reduce(u64::saturating_add);
            self.times = self.times.saturating_add(next.times);
            self.text.clone_from(&next.text);
        }
        belongs
    }

    /// What can be read of it.
    pub(crate) fn read(from: Object<'_>) -> Self {
        let relief = Self::new(
            from.number("wallSeconds").unwrap_or(0),
            from.text("rung").unwrap_or_default(),
            from.number("freedBytes"),
            from.text("text").unwrap_or_default(),
        );
        Self {
            times: from.number("times").unwrap_or(1),
            ..relief
        }
    }
}
