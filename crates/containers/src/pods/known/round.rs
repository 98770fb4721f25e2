//! What one list leads to: which containers are asked for, and what comes of it.

use alloc::sync::Arc;
use core::time::Duration;
use std::path::Path;
use std::time::Instant;

use super::super::cgroup::find_cgroups;
use super::{Answer, Entry, Question};
use crate::pods::{Details, Found};
use crate::text::clean;
use crate::{ContainerState, Error};

/// How long containers may be asked for that do not run. Their number has no bound, and no
/// eviction depends on them.
const AT_REST_WITHIN: Duration = Duration::from_secs(2);

/// What one list leads to.
pub(super) struct Round {
    pub(super) begun: Instant,
    /// How long all of it may take.
    pub(super) within: Duration,
    pub(super) entries: Vec<(Found, Option<Entry>)>,
}

impl Round {
    /// Which are to be asked for, in this order: first those that did not fail the last time,
    /// and of these first those that run.
    pub(super) fn due(&self) -> Vec<usize> {
        let now = self.begun;
        let is_due = |(found, entry): &(Found, Option<Entry>)| {
            let is_known =
                |entry: &Entry| entry.details.told == found.told && entry.trouble.is_none();
            let may_wait = |entry: &Entry| is_known(entry) || !entry.rest.is_over(now);
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
        due.into_iter().map(|(_, _, at)| at).collect()
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
                    if new.details.told.is_empty() && new.details.fault.is_some() {
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
                    let why = || clean(&format!("{}: {}", error.call, error.failure)).into();
                    entry.trouble.get_or_insert_with(why);
                    has_failed = true;
                }
            }
        }
        Ok(has_failed)
    }

    /// Looks for the cgroups of those that run and were not described: a pod is found by it.
    pub(super) fn find_cgroups(&mut self, proc: &Path) {
        let is_lost = |(found, entry): &(Found, Option<Entry>)| {
            let is_lost = |entry: &Entry| {
                let is_odd = entry.trouble.is_some() || entry.details.fault.is_some();
                is_odd && entry.details.cgroup.is_none()
            };
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
                Arc::make_mut(&mut entry.details).cgroup = cgroup;
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
