//! What is known of each container beside the list.

mod entry;
mod round;

use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};
use std::time::Instant;

use self::entry::Entry;
use self::round::Round;
use super::patience::Patience;
use super::{Details, Found};
use crate::Error;
use crate::list::Item;
use crate::notes::note;
use crate::text::clean;

pub(crate) use self::entry::{Answer, Question};

/// What was found out about each container, in the order of their ids. While the list tells
/// the same of a container it is not asked for again: in the steady state a listing costs the
/// calls for the lists alone.
///
/// One that cannot be asked for, or whose answer does not come, is known by the list, by what
/// was known before, and by its cgroup, which is looked for among those of all processes. It
/// is asked for again after a rest that grows, and after those that never failed.
#[derive(Debug)]
pub(crate) struct Known {
    all: Vec<Entry>,
    proc: PathBuf,
}

impl Known {
    /// Nothing is known yet; processes are found in `proc`.
    pub(crate) fn with(proc: &Path) -> Self {
        let proc = proc.to_owned();
        let all = Vec::new();
        Self { all, proc }
    }

    /// The details of all that are listed. Those that have changed are found out by `ask`,
    /// which is given at most `together` questions, and how long it may take. It returns an
    /// answer for each. What has vanished is left out. Once that took longer than
    /// `within`, the others are asked for the next time, and a note says so.
    ///
    /// # Errors
    /// When nobody listens any more. What was known before is kept then.
    pub(crate) fn update(
        &mut self,
        listed: Vec<Found>,
        (together, within): (usize, Duration),
        notes: &mut Vec<String>,
        mut ask: impl FnMut(&[Question<'_>], Duration) -> Vec<Answer>,
    ) -> Result<Vec<(Found, Arc<Details>)>, Error> {
        let mut round = self.begin(listed, within);
        let mut patience = Patience::default();
        let due = round.due(together);
        let mut unasked: usize = due.iter().map(|part| part.places.len()).sum();
        let mut gone = Vec::new();
        for part in due {
            let Some(share) = patience
                .share(part.has_failed)
                .filter(|_| round.has_time(&part.places))
            else {
                break;
            };
            unasked = unasked.saturating_sub(part.places.len());
            let begun = Instant::now();
            let answers = ask(&round.questions(&part.places), share.min(within));
            if round.take(&part.places, answers, &mut gone)? {
                patience.spend(begun.elapsed());
            }
        }
        if unasked > 0 {
            note(notes, || {
                "containers are not described yet, as others took too long: what the list says \
                 of them counts"
                    .to_owned()
            });
        }
        gone.sort_unstable();
        round.find_cgroups(&self.proc);
        Ok(self.finish(round, &gone, notes))
    }

    fn begin(&self, listed: Vec<Found>, within: Duration) -> Round {
        let entry = |mut found: Found| {
            let id = &found.container.id;
            let place = self.all.binary_search_by(|entry| entry.id.cmp(id)).ok();
            let entry = place.and_then(|at| self.all.get(at)).cloned();
            if let Some(entry) = &entry {
                // What is there already is not there twice.
                found.container.id = Arc::clone(&entry.id);
            }
            (found, entry)
        };
        Round {
            begun: Instant::now(),
            within,
            entries: listed.into_iter().map(entry).collect(),
        }
    }

    fn finish(
        &mut self,
        round: Round,
        gone: &[usize],
        notes: &mut Vec<String>,
    ) -> Vec<(Found, Arc<Details>)> {
        let mut all = Vec::with_capacity(round.entries.len());
        self.all.clear();
        for (at, (found, entry)) in round.entries.into_iter().enumerate() {
            if gone.binary_search(&at).is_ok() {
                continue;
            }
            let Some(entry) = entry else {
                all.push((found, Arc::default()));
                continue;
            };
            if let Some(why) = entry.fault() {
                let line = || format!("{} {}: {why}", found.kind(), found.name());
                note(notes, || clean(&line()));
            }
            all.push((found, Arc::clone(&entry.details)));
            self.all.push(entry);
        }
        self.all
            .sort_unstable_by(|one, other| one.id.cmp(&other.id));
        self.all.shrink_to_fit();
        all
    }
}

#[cfg(test)]
impl Known {
    /// As if all rests were over.
    pub(crate) fn end_rests(&mut self) {
        for entry in &mut self.all {
            entry.rest.end();
        }
    }
}

#[cfg(test)]
mod tests;
