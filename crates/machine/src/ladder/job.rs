//! What the loop hands to the helper, and what comes back.

use alloc::sync::Arc;
use std::path::Path;

use evictd_cgroup::FoundPod;
use evictd_containers::PressureSignal;
use evictd_engine::ports::Collected;
use evictd_evict::ladder::Said;

/// What there is to tell.
pub enum Told {
    /// A rung that was climbed, or what was set is over.
    Climbed(Collected),
    /// What cannot be done, once.
    Problem(String),
}

/// How short memory is, and of whom something may be asked.
#[derive(Default)]
pub(super) struct Job {
    pub(super) said: Said,
    pub(super) dry_run: bool,
    /// `None`: those of before.
    pub(super) pods: Option<Vec<Asked>>,
}

/// A pod of which something may be asked.
pub(super) struct Asked {
    pub(super) found: FoundPod,
    pub(super) is_freezable: bool,
    /// The cgroups of containers that ask for a signal, with their names.
    pub(super) tells: Vec<(Arc<Path>, PressureSignal, String)>,
}
