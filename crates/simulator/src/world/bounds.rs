//! How far worlds go where real machines were seen to: what the dice use, and what recordings of
//! real machines are compared with.

use core::time::Duration;

/// A share of a whole, in parts of 10,000.
pub(crate) type Share = u64;

/// How far worlds go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// So much of a machine's memory, a disk or its inodes others take or give back at once,
    pub(crate) others_move: Share,
    /// and of its process ids;
    pub(crate) others_fork: Share,
    /// a full filesystem says that it has so many fewer inodes than an empty one.
    pub(crate) inodes_resized: Share,
    /// So much a pod takes at once,
    pub(crate) pod_takes: Share,
    /// and gives back by itself of what it holds.
    pub(crate) pod_gives: Share,
    /// What is available and what pods hold differ by so much of memory at most, as they are
    /// read at two moments.
    pub(crate) disagree: Share,
    /// That long after a pod is gone the last of its memory comes back.
    pub(crate) freed_after: Duration,
    /// That late the loop wakes, and that long a list takes.
    pub(crate) late: Duration,
    /// A filesystem does not answer for so long.
    pub(crate) unanswered: Duration,
}

impl Bounds {
    /// Of the worlds that seeds make.
    pub(crate) const WORLDS: Self = Self {
        others_move: 5000,
        others_fork: 1000,
        inodes_resized: 4500,
        pod_takes: 5000,
        pod_gives: 10_000,
        disagree: 1500,
        freed_after: Duration::from_secs(2),
        late: Duration::from_secs(7),
        unanswered: Duration::from_secs(20),
    };
}

/// That share of it.
pub(crate) const fn of(share: Share, whole: u64) -> u64 {
    whole / 10_000 * share + whole % 10_000 * share / 10_000
}
