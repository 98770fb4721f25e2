//! Collecting at a container runtime: dead containers, sandboxes, images. To be
//! called on a thread that may wait.

mod containers;
mod images;
mod report;

use alloc::sync::Arc;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use evictd_config::Resolved;
use evictd_containers::ContainerRuntime;
use evictd_gc::{ContainerPolicy, ImagePolicy, ImageRecords, KeepPattern};
use evictd_node::Policy;
use evictd_stats::wall_seconds;

pub(crate) use report::{Kind, Removed, RuntimeCollected, Staying};

use crate::runtimes::{Collect, CollectJob};

/// When each image was detected and used, for whoever keeps it over a restart.
pub(crate) type SharedRecords = Arc<Mutex<ImageRecords>>;

/// Is called for each thing that was, or would be, removed.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(&Removed);

/// What collects at one runtime.
pub(crate) struct RuntimeCollector {
    images: ImagePolicy,
    containers: ContainerPolicy,
    keep: Vec<KeepPattern>,
    keep_local: bool,
    switches: Policy,
    /// Where images lie, if a flag says so.
    imagefs: Option<PathBuf>,
    began_nanos: i64,
    records: SharedRecords,
}

impl RuntimeCollector {
    /// What the settings say, remembering what is in `records`.
    pub(crate) fn of(settings: &Resolved, records: SharedRecords) -> Self {
        let images = &settings.image_gc;
        Self {
            images: images.policy,
            containers: settings.container_gc,
            keep: images.keep.clone(),
            keep_local: images.keep_local,
            switches: *settings.policy(),
            imagefs: settings.imagefs_path.clone(),
            began_nanos: wall_nanos(),
            records,
        }
    }

    /// Does one job. What cannot be listed in full is not touched at all.
    ///
    /// # Errors
    /// Where nothing could be begun: which call failed, and how.
    pub(crate) fn collect(
        &mut self,
        runtime: &mut dyn ContainerRuntime,
        job: &CollectJob,
        progress: Progress<'_>,
    ) -> Result<RuntimeCollected, String> {
        let collected = match &job.what {
            Collect::Containers {
                all_unused,
                evicted,
            } => self.collect_containers(runtime, *all_unused, evicted, job.dry_run, progress),
            Collect::ImagesByUsage => self.collect_images(runtime, None, job.dry_run, progress),
            Collect::UnusedImages { until } => {
                self.collect_images(runtime, Some(*until), job.dry_run, progress)
            }
        };
        collected.map_err(|error| error.to_string())
    }

    fn with_records<T>(&self, with: impl FnOnce(&mut ImageRecords) -> T) -> T {
        with(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn wall_nanos() -> i64 {
    let seconds = i64::try_from(wall_seconds()).unwrap_or(i64::MAX);
    seconds.saturating_mul(1_000_000_000)
}
