//! What was measured before the loop stood still is no reason for a kill after it.

use evictd_node::Mono;

use super::case::Case;

impl Case<'_> {
    pub(super) fn is_from_before_a_standstill(&self) -> Option<String> {
        let (_, reading) = self.last_look()?;
        let until = self.world.given.stood_still_until?;
        let is_before = |at: &Mono| *at < until;
        let sampled = reading.sampled.filter(is_before)?;
        Some(format!(
            "it was read at {sampled}, and the loop stood still until {until}"
        ))
    }
}
