use crate::{ParseError, flat_keyed};

/// What eviction reads of a `memory.stat`, v1 and v2.
///
/// All in bytes. v1 has two numbers for each key: the cgroup's own, and with
/// `total_` in front the one of the whole subtree; v2 has only the latter,
/// without the word in front.
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
}

/// A cgroup's `memory.stat`.
///
/// # Errors
/// When a key of [`MemoryStat`] has a value that is not a 64-bit number.
pub fn parse_memory_stat(text: &[u8]) -> Result<MemoryStat, ParseError> {
    let mut stat = MemoryStat::default();
    for entry in flat_keyed(text) {
        let place = match entry.key() {
            b"anon" => &mut stat.anon_bytes,
            b"file" => &mut stat.file_bytes,
            b"inactive_file" => &mut stat.inactive_file_bytes,
            b"total_rss" => &mut stat.total_rss_bytes,
            b"total_cache" => &mut stat.total_cache_bytes,
            b"total_inactive_file" => &mut stat.total_inactive_file_bytes,
            _ => continue,
        };
        *place = Some(entry.number()?);
    }
    Ok(stat)
}
