//! What is given up of a disk before a pod is evicted for it.

use core::time::Duration;
use std::path::PathBuf;

use crate::Compat;
use crate::book::Book;
use crate::values::Parsed;

/// What may be given back of a disk that is short, beyond dead containers and images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relief {
    /// Whether build caches are pruned (`--build-cache-relief`).
    pub build_cache: bool,
    /// How much is kept of each log of a container that runs, in bytes (`--log-relief`);
    /// `None` leaves logs alone.
    pub log_keep_bytes: Option<u64>,
    /// Directories whose old files may be deleted (`--relief-dir`).
    pub directories: Vec<ReliefDir>,
    /// The size of the file that is kept for when the disk is full (`--reserve-file`).
    pub reserve_bytes: Option<u64>,
}

/// A directory whose old files may be deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReliefDir {
    /// The directory.
    pub path: PathBuf,
    /// How much of it stays, in bytes.
    pub keep_bytes: u64,
    /// How long ago a file must have been written to.
    pub older_than: Duration,
}

impl Relief {
    /// Whether none of it is wanted.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        !self.build_cache
            && self.log_keep_bytes.is_none()
            && self.directories.is_empty()
            && self.reserve_bytes.is_none()
    }
}

pub(crate) fn relief(compat: Compat, book: &mut Book<'_>) -> Parsed<Relief> {
    let _ = (compat, book);
    Ok(Relief::default())
}
