use alloc::sync::Arc;
use core::time::Duration;
use std::path::Path;

use evictd_evict::Evict;
use evictd_gc::ImageRecords;
use evictd_node::{ConditionSet, Layout, Mono};
use evictd_sys::Directory;

use crate::error::Error;
use crate::files::begun::to_line;
use crate::files::home::TryLock;
use crate::files::writer::Writer;
use crate::json::to_json;
use crate::protected::Protected;
use crate::record::{Outcome, Record};
use crate::relief::Relief;
use crate::saved::State;

/// How often what changes all the time is written: when thresholds that are met
/// were last observed.
const EVERY: Duration = Duration::from_secs(10);

/// How often the times of images are written: they change as long as any is used,
/// and a flash disk wears out.
const IMAGES_EVERY: Duration = Duration::from_secs(5 * 60);

/// What is known of a daemon when it starts.
#[derive(Clone, Debug)]
pub struct About {
    /// This boot ([`read_boot_id`](crate::read_boot_id)); empty where it is not
    /// known, and then no state is believed.
    pub boot_id: String,
    /// Its process id.
    pub pid: u32,
    /// Whether it only rehearses (`--dry-run`).
    pub dry_run: bool,
    /// Its transition period.
    pub transition: Duration,
    /// The present time.
    pub now: Mono,
    /// The present wall time: seconds since 1970.
    pub wall_seconds: u64,
}

/// A daemon's state: in memory first, in a directory where there is one.
#[derive(Debug)]
pub struct Keeper {
    state: State,
    writer: Option<Writer>,
    written: Option<Written>,
    /// Counts what is worth a write at once.
    changes: u64,
    told: Option<Error>,
    /// The error of writing events that was told last.
    events_told: Option<Error>,
    /// When the times of images were last taken over.
    images_at: Option<Mono>,
}

/// What the latest text says, and when it was handed over.
#[derive(Debug, PartialEq, Eq)]
struct Written {
    at: Mono,
    held: ConditionSet,
    layout: Option<Layout>,
    changes: u64,
    /// Whether there is more to write before long: a threshold was met, whose
    /// times go on changing, or the write failed.
    unsettled: bool,
}

impl Keeper {
    /// Takes over the state in the directory and begins to keep it there;
    /// without a directory, in memory alone. The directory is made if need be.
    ///
    /// What goes wrong is returned beside it: a state that cannot be read is forgotten, and
    /// its file kept under another name; a directory that cannot be used is done without.
    #[must_use]
    pub fn open(directory: Option<&Path>, about: About, try_lock: TryLock) -> (Self, Vec<Error>) {
        let mut problems = Vec::new();
        let writer = directory.and_then(|directory| {
            let opened = Writer::open(directory, try_lock);
            opened.map_err(|error| problems.push(error)).ok()
        });
        let found = writer.as_ref();
        let found = found.and_then(|writer| writer.home().take_over(&mut problems));
        let mut state = found.unwrap_or_default();
        state.rebase(
            &about.boot_id,
            about.now,
            about.wall_seconds,
            about.transition,
        );
        state.begin(about.dry_run);
        state.daemon_pid = about.pid;
        let keeper = Self {
            state,
            writer,
            written: None,
            changes: 0,
            told: None,
            events_told: None,
            images_at: None,
        };
        (keeper, problems)
    }

    /// The directory in which it is kept, whose lock this process then holds.
    #[must_use]
    pub fn directory(&self) -> Option<&Arc<Directory>> {
        self.writer.as_ref().map(|writer| &writer.home().directory)
    }

    /// The state, as last kept.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Restores a new state machine by what was kept. To be called before its
    /// first step.
    pub fn restore(&self, now: Mono, evict: &mut Evict) {
        evict.restore(now, &self.state.evict_state(now));
        evict.restore_returns(self.state.returns());
    }

    /// Notes that an eviction was decided; its outcome is [`Outcome::Begun`], or
    /// [`Outcome::DryRun`]. To be called when its kill has begun and before it is told, as the
    /// process may be killed from then on: waits a moment until the kernel has its record.
    pub fn begin(&mut self, record: Record) {
        if let Some(writer) = &self.writer {
            writer.post_begun(&to_line(&record));
        }
        self.state.push(record);
        self.changes = self.changes.wrapping_add(1);
    }

    /// Notes what the kernel's own OOM killer did.
    pub fn note_oom_kill(&mut self, record: Record) {
        self.state.push_oom_kill(record);
        self.changes = self.changes.wrapping_add(1);
    }

    /// Notes what was given back of a disk. What is added to the last entry is written with
    /// whatever is noted next.
    pub fn note_relief(&mut self, relief: Relief) {
        if self.state.push_relief(relief) {
            self.changes = self.changes.wrapping_add(1);
        }
    }

    /// Notes what came of the eviction of the pod with that uid: by what method,
    /// in the kernel's words, and after how many milliseconds.
    pub fn end(&mut self, uid: &str, outcome: Outcome, method: &str, millis: Option<u64>) {
        if self.state.end(uid, outcome, method, millis) {
            self.changes = self.changes.wrapping_add(1);
        }
    }

    /// Whether the times of images should be taken over now.
    #[must_use]
    pub fn wants_images(&self, now: Mono) -> bool {
        self.images_at
            .is_none_or(|last| now.since(last) >= IMAGES_EVERY)
    }

    /// Takes over when images were detected and used.
    pub fn take_images(&mut self, now: Mono, images: &ImageRecords) {
        self.images_at = Some(now);
        if self.state.images != *images {
            self.state.images = images.clone();
            self.changes = self.changes.wrapping_add(1);
        }
    }

    /// Takes over which cgroups are protected.
    pub fn take_protected(&mut self, protected: &Protected) {
        if self.state.protected != *protected {
            self.state.protected.clone_from(protected);
            self.changes = self.changes.wrapping_add(1);
        }
    }

    /// Brings the state up to date and hands it over to be written. To be called
    /// after each round and each time that a kill was begun or has ended; it
    /// never waits, and allocates nothing while nothing is going on.
    ///
    /// Conditions, evictions and the layout are written at once, the times of
    /// what is met every 10 seconds. Returns an error when writing has
    /// begun to fail, or fails otherwise than before.
    pub fn keep(&mut self, now: Mono, wall_seconds: u64, evict: &Evict) -> Option<Error> {
        let current = Written {
            at: now,
            held: evict.conditions(),
            layout: evict.observed_layout(),
            changes: self.changes,
            unsettled: evict.met().next().is_some(),
        };
        let text = self.is_due(&current).then(|| {
            self.state.update(now, wall_seconds, evict);
            to_json(&self.state)
        });
        if text.is_some() {
            self.written = Some(current);
        }
        let writer = self.writer.as_ref()?;
        let result = writer.result();
        if let Some(text) = text {
            writer.post(text);
        }
        self.news(result?)
    }

    /// Hands over records of events, each with its newline. Never waits.
    ///
    /// Returns an error when writing them has begun to fail, or fails otherwise than before.
    pub fn keep_events(&mut self, now: Mono, records: &str) -> Option<Error> {
        let writer = self.writer.as_ref()?;
        writer.post_events(records, now);
        let failed = writer.events_failed()?;
        let is_new = self.events_told.as_ref() != Some(&failed);
        self.events_told = Some(failed.clone());
        is_new.then_some(failed)
    }

    fn is_due(&self, current: &Written) -> bool {
        self.written.as_ref().is_none_or(|written| {
            let urgent = (written.held, written.layout, written.changes)
                != (current.held, current.layout, current.changes);
            let running = written.unsettled || current.unsettled;
            urgent || (running && current.at.since(written.at) >= EVERY)
        })
    }

    /// An error, when it is another than the one before. A write that failed is
    /// tried again in its turn.
    fn news(&mut self, result: Result<(), Error>) -> Option<Error> {
        let Err(error) = result else {
            self.told = None;
            return None;
        };
        if let Some(written) = &mut self.written {
            written.unsettled = true;
        }
        if self.told.as_ref() == Some(&error) {
            return None;
        }
        self.told = Some(error.clone());
        Some(error)
    }

    /// Writes the state for the last time and waits until it is written, that
    /// long at most.
    pub fn close(mut self, now: Mono, wall_seconds: u64, evict: &Evict, wait: Duration) {
        self.state.update(now, wall_seconds, evict);
        if let Some(writer) = &self.writer {
            writer.post(to_json(&self.state));
            writer.close(wait);
        }
    }

    /// Waits until the kernel has all evictions, however busy the machine is.
    #[cfg(test)]
    pub(crate) fn settle_begun(&self) {
        while self.writer.as_ref().is_some_and(Writer::is_adding) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until the text that was handed over is written, or is not.
    #[cfg(test)]
    pub(crate) fn settle(&self) {
        while self.writer.as_ref().is_some_and(Writer::is_writing) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
