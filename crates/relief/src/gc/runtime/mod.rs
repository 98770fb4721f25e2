//! Collecting at a container runtime: dead containers, sandboxes, images. To be
//! called on a thread that may wait.

mod build_cache;
mod containers;
mod garbage;
mod images;
mod report;
#[cfg(test)]
mod tests;
mod volumes;

use alloc::sync::Arc;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use evictd_config::{ImageGc, Resolved};
use evictd_containers::{ContainerRuntime, Error, RuntimeListing};
use evictd_engine::ports::{Collect, Collected, Job};
use evictd_gc::{ContainerPolicy, ImageRecords, Kind};
use evictd_node::Policy;
use evictd_pods::runtimes::Collecting;
use evictd_stats::wall_nanos;

pub use report::{Item, RuntimeCollected};

/// When each image was detected and used, for whoever keeps it over a restart.
pub type SharedRecords = Arc<Mutex<ImageRecords>>;

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
        }
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
        done.map(|()| run.collected)
            .map_err(|error| error.to_string())
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
    /// Whether the runtime cannot be reached any more: what is left stays.
    is_lost: bool,
    /// Whether it has said of each container so far what that wrote.
    tells_sizes: bool,
    collected: RuntimeCollected,
}

impl Run<'_> {
    /// Removes one thing, or would; returns whether it is gone.
    fn remove(&mut self, one: Item) -> bool {
        if !self.collected.dry_run {
            let removed = match one.kind {
                Some(Kind::Container) => self.runtime.remove_container(&one.id),
                Some(Kind::Sandbox) => self.runtime.remove_sandbox(&one.id),
                Some(Kind::Image) => self.runtime.remove_image(&one.id),
                Some(Kind::Volume) => self.runtime.remove_volume(&one.id),
                Some(Kind::PodLogs | Kind::LogFile | Kind::Volumes) | None => return false,
            };
            if let Err(error) = removed {
                self.fail(&error);
                return false;
            }
        }
        (self.progress)(&one);
        self.collected.removed.push(one);
        true
    }

    fn fail(&mut self, error: &Error) {
        self.is_lost = error.is_lost();
        self.collected.errors.push(error.to_string());
    }
}
