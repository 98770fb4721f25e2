//! What one list leads to: which containers are asked for, and what comes of it.

use alloc::sync::Arc;
use core::time::Duration;
use std::path::Path;
use std::time::Instant;

use super::super::cgroup::find_cgroups;
use super::entry::{Answer, Entry, Question};
use crate::notes::failed;
use crate::pods::{Details, Found, class_by_cgroup};
use crate::{ContainerState, Error};

/// How long containers may be asked for that do not run. Their number has no bound, and no
/// eviction depends on them.
const AT_REST_WITHIN: Duration = Duration::from_secs(2);

/// Containers that are asked for together.
pub(super) struct Part {
    pub(super) places: Vec<usize>,
    /// Whether they failed the last time.
    pub(super) has_failed: bool,
}

/// What one list leads to.
pub(super) struct Round {
    pub(super) begun: Instant,
    /// How long all of it may take.
    pub(super) within: Duration,
    pub(super) entries: Vec<(Found, Option<Entry>)>,
}

impl Round {
    /// Which are to be asked for, in parts of at most `together`. Those that did not fail the
    /// last time come first, and of these those that run.
    pub(super) fn due(&self, together: usize) -> Vec<Part> {
        let now = self.begun;
        let is_due = |(found, entry): &(Found, Option<Entry>)| {
            let may_wait = |entry: &Entry| entry.describes(found) || !entry.rest.is_over(now);
            !entry.as_ref().is_some_and(may_wait)
        };
        let all = self.entries.iter().enumerate();
        let due = all.filter(|(_, entry)| is_due(entry));
        let mut due: Vec<(bool, bool, usize)> = due
            .map(|(at, (found, entry))| {
                let has_failed = entry.as_ref().is_some_and(|entry| entry.rest.has_failed());
                (has_failed, is_at_rest(found), at)
            })
            .collect();
        due.sort_unstable();
        let alike = due.chunk_by(|(one, ..), (other, ..)| one == other);
        let parts = alike.flat_map(|alike| alike.chunks(together.max(1)));
        let part = |part: &[(bool, bool, usize)]| Part {
            places: part.iter().map(|(_, _, at)| *at).collect(),
            has_failed: part.iter().any(|(has_failed, ..)| *has_failed),
        };
        parts.map(part).collect()
    }

    /// Whether there is time left to ask for these.
    pub(super) fn has_time(&self, part: &[usize]) -> bool {
        let mut entries = part.iter().filter_map(|at| self.entries.get(*at));
        let within = if entries.all(|(found, _)| is_at_rest(found)) {
            self.within.min(AT_REST_WITHIN)
        } else {
            self.within
        };
        self.begun.elapsed() < within
    }

    pub(super) fn questions(&self, part: &[usize]) -> Vec<Question<'_>> {
        let entries = part.iter().filter_map(|at| self.entries.get(*at));
        entries
            .map(|(found, entry)| (found, entry.as_ref().map(|entry| &*entry.details)))
            .collect()
    }

    /// Takes the answers to these, and notes which containers have vanished. Returns whether
    /// some did not come.
    pub(super) fn take(
        &mut self,
        part: &[usize],
        answers: Vec<Answer>,
        gone: &mut Vec<usize>,
    ) -> Result<bool, Error> {
        let mut has_failed = false;
        for (at, answer) in part.iter().zip(answers) {
            let Some((found, entry)) = self.entries.get_mut(*at) else {
                continue;
            };
            match answer {
                Ok(Some(details)) => {
                    let former = entry.take();
                    let mut new = Entry::of(found, details);
                    // It is to be asked again, for what could not be found out.
                    if new.fault().is_some() && !new.describes(found) {
                        new.rest = former.map(|former| former.rest).unwrap_or_default();
                        new.rest.begin(self.begun);
                        has_failed = true;
                    }
                    *entry = Some(new);
                }
                Ok(None) => gone.push(*at),
                Err(error) if error.has_nobody() => return Err(error),
                Err(error) => {
                    let entry = entry.get_or_insert_with(|| Entry::of(found, Details::default()));
                    entry.rest.begin(self.begun);
                    entry.trouble.get_or_insert_with(|| failed(&error));
                    has_failed = true;
                }
            }
        }
        Ok(has_failed)
    }

    /// Looks for the cgroups of those that run and were not described: a pod is found by it.
    pub(super) fn find_cgroups(&mut self, proc: &Path) {
        let is_lost = |(found, entry): &(Found, Option<Entry>)| {
            let is_lost = |entry: &Entry| entry.fault().is_some() && entry.details.cgroup.is_none();
            !is_at_rest(found) && entry.as_ref().is_none_or(is_lost)
        };
        let mut lost: Vec<_> = self.entries.iter_mut().filter(|one| is_lost(one)).collect();
        let ids: Vec<Arc<str>> = lost
            .iter()
            .map(|(found, _)| Arc::clone(&found.container.id))
            .collect();
        let cgroups = find_cgroups(proc, &ids);
        for ((found, entry), cgroup) in lost.iter_mut().zip(cgroups) {
            if cgroup.is_some() {
                let entry = entry.get_or_insert_with(|| Entry::of(found, Details::default()));
                let details = Arc::make_mut(&mut entry.details);
                details.class = details
                    .class
                    .or(cgroup.as_deref().and_then(class_by_cgroup));
                details.cgroup = cgroup;
            }
        }
    }
}

/// Whether it does not run, as far as the list says.
fn is_at_rest(found: &Found) -> bool {
    match found.container.state {
        ContainerState::Running | ContainerState::Unknown => false,
        ContainerState::Created | ContainerState::Exited => true,
    }
}
