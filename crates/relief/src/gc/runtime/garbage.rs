use evictd_gc::FsUsage;

use super::Run;

impl Run<'_> {
    /// Has the runtime delete what nothing refers to (snapshots and content of former images
    /// and containers), which it may have kept; `measure` is its disk.
    pub(super) fn collect_garbage(&mut self, measure: &dyn Fn() -> Option<FsUsage>) {
        if self.collected.dry_run || self.is_lost {
            return;
        }
        let available = || measure().map(|usage| usage.available_bytes);
        let before = available();
        match self.runtime.collect_garbage() {
            Ok(true) => {
                let freed = available().zip(before);
                let freed = freed.map(|(after, before)| after.saturating_sub(before));
                self.collected.garbage_bytes = freed.filter(|bytes| *bytes > 0);
            }
            Ok(false) => {}
            Err(error) => self.fail(&error),
        }
    }
}
