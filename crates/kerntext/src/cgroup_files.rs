use crate::{ParseError, flat_keyed};

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
    /// The same of the subtree (v1).
    pub total_refaulted_pages: Option<u64>,
}

/// Of either kind, or both in one.
fn is_refault(key: &[u8]) -> bool {
    matches!(
        key,
        b"workingset_refault" | b"workingset_refault_anon" | b"workingset_refault_file"
    )
}

fn add(sum: &mut Option<u64>, more: u64) {
    *sum = Some(sum.unwrap_or(0).saturating_add(more));
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
            key if is_refault(key) => {
                add(&mut stat.refaulted_pages, entry.number()?);
                continue;
            }
            key if key.strip_prefix(b"total_").is_some_and(is_refault) => {
                add(&mut stat.total_refaulted_pages, entry.number()?);
                continue;
            }
            _ => continue,
        };
        *place = Some(entry.number()?);
    }
    Ok(stat)
}
