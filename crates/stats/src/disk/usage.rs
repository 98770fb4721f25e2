use core::fmt;
use core::time::Duration;

use evictd_node::Mono;

/// What a directory tree holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeUsage {
    /// Bytes on disk: blocks, not lengths, so that holes cost nothing. The
    /// tree's own directory is part of it.
    pub used_bytes: u64,
    /// Inodes, the tree's own directory included.
    pub inodes_used: u64,
    /// When the measurement began: what was written before is in it.
    pub sampled: Mono,
    /// All of the tree was counted. Otherwise the numbers are a lower bound:
    /// the first walk is still under way, or a part could not be read.
    pub complete: bool,
    /// Told by the filesystem's project quota, not walked.
    pub by_quota: bool,
    /// The number of the device that it lies on; 0 where that is not known.
    pub device: u64,
}

/// How far a cycle over all trees has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Trees measured in this cycle.
    pub trees_done: usize,
    /// Trees asked for.
    pub trees: usize,
    /// Files and directories looked at in this cycle.
    pub entries: u64,
}

impl Progress {
    /// Whether a cycle is under way, so that there is something to show.
    #[must_use]
    pub const fn is_under_way(&self) -> bool {
        self.trees_done < self.trees
    }
}

/// One line for people: `disk usage: 3 of 12 trees measured, 45210 entries`.
impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            trees_done,
            trees,
            entries,
        } = self;
        write!(
            f,
            "disk usage: {trees_done} of {trees} trees measured, {entries} entries"
        )
    }
}

/// How hard a [`DiskScanner`](crate::DiskScanner) works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pace {
    /// The shortest pause between two cycles.
    pub pause: Duration,
    /// A pause also lasts so many times as long as the cycle before it worked.
    pub pause_for_work: u32,
    /// Within a cycle, after that much work it rests as long as it worked.
    pub slice: Duration,
}

impl Pace {
    /// What is used when nobody hurries: at most a tenth of the time, and half
    /// of it within a cycle. The kubelet measures once a minute without a pause
    /// in between (v1.32: `volumeStatsAggPeriod`).
    pub const GENTLE: Self = Self {
        pause: Duration::from_secs(10),
        pause_for_work: 9,
        slice: Duration::from_millis(5),
    };

    /// What is used when a decision waits for the numbers.
    pub const HURRIED: Self = Self {
        pause: Duration::from_secs(1),
        pause_for_work: 1,
        slice: Duration::MAX,
    };
}
