use core::fmt;
use core::time::Duration;

use evictd_node::Mono;

use super::mounted::MountedOn;

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
    /// Where something lies that is mounted into containers; `None` where it counts for
    /// nobody, and for all other trees.
    pub mounted_on: Option<MountedOn>,
}

impl TreeUsage {
    /// Of something that counts for nobody.
    pub(crate) fn nobodys(sampled: Mono) -> Self {
        Self {
            sampled,
            complete: true,
            ..Self::default()
        }
    }
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

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            trees_done: self.trees_done.saturating_add(other.trees_done),
            trees: self.trees.saturating_add(other.trees),
            entries: self.entries.saturating_add(other.entries),
        }
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
    /// What is used when nobody waits for the numbers: at most a tenth of the time, and half
    /// of it within a cycle. The kubelet measures once a minute without a pause
    /// in between (v1.32: `volumeStatsAggPeriod`).
    pub const GENTLE: Self = Self {
        pause: Duration::from_secs(10),
        pause_for_work: 9,
        slice: Duration::from_millis(5),
    };

    /// What is used for what is mounted into containers, which may be all of somebody's
    /// files: at most a hundredth of the time. Whoever decides by it has it measured anew.
    pub const SELDOM: Self = Self {
        pause: Duration::from_secs(600),
        pause_for_work: 99,
        slice: Duration::from_millis(5),
    };
}
