use crate::known::{Bad, Known};
use crate::scan::{Lines, Piece, key_and_value};

/// What eviction reads of a `memory.stat`, v1 and v2.
///
/// All in bytes, but for pages that were read back. v1 has two numbers for
/// each key: the cgroup's own, and with `total_` in front the one of the whole
/// subtree; v2 has only the latter, without the word in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStat {
    /// `anon` (v2): anonymous memory, without shared memory.
    pub anon_bytes: Option<u64>,
    /// `file` (v2): page cache, with tmpfs and shared memory.
    pub file_bytes: Option<u64>,
    /// `inactive_file`: page cache on the inactive list. Only the cgroup's own
    /// on v1.
    pub inactive_file_bytes: Option<u64>,
    /// `total_rss` (v1): anonymous memory of the subtree.
    pub total_rss_bytes: Option<u64>,
    /// `total_cache` (v1): page cache of the subtree, tmpfs included.
    pub total_cache_bytes: Option<u64>,
    /// `total_inactive_file` (v1): page cache on the inactive list, of the
    /// subtree.
    pub total_inactive_file_bytes: Option<u64>,
    /// `workingset_refault_anon` and `workingset_refault_file`, before Linux 5.9 one number
    /// (v2): pages that were taken from it and read back, since it began.
    pub refaulted_pages: Option<u64>,
    /// Pages of the subtree that were taken and read back, since it began (v1).
    pub total_refaulted_pages: Option<u64>,
    pub(crate) bad: Bad,
}

/// The fields of [`MemoryStat`], in its order; pages that were read back are counted by
/// kind, or before Linux 5.9 all in one.
const KEYS: [&str; 12] = [
    "anon",
    "file",
    "inactive_file",
    "total_rss",
    "total_cache",
    "total_inactive_file",
    "workingset_refault",
    "workingset_refault_anon",
    "workingset_refault_file",
    "total_workingset_refault",
    "total_workingset_refault_anon",
    "total_workingset_refault_file",
];

impl MemoryStat {
    /// The keys of fields that are in the file with a value that is not a 64-bit number.
    /// The fields are `None`.
    pub fn bad_fields(&self) -> impl Iterator<Item = &'static str> {
        self.bad.keys(&KEYS)
    }
}

/// The sum of the kinds that are there; unknown where one of them makes no sense.
fn sum(kinds: [Option<u64>; 3], is_bad: bool) -> Option<u64> {
    let sum = kinds.into_iter().flatten().reduce(u64::saturating_add);
    sum.filter(|_| !is_bad)
}

/// A cgroup's `memory.stat`.
///
/// A field that makes no sense costs itself: it is `None`, and one of
/// [`MemoryStat::bad_fields`]. Of a field that comes twice the first line counts.
#[must_use]
pub fn parse_memory_stat(text: &[u8]) -> MemoryStat {
    let lines = Lines::new(text).map(key_and_value);
    let Known { values, bad } = Known::read(&KEYS, lines, Piece::number);
    let [anon_bytes, file_bytes, inactive_file_bytes, ref rest @ ..] = values;
    let [
        total_rss_bytes,
        total_cache_bytes,
        total_inactive_file_bytes,
        ref refaults @ ..,
    ] = *rest;
    let [all, of_anon, of_file, total, total_anon, total_file] = *refaults;
    MemoryStat {
        anon_bytes,
        file_bytes,
        inactive_file_bytes,
        total_rss_bytes,
        total_cache_bytes,
        total_inactive_file_bytes,
        refaulted_pages: sum([all, of_anon, of_file], bad.has_any(6..9)),
        total_refaulted_pages: sum([total, total_anon, total_file], bad.has_any(9..12)),
        bad,
    }
}
