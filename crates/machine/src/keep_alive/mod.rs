//! Services and sessions that keep their pages and processor (`--keep-alive`): looked at by a
//! helper, since it walks cgroups.

#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use core::time::Duration;

use evictd_cgroup::{KeepAlive, KnobJournal, Knobs};
use evictd_config::Resolved;
use evictd_relief::confine_to_knobs;
use evictd_relief::knobs::{journal, places};
use evictd_stats::Hierarchies;
use evictd_sys::{Directory, Helper, HelperThread, Priority, Writes};

use crate::facts::boot_id;

const THREAD: HelperThread = HelperThread {
    name: "keep-alive",
    stack_bytes: 256 << 10,
    priority: Priority::Usual,
    writes: Writes::WhereItSays,
};

/// How soon a session that begins, or a service that has grown, is seen.
const EVERY: Duration = Duration::from_secs(5);

/// Keeps them alive as long as this is there.
pub struct Keeper {
    helper: Helper<Shared>,
    /// What was told already.
    told: Vec<String>,
}

/// Lines until they are told.
#[derive(Default)]
struct Shared {
    told: Option<Vec<String>>,
}

impl Keeper {
    /// `None` where there is nobody to keep alive, nor anything to put back that a former
    /// evictd has left. The thread comes with the first [`Keeper::turn`].
    #[must_use]
    pub fn of(
        settings: &Resolved,
        hierarchies: &Hierarchies,
        directory: Option<&Arc<Directory>>,
    ) -> Option<Self> {
        let journal =
            directory.map(|directory| journal(directory, &boot_id(), ["kept", "kept.spare"]));
        let names = if settings.dry_run {
            Vec::new()
        } else {
            settings.memory.keep_alive.clone()
        };
        let has_left = journal.as_ref().is_some_and(KnobJournal::has_any);
        if names.is_empty() && !has_left {
            return None;
        }
        let places = places(hierarchies);
        let helper = Helper::new(THREAD, Shared::default(), move |desk| {
            confine_to_knobs(&places, journal.as_ref());
            let mut knobs = Knobs::open(places.clone(), journal);
            if names.is_empty() {
                // What a former evictd has left is put back, and that is all.
                knobs.undo_all();
                return;
            }
            let mut kept = KeepAlive::new(names, places, knobs);
            while !desk.is_closing() {
                let looked = kept.look();
                let is_nobody = looked.cgroups.is_empty();
                let nobody = is_nobody
                    .then(|| String::from("no service of these names, and no session, is there"));
                let lines = looked.problems.into_iter().chain(nobody);
                let lines = lines.map(|line| format!("--keep-alive: {line}"));
                let lines = lines.collect();
                desk.show(|shared| shared.told = Some(lines));
                desk.next_within(EVERY, |_| None::<()>);
            }
            kept.end();
        });
        Some(Self {
            helper,
            told: Vec::new(),
        })
    }

    /// Makes the thread, where there is none to have now a later call does. Returns what is new
    /// to be told.
    pub fn turn(&mut self) -> Vec<String> {
        let _ = self.helper.start();
        self.take_problems()
    }

    /// Each line once, until it is another.
    fn take_problems(&mut self) -> Vec<String> {
        let Some(lines) = self.helper.look(|shared| shared.told.take()) else {
            return Vec::new();
        };
        let is_new = |line: &&String| !self.told.contains(line);
        let new = lines.iter().filter(is_new).cloned().collect();
        self.told = lines;
        new
    }

    /// Puts everything back, that long at most.
    pub fn end(&self, at_most: Duration) {
        self.helper.close(at_most);
    }
}
