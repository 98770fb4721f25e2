use std::fs::metadata;
use std::os::unix::fs::MetadataExt;

use evictd_containers::Error;
use evictd_engine::ports::Relief;
use evictd_node::{ReliefStep, Unit};
use evictd_stats::now;

use super::{Run, is_no_answer};
use crate::device::is_on;

/// The name of the builder's cache in the list of what gave no answer; nothing else has it.
const UNANSWERED: &str = "/build/prune";

impl Run<'_> {
    /// Prunes what lies on the filesystem that is short.
    pub(super) fn prune_build_cache(&mut self, relief: &Relief) -> Result<(), Error> {
        if relief.rung != ReliefStep::BuildCache || !self.lies_on(relief) {
            return Ok(());
        }
        // Each time, an eviction would wait for it for two minutes.
        if self.unanswered.rests(UNANSWERED, now()) {
            return Ok(());
        }
        let freed = if self.collected.dry_run {
            self.runtime.prunable_build_cache()?
        } else {
            // A builder counts bytes alone.
            let missing = relief.missing.filter(|_| relief.unit == Unit::Bytes);
            let pruned = self.runtime.prune_build_cache(missing);
            if pruned.as_ref().is_err_and(is_no_answer) {
                self.unanswered.add(String::from(UNANSWERED), now());
            }
            pruned?
        };
        self.collected.build_cache_bytes = freed.filter(|bytes| *bytes > 0);
        Ok(())
    }

    /// Whether the runtime keeps its layers there, as those of builds lie among those of
    /// images. One that does not say where is left alone.
    fn lies_on(&mut self, relief: &Relief) -> bool {
        let disks = self.runtime.disks().unwrap_or_default();
        let found = disks
            .images
            .or(disks.root)
            .and_then(|dir| metadata(dir).ok());
        found.is_some_and(|found| is_on(relief, found.dev()))
    }
}
