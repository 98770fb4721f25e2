//! Settings of cgroups that hold for a while: where they are, and where they are written down
//! until they are put back.

use alloc::sync::Arc;
use std::path::Path;

use evictd_cgroup::{KnobJournal, KnobPlaces};
use evictd_stats::{Hierarchies, PROC, read_cpu_shares};
use evictd_sys::Directory;

/// Where what is set for a while is written down: a file of that name, and a spare one.
#[must_use]
pub fn journal(
    directory: &Arc<Directory>,
    boot_id: &str,
    [name, spare]: [&'static str; 2],
) -> KnobJournal {
    KnobJournal {
        directory: Arc::clone(directory),
        name,
        spare,
        boot_id: boot_id.to_owned(),
    }
}

/// The hierarchies in which something is set for a while.
#[must_use]
pub fn places(hierarchies: &Hierarchies) -> KnobPlaces {
    KnobPlaces {
        memory: hierarchies.memory.clone(),
        cpu: read_cpu_shares(Path::new(PROC)),
    }
}
