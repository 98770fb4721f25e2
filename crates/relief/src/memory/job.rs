//! What the loop hands to the helper, and what comes back.

use evictd_cgroup::FoundPod;
use evictd_engine::ports::Collected;
use evictd_evict::memory_relief::Said;

/// What there is to tell.
pub enum Told {
    /// What was done, or what was set is over.
    Relieved(Collected),
    /// What cannot be done, once.
    Problem(String),
}

/// How short memory is, and of whom something may be asked.
#[derive(Default)]
pub(super) struct Job {
    pub(super) said: Said,
    pub(super) dry_run: bool,
    /// `None`: those of before.
    pub(super) pods: Option<Vec<FoundPod>>,
}
