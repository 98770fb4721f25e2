//! Memory: what comes before a kill. A helper looks at the pods about once a second while
//! memory gets short or anything is set, decides (`evictd_evict::memory_relief`) and acts. It keeps
//! its deadlines by itself, so that nothing stays set where the loop stands still; and it
//! waits where the kernel lets it wait, so that the loop never does.

mod acting;
mod job;
#[cfg(test)]
mod tests;
mod told;
mod work;

use alloc::sync::Arc;
use core::time::Duration;

use evictd_cgroup::{FoundPod, KnobJournal};
use evictd_config::{MemoryRelief, Resolved};
use evictd_evict::memory_relief::{Known, Said, Saying};
use evictd_node::Mono;
use evictd_stats::Hierarchies;
use evictd_sys::{Directory, Helper, HelperThread, Priority, Writes};

use crate::confined::confine_to_knobs;
use crate::knobs::{journal, places};
use job::Job;
pub use job::Told;
use work::{EVERY, Work};

const THREAD: HelperThread = HelperThread {
    name: "relief",
    stack_bytes: 256 << 10,
    priority: Priority::Usual,
    writes: Writes::WhereItSays,
};

/// More events are not kept until they are taken.
const MOST_TOLD: usize = 64;

/// Memory relief, from the loop's side.
pub struct Reliever {
    helper: Helper<Shared>,
    /// What a former evictd has left is put back without any need.
    has_left: bool,
    is_on: bool,
    dry_run: bool,
    saying: Saying,
}

#[derive(Default)]
struct Shared {
    job: Option<Job>,
    told: Vec<Told>,
    /// Whether anything is set.
    holds_any: bool,
}

impl Reliever {
    /// Puts back what a former evictd has left; all else when memory gets short.
    #[must_use]
    pub fn new(
        settings: &Resolved,
        hierarchies: &Hierarchies,
        directory: Option<&Arc<Directory>>,
        boot_id: &str,
    ) -> Self {
        let files = ["relief", "relief.spare"];
        let journal = directory.map(|directory| journal(directory, boot_id, files));
        let has_left = journal.as_ref().is_some_and(KnobJournal::has_any);
        let places = places(hierarchies);
        let helper = Helper::new(THREAD, Shared::default(), move |desk| {
            confine_to_knobs(&places, journal.as_ref());
            let mut work = Work::new(places, journal);
            let tell = |told: Vec<Told>| {
                desk.show(|shared| {
                    shared.told.extend(told);
                    shared.told.truncate(MOST_TOLD);
                });
            };
            tell(work.put_back());
            loop {
                let at_most = if work.is_busy() { EVERY } else { Duration::MAX };
                if let Some(job) = desk.next_within(at_most, |shared| shared.job.take()) {
                    work.take(job);
                } else if desk.is_closing() {
                    break;
                }
                tell(work.look_if_due());
                desk.show(|shared| shared.holds_any = work.holds_any());
            }
            work.end();
        });
        let mut reliever = Self {
            helper,
            has_left,
            is_on: false,
            dry_run: false,
            saying: Saying::default(),
        };
        reliever.follow(settings);
        reliever
    }

    /// Goes on with other settings.
    pub fn follow(&mut self, settings: &Resolved) {
        self.is_on = settings.memory.relief == MemoryRelief::On;
        self.dry_run = settings.dry_run;
    }

    /// Whether anything is set.
    #[must_use]
    pub fn holds_any(&self) -> bool {
        self.helper.look(|shared| shared.holds_any)
    }

    /// What the helper has to hear of how short memory is, where that matters.
    pub fn next(&mut self, now: Mono, known: &Known<'_>) -> Option<Said> {
        if core::mem::take(&mut self.has_left) {
            let _ = self.helper.start();
        }
        let said = self.saying.next(now, self.is_on, known);
        said.filter(|_| self.helper.start().is_ok())
    }

    /// Hands that over with the pods of which something may be asked; `None` for those of
    /// before.
    pub fn hand_over(&mut self, said: Said, pods: Option<Vec<FoundPod>>) {
        self.saying.note(said);
        let job = Job {
            said,
            dry_run: self.dry_run,
            pods,
        };
        self.helper.change(|shared| shared.job = Some(job));
    }

    /// What there is to tell since the last call.
    pub fn take_told(&self) -> Vec<Told> {
        self.helper.look(|shared| core::mem::take(&mut shared.told))
    }

    /// Puts everything back, that long at most.
    pub fn end(&self, at_most: Duration) {
        self.helper.close(at_most);
    }
}
