//! Collecting at a container runtime: dead containers, sandboxes, images. To be
//! called on a thread that may wait.

mod build_cache;
mod containers;
mod garbage;
mod images;
mod patience;
mod report;
#[cfg(test)]
mod tests;
mod volumes;

use alloc::sync::Arc;
use core::time::Duration;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use evictd_config::{ImageGc, Resolved};
use evictd_containers::{ContainerRuntime, Error, Failure, RuntimeListing};
use evictd_engine::ports::{Collect, Collected, Job};
use evictd_gc::{ContainerPolicy, ImageRecords, Kind};
use evictd_node::Policy;
use evictd_pods::runtimes::Collecting;
use evictd_stats::{now, wall_nanos};

use patience::{Patience, Unanswered};
pub use report::{Item, RuntimeCollected};

/// When each image was detected and used, for whoever keeps it over a restart.
pub type SharedRecords = Arc<Mutex<ImageRecords>>;

/// An eviction waits for a job. One that has freed nothing within this time stops, and the next
/// job does the rest.
const FREES_WITHIN: Duration = Duration::from_secs(30);

/// Is called for each thing that was, or would be, removed.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(&Item);

/// What collects at one runtime.
pub struct RuntimeCollector {
    images: ImageGc,
    containers: ContainerPolicy,
    /// Whether dead containers are removed that nothing replaces.
    removes_all: bool,
    removes_volumes: bool,
    prunes_build_cache: bool,
    switches: Policy,
    /// Where images lie, if a flag says so.
    imagefs: Option<PathBuf>,
    began_nanos: i64,
    records: SharedRecords,
    /// The patterns of which it was told that they match no image.
    told_unmatched: Vec<usize>,
    /// How long a job goes on that frees nothing.
    patience: Duration,
    unanswered: Unanswered,
}

impl RuntimeCollector {
    /// What the settings say, remembering what is in `records`.
    pub fn of(settings: &Resolved, records: SharedRecords) -> Self {
        Self {
            images: settings.gc.images.clone(),
            containers: settings.gc.containers,
            removes_all: settings.gc.all_containers,
            removes_volumes: settings.gc.anonymous_volumes,
            prunes_build_cache: settings.relief.build_cache,
            switches: *settings.policy(),
            imagefs: settings.paths.imagefs.clone(),
            began_nanos: wall_nanos(),
            records,
            told_unmatched: Vec::new(),
            patience: FREES_WITHIN,
            unanswered: Unanswered::default(),
        }
    }

    /// For a command: no eviction waits for its jobs, so they may take any time.
    #[must_use]
    pub fn without_haste(mut self) -> Self {
        self.patience = Duration::MAX;
        self
    }

    /// Does one job. What cannot be listed in full is not touched at all.
    ///
    /// # Errors
    /// Where nothing could be begun: which call failed, and how.
    pub fn collect(
        &mut self,
        runtime: &mut dyn ContainerRuntime,
        job: &Job,
        progress: Progress<'_>,
    ) -> Result<RuntimeCollected, String> {
        let mut run = Run {
            runtime,
            progress,
            is_lost: false,
            patience: Patience::new(now(), self.patience),
            unanswered: core::mem::take(&mut self.unanswered),
            tells_sizes: true,
            collected: RuntimeCollected {
                dry_run: job.dry_run,
                ..RuntimeCollected::default()
            },
        };
        let done = match &job.what {
            Collect::Containers {
                all_unused,
                evicted,
            } => self.collect_containers(&mut run, *all_unused, evicted),
            Collect::Images(job) => self.collect_images(&mut run, *job),
            Collect::Step(relief) if self.prunes_build_cache => run.prune_build_cache(relief),
            Collect::Step(_) | Collect::OwnLog { .. } | Collect::Tidy => Ok(()),
        };
        let Run {
            collected,
            unanswered,
            ..
        } = run;
        self.unanswered = unanswered;
        done.map(|()| collected).map_err(|error| error.to_string())
    }

    fn with_records<T>(&self, with: impl FnOnce(&mut ImageRecords) -> T) -> T {
        with(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// For the daemon: nobody looks on.
impl Collecting for RuntimeCollector {
    fn note_uses(&self, listing: &RuntimeListing) {
        Self::note_uses(self, listing);
    }

    fn collect(
        &mut self,
        runtime: &mut dyn ContainerRuntime,
        job: &Job,
    ) -> Result<Collected, String> {
        let collected = Self::collect(self, runtime, job, &mut |_| {});
        collected.map(|collected| collected.told())
    }
}

/// A collection under way.
struct Run<'a> {
    runtime: &'a mut dyn ContainerRuntime,
    progress: Progress<'a>,
    /// Whether nothing more can be removed: the runtime cannot be reached any more, or patience
    /// is over. What is left stays.
    is_lost: bool,
    patience: Patience,
    unanswered: Unanswered,
    /// Whether it has said of each container so far what that wrote.
    tells_sizes: bool,
    collected: RuntimeCollected,
}

impl Run<'_> {
    /// Removes one thing, or would; returns whether it is gone.
    fn remove(&mut self, one: Item) -> bool {
        if self.unanswered.rests(&one.id, now()) {
            return false;
        }
        if !self.collected.dry_run {
            let removed = match one.kind {
                Some(Kind::Container) => self.runtime.remove_container(&one.id),
                Some(Kind::Sandbox) => self.runtime.remove_sandbox(&one.id),
                Some(Kind::Image) => self.runtime.remove_image(&one.id),
                Some(Kind::Volume) => self.runtime.remove_volume(&one.id),
                Some(Kind::PodLogs | Kind::LogFile | Kind::Volumes) | None => return false,
            };
            if let Err(error) = removed {
                self.fail_at(one.id, &error);
                return false;
            }
            self.lose_patience();
        }
        (self.progress)(&one);
        self.collected.removed.push(one);
        true
    }

    /// One thing could not be removed. Where the runtime did not answer it may be that one's
    /// fault.
    fn fail_at(&mut self, id: String, error: &Error) {
        self.fail(error);
        if is_no_answer(error) {
            self.unanswered.add(id, now());
            self.is_lost = self.patience.has_unanswered(now());
        } else {
            self.lose_patience();
        }
    }

    /// Ends the job where nothing was freed for long.
    fn lose_patience(&mut self) {
        if !self.is_lost && self.patience.is_over(now()) {
            self.is_lost = true;
            self.collected.notes.push(self.patience.to_string());
        }
    }

    fn fail(&mut self, error: &Error) {
        self.is_lost = error.is_lost();
        self.collected.add_error(error.to_string());
    }
}

/// Whether a runtime gave no answer to a call, which may be the fault of what that is about.
const fn is_no_answer(error: &Error) -> bool {
    matches!(error.failure, Failure::TimedOut(_) | Failure::Closed)
}
