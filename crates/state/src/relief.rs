use serde::Serialize;

use crate::object::Object;
use crate::record::{MOST_TEXT, cut};

/// How many are remembered: the last ones.
pub const RELIEFS: usize = 20;

/// What was given back of a disk before a pod was evicted for it. As JSON it is what the
/// state file and `evictd history` hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Relief {
    /// When that was: seconds since 1970.
    pub wall_seconds: u64,
    /// Which rung of the ladder it was, by its name.
    pub rung: String,
    /// How much more was free then, where it was measured.
    pub freed_bytes: Option<u64>,
    /// What was given up, in one line.
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
            text: text.to_owned(),
        };
        cut(&mut relief.rung, MOST_TEXT);
        cut(&mut relief.text, MOST_TEXT);
        relief
    }

    /// What can be read of it.
    pub(crate) fn read(from: Object<'_>) -> Self {
        Self::new(
            from.number("wallSeconds").unwrap_or(0),
            from.text("rung").unwrap_or_default(),
            from.number("freedBytes"),
            from.text("text").unwrap_or_default(),
        )
    }
}
