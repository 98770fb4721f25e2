//! What could not be read is not known to have been met: a grace begins anew.

use core::time::Duration;

use evictd_node::Readings;

use super::case::Case;

impl Case<'_> {
    pub(super) fn was_unread_within_its_grace(&self) -> Option<String> {
        let grace = Duration::try_from(self.threshold.grace).unwrap_or_default();
        let given = &self.world.given;
        let looks = given.looks.get(..self.strike.looks)?;
        let (last, _) = looks.last()?;
        let within = looks.iter().rev();
        let mut within = within.take_while(|(at, _)| last.since(*at) < grace);
        // Where nothing at all is read there is no round.
        let (at, _) = within.find(|(at, readings)| {
            readings.get(self.signal()).is_none()
                && *readings != Readings::default()
                && !given.beside.contains(at)
        })?;
        Some(format!(
            "it was not read at {at}, and its grace is {grace:?}"
        ))
    }
}
