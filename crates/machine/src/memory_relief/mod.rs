//! Memory: what comes before a kill. A helper looks at the pods about once a second while
//! memory gets short or anything is set, decides (`evictd_evict::relief`) and acts. It keeps
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
use evictd_node::{Mono, Readings};
use evictd_stats::Hierarchies;
use evictd_sys::{Directory, Helper, HelperThread, Priority, Writes};

use crate::engine::Engine;
use crate::keep_alive::{confine, journal, places};
pub use evictd_evict::relief::Need;
use evictd_evict::relief::{Known, Saying, need};
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
    ) -> Self {
        let journal = directory.map(|directory| journal(directory, "relief", "relief.spare"));
        let has_left = journal.as_ref().is_some_and(KnobJournal::has_any);
        let places = places(hierarchies);
        let helper = Helper::new(THREAD, Shared::default(), move |desk| {
            confine(&places, journal.as_ref());
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
        self.is_on = settings.memory_relief == MemoryRelief::On;
        self.dry_run = settings.dry_run;
    }

    /// Hands over how short memory is, where that matters, and returns what is to be told.
    pub fn turn(&mut self, now: Mono, engine: &mut Engine) -> Vec<Told> {
        if core::mem::take(&mut self.has_left) {
            let _ = self.helper.start();
        }
        let known = Known {
            thresholds: engine.evict().thresholds(),
            readings: engine.memory(),
            awaits_picture: engine.awaits_picture(),
            holds_any: self.helper.look(|shared| shared.holds_any),
        };
        let said = self.saying.next(now, self.is_on, &known);
        if let Some(said) = said.filter(|_| self.helper.start().is_ok()) {
            self.saying.note(said);
            // While a pod is evicted none is looked for here, and nothing begins.
            let pods = (said.need != Need::Hard).then(|| pods_of(engine));
            let job = Job {
                said,
                dry_run: self.dry_run,
                pods,
            };
            self.helper.change(|shared| shared.job = Some(job));
        }
        self.helper.look(|shared| core::mem::take(&mut shared.told))
    }

    /// Puts everything back, that long at most.
    pub fn end(&self, at_most: Duration) {
        self.helper.close(at_most);
    }
}

/// How short memory is by these readings, whatever the rate: for `evictd explain`.
#[must_use]
pub fn need_now(settings: &Resolved, readings: &Readings) -> Need {
    need(&settings.evict.thresholds, readings, 0)
}

/// The pods that there are now.
fn pods_of(engine: &mut Engine) -> Vec<FoundPod> {
    engine.pods_mut().all_pods().listing.pods.to_vec()
}
