//! What pods hold on disk is known before one of them goes for it.

use core::time::Duration;

use evictd_node::{Mono, Resource};
use evictd_stats::DiskScanner;

use super::Engine;

/// Numbers that old may choose a pod; older ones are measured anew first.
const FRESH: Duration = Duration::from_secs(10);

/// How long they may take. Then what is known decides: a pod that has not been
/// measured counts as holding nothing.
const PATIENCE: Duration = Duration::from_secs(10);

/// How soon to look whether they are there. Memory has its own looks meanwhile.
const AGAIN: Duration = Duration::from_millis(50);

impl Engine {
    /// Begins to measure what pods hold on disk, where that is wanted. Not done by
    /// [`Engine::open`]: the first decision would wait for the thread.
    ///
    /// # Errors
    /// When the kernel gives no thread.
    pub(crate) fn measure_disk(&mut self) -> Result<(), String> {
        if let Some(dirs) = self.dirs.take() {
            let scanner = DiskScanner::start().map_err(|error| error.to_string())?;
            self.pods.measure_disk(scanner, dirs);
        }
        Ok(())
    }

    /// Whether a pod would be chosen for disk now by numbers that are not there yet,
    /// or old: then they are measured without rests, and the next round, which comes
    /// soon, chooses.
    pub(super) fn must_measure_disk(&mut self, now: Mono) -> bool {
        let acting = self.evict.acting_on();
        let resource = acting.map(|threshold| threshold.signal.resource());
        if !matches!(
            resource,
            Some(Resource::EphemeralStorage | Resource::Inodes)
        ) {
            return false;
        }
        if self.dirs.is_some() {
            // So early that it has not begun.
            self.next_tick = self.next_tick.min(now + AGAIN);
            return true;
        }
        if self.disk_asked.is_none() {
            self.pods.freshen(true);
        }
        let asked = *self.disk_asked.get_or_insert(now);
        let since = Mono::from_nanos(asked.as_nanos().saturating_sub(as_nanos(FRESH)));
        if now.since(asked) >= PATIENCE || self.pods.has_measured_disk(since) {
            self.disk_asked = None;
            return false;
        }
        self.next_tick = self.next_tick.min(now + AGAIN);
        true
    }
}

fn as_nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
