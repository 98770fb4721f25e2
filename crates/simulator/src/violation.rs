//! Something that must never happen, and did.

use core::fmt;

use evictd_node::Mono;

use crate::world::seconds;

/// Something that must never happen, and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What was violated, in one word.
    pub oracle: &'static str,
    /// When, in the world's time.
    pub at: Mono,
    /// How.
    pub text: String,
}

impl Violation {
    pub(crate) const fn new(oracle: &'static str, at: Mono, text: String) -> Self {
        Self { oracle, at, text }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at {} s: {}",
            self.oracle,
            seconds(self.at),
            self.text
        )
    }
}
