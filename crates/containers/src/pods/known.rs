use alloc::sync::Arc;
use core::time::Duration;
use std::time::Instant;

use super::{Details, Found};
use crate::Error;

/// What was found out about each container, in the order of their ids. While the list tells the same of
/// a container it is not asked for again: in the steady state a listing costs the calls
/// for the lists alone.
#[derive(Debug, Default)]
pub(crate) struct Known(Vec<(Arc<str>, Arc<Details>)>);

impl Known {
    /// The details of all that are listed, those that have changed by `ask`; it is given
    /// what was known before, and returns `None` for what has vanished meanwhile, which is
    /// left out. Once that took longer than `within`, the others are asked for the next
    /// time, and a note says how many.
    ///
    /// # Errors
    /// The first of `ask`. What was known before is kept then.
    pub(crate) fn update(
        &mut self,
        listed: Vec<Found>,
        within: Duration,
        notes: &mut Vec<String>,
        mut ask: impl FnMut(
            &Found,
            Option<&Details>,
            &mut Vec<String>,
        ) -> Result<Option<Details>, Error>,
    ) -> Result<Vec<(Found, Arc<Details>)>, Error> {
        let (begun, mut unasked) = (Instant::now(), 0_usize);
        let mut all = Vec::with_capacity(listed.len());
        for mut found in listed {
            let before = self
                .0
                .binary_search_by(|(id, _)| id.cmp(&found.container.id));
            let before = before.ok().and_then(|at| self.0.get(at));
            let before = before.map(|(id, details)| {
                // What is there already is not there twice.
                found.container.id = Arc::clone(id);
                details
            });
            let details = match before.filter(|known| known.told == found.told) {
                Some(known) => Arc::clone(known),
                None if begun.elapsed() >= within => {
                    unasked = unasked.saturating_add(1);
                    before.map_or_else(Arc::default, Arc::clone)
                }
                None => match ask(&found, before.map(AsRef::as_ref), notes)? {
                    Some(details) => Arc::new(details),
                    None => continue,
                },
            };
            all.push((found, details));
        }
        let known = all
            .iter()
            .map(|(found, details)| (Arc::clone(&found.container.id), Arc::clone(details)));
        self.0 = known.collect();
        self.0.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        if unasked > 0 {
            notes.push(format!(
                "{unasked} containers were not asked for: the others took {} s",
                begun.elapsed().as_secs()
            ));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acceptance row 196: 433,854 calls were made for one list.
    #[test]
    fn what_takes_too_long_is_asked_for_the_next_time() {
        let (mut known, mut notes) = (Known::default(), Vec::new());
        let found = || {
            let told = "running".into();
            Found {
                told,
                ..Found::default()
            }
        };
        let details = |pid| Details {
            told: "running".into(),
            pid,
            ..Details::default()
        };
        let mut pid_within = |within| {
            let all = known.update(vec![found()], within, &mut notes, |_, _, _| {
                Ok(Some(details(7)))
            });
            all.unwrap()[0].1.pid
        };
        assert_eq!(pid_within(Duration::ZERO), 0);
        assert_eq!(pid_within(Duration::from_secs(60)), 7);
        assert_eq!(pid_within(Duration::ZERO), 7, "it is known by now");
        assert_eq!(notes.len(), 1, "{notes:?}");
    }
}
