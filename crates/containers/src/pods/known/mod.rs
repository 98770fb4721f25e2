//! What is known of each container beside the list.

mod round;

use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};
use std::time::Instant;

use self::round::Round;
use super::patience::{Patience, Rest};
use super::{Details, Found};
use crate::Error;
use crate::notes::note;
use crate::text::clean;

/// A container to be asked for, and what was known of it before.
pub(crate) type Question<'a> = (&'a Found, Option<&'a Details>);

/// What asking came to; `None` of what has vanished meanwhile.
pub(crate) type Answer = Result<Option<Details>, Error>;

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

#[derive(Clone, Debug)]
struct Entry {
    id: Arc<str>,
    details: Arc<Details>,
    rest: Rest,
    /// Why the last question failed.
    trouble: Option<Box<str>>,
}

impl Default for Known {
    fn default() -> Self {
        Self::with(Path::new("/proc"))
    }
}

impl Known {
    /// Nothing is known yet; processes are found in `proc`.
    pub(crate) fn with(proc: &Path) -> Self {
        let proc = proc.to_owned();
        let all = Vec::new();
        Self { all, proc }
    }

    /// Like [`Self::update_together`], with one question at a time, and as much patience as
    /// there is for a list.
    #[cfg(feature = "cri")]
    pub(crate) fn update(
        &mut self,
        listed: Vec<Found>,
        within: Duration,
        notes: &mut Vec<String>,
        mut ask: impl FnMut(&Found, Option<&Details>, &mut Vec<String>) -> Answer,
    ) -> Result<Vec<(Found, Arc<Details>)>, Error> {
        let mut patience = Patience::default();
        let ask = |questions: &[Question<'_>], _, notes: &mut Vec<String>| {
            let questions = questions.iter();
            let ask = |(found, before): &Question<'_>| ask(found, *before, notes);
            questions.map(ask).collect()
        };
        self.update_together(listed, within, (1, &mut patience), notes, ask)
    }

    /// The details of all that are listed, those that have changed by `ask`, to which so many
    /// questions are given at a time, how long they may take, and what was known before; it
    /// returns as many answers. What has vanished is left out. Once that took longer than
    /// `within`, the others are asked for the next time, and a note says so.
    ///
    /// # Errors
    /// When nobody listens any more. What was known before is kept then.
    pub(crate) fn update_together(
        &mut self,
        listed: Vec<Found>,
        within: Duration,
        (together, patience): (usize, &mut Patience),
        notes: &mut Vec<String>,
        mut ask: impl FnMut(&[Question<'_>], Duration, &mut Vec<String>) -> Vec<Answer>,
    ) -> Result<Vec<(Found, Arc<Details>)>, Error> {
        let mut round = self.begin(listed, within);
        let due = round.due();
        let mut unasked = due.len();
        let mut gone = Vec::new();
        for part in due.chunks(together.max(1)) {
            let Some(left) = patience.left().filter(|_| round.has_time(part)) else {
                break;
            };
            unasked = unasked.saturating_sub(part.len());
            let begun = Instant::now();
            let answers = ask(&round.questions(part), left, notes);
            if round.take(part, answers, &mut gone)? {
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
            let why = entry.trouble.as_ref().or(entry.details.fault.as_ref());
            if let Some(why) = why {
                let name = &found.container.name;
                let name = if name.is_empty() { &*entry.id } else { name };
                note(notes, || clean(&format!("container {name}: {why}")));
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

impl Entry {
    fn of(found: &Found, details: Details) -> Self {
        Self {
            id: Arc::clone(&found.container.id),
            details: Arc::new(details),
            rest: Rest::default(),
            trouble: None,
        }
    }
}

#[cfg(test)]
mod tests;
