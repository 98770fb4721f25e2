use alloc::collections::BinaryHeap;
use core::time::Duration;

use evictd_node::Unit;

use crate::nanos;

/// How many files a plan can choose: of more, the oldest. Another plan chooses the next.
pub const MOST_FILES: usize = 16 << 10;

/// A regular file of a directory whose old files may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldFile {
    /// When it was last written to, in nanoseconds since 1970.
    pub modified_nanos: i64,
    /// When it last changed in any way (`st_ctime`). A file that was copied here keeps the
    /// time of its original, and is as young as this all the same.
    pub changed_nanos: i64,
    /// What it takes on the disk.
    pub bytes: u64,
    /// How many names it has. The disk gets back only what has no other.
    pub links: u64,
}

/// What is wanted of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldFilesRun {
    /// How much of the directory stays, in bytes.
    pub keep_bytes: u64,
    /// How long a file must have been left alone.
    pub older_than: Duration,
    /// Wall time, in nanoseconds since 1970.
    pub now_nanos: i64,
    /// How much the disk is short of.
    pub missing: u64,
    /// Of what: bytes or inodes.
    pub unit: Unit,
}

impl OldFilesRun {
    /// What the disk gets back with a file: nothing of one that has to stay.
    #[must_use]
    pub fn gives(&self, file: &OldFile) -> u64 {
        let newest = file.modified_nanos.max(file.changed_nanos);
        let age = self.now_nanos.saturating_sub(newest);
        // A time that lies ahead is that of a clock which was wrong: nothing is known then.
        if file.links != 1 || age < nanos(self.older_than) || age < 0 {
            return 0;
        }
        match self.unit {
            Unit::Bytes => file.bytes,
            Unit::Inodes => 1,
            Unit::ProcessIds | Unit::Percent => 0,
        }
    }
}

/// Chooses the oldest files of a directory while they are listed, in bounded memory.
///
/// ```
/// use core::time::Duration;
/// use evictd_gc::{OldFile, OldFiles, OldFilesRun};
/// use evictd_node::Unit;
///
/// let file = |modified_nanos, bytes| OldFile {
///     modified_nanos,
///     changed_nanos: modified_nanos,
///     bytes,
///     links: 1,
/// };
/// let run = OldFilesRun {
///     keep_bytes: 100,
///     older_than: Duration::ZERO,
///     now_nanos: 50,
///     missing: 90,
///     unit: Unit::Bytes,
/// };
/// let all = [file(3, 80), file(1, 60), file(2, 60)];
/// let mut files = OldFiles::new(run);
/// all.iter().for_each(|file| files.see(file));
/// let mut plan = files.plan();
/// // The two oldest would be enough, but only 80 bytes would stay.
/// assert_eq!(all.map(|file| plan.takes(&file)), [false, true, false]);
/// ```
#[derive(Debug)]
pub struct OldFiles {
    run: OldFilesRun,
    /// The oldest that may be deleted: when each was written to, and its bytes. The newest
    /// of them is on top.
    oldest: BinaryHeap<(i64, u64)>,
    /// What all files take, those that have to stay too.
    bytes: u64,
    /// Whether more may be deleted than are kept in mind.
    has_more: bool,
}

/// Which files of a directory are deleted, as times: no name is kept in mind, and what is
/// there when it comes to it is judged anew.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OldFilesPlan {
    run: OldFilesRun,
    /// The last of them: when it was written to, and its bytes.
    last: (i64, u64),
    /// How many of them are alike in both.
    like_last: usize,
    /// How many files that are.
    pub files: usize,
    /// What they take on the disk.
    pub bytes: u64,
    /// When the oldest of them was written to.
    pub oldest_nanos: Option<i64>,
    /// Whether another plan may choose more.
    pub has_more: bool,
}

impl OldFiles {
    /// No file was seen yet.
    #[must_use]
    pub const fn new(run: OldFilesRun) -> Self {
        Self {
            run,
            oldest: BinaryHeap::new(),
            bytes: 0,
            has_more: false,
        }
    }

    /// Takes in a file.
    pub fn see(&mut self, file: &OldFile) {
        self.bytes = self.bytes.saturating_add(file.bytes);
        if self.run.gives(file) == 0 {
            return;
        }
        self.oldest.push((file.modified_nanos, file.bytes));
        if self.oldest.len() > MOST_FILES {
            self.oldest.pop();
            self.has_more = true;
        }
    }

    /// The oldest first, until what is missing is there; and none from the first on with
    /// which less than is kept would stay.
    #[must_use]
    pub fn plan(self) -> OldFilesPlan {
        let Self { run, bytes, .. } = self;
        let mut plan = OldFilesPlan {
            run,
            last: (i64::MIN, 0),
            like_last: 0,
            files: 0,
            bytes: 0,
            oldest_nanos: None,
            has_more: false,
        };
        let mut given = 0_u64;
        for file in self.oldest.into_sorted_vec() {
            let (modified_nanos, file_bytes) = file;
            let gone = plan.bytes.saturating_add(file_bytes);
            if given >= run.missing || bytes.saturating_sub(gone) < run.keep_bytes {
                return plan;
            }
            given = given.saturating_add(match run.unit {
                Unit::Bytes => file_bytes,
                Unit::Inodes | Unit::ProcessIds | Unit::Percent => 1,
            });
            if file > plan.last {
                (plan.last, plan.like_last) = (file, 0);
            }
            plan.like_last = plan.like_last.saturating_add(1);
            plan.files = plan.files.saturating_add(1);
            plan.bytes = gone;
            plan.oldest_nanos = plan.oldest_nanos.or(Some(modified_nanos));
        }
        plan.has_more = self.has_more && given < run.missing;
        plan
    }
}

impl OldFilesPlan {
    /// Whether a file is one of them. To be asked once of each, in any order: of those that
    /// are like the last in all that counts, only so many are.
    #[must_use]
    pub fn takes(&mut self, file: &OldFile) -> bool {
        let turn = (file.modified_nanos, file.bytes);
        if self.run.gives(file) == 0 || turn > self.last {
            return false;
        }
        if turn < self.last {
            return true;
        }
        let left = self.like_last.checked_sub(1);
        self.like_last = left.unwrap_or(0);
        left.is_some()
    }
}
