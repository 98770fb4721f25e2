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
    /// `shmem`: tmpfs and shared memory. Only the cgroup's own on v1.
    pub shmem_bytes: Option<u64>,
    /// `inactive_file`: page cache on the inactive list. Only the cgroup's own
    /// on v1.
    pub inactive_file_bytes: Option<u64>,
    /// `slab` (v2, since 4.18): memory of kernel objects.
    pub slab_bytes: Option<u64>,
    /// `slab_reclaimable` (v2): the part that the kernel can free.
    pub slab_reclaimable_bytes: Option<u64>,
    /// `total_rss` (v1): anonymous memory of the subtree.
    pub total_rss_bytes: Option<u64>,
    /// `total_cache` (v1): page cache of the subtree, tmpfs included.
    pub total_cache_bytes: Option<u64>,
    /// `total_inactive_file` (v1): page cache on the inactive list, of the
    /// subtree.
    pub total_inactive_file_bytes: Option<u64>,
    /// `hierarchical_memory_limit` (v1): the smallest limit from here up.
    pub hierarchical_memory_limit_bytes: Option<u64>,
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
            b"shmem" => &mut stat.shmem_bytes,
            b"inactive_file" => &mut stat.inactive_file_bytes,
            b"slab" => &mut stat.slab_bytes,
            b"slab_reclaimable" => &mut stat.slab_reclaimable_bytes,
            b"total_rss" => &mut stat.total_rss_bytes,
            b"total_cache" => &mut stat.total_cache_bytes,
            b"total_inactive_file" => &mut stat.total_inactive_file_bytes,
            b"hierarchical_memory_limit" => &mut stat.hierarchical_memory_limit_bytes,
            _ => continue,
        };
        *place = Some(entry.number()?);
    }
    Ok(stat)
}

/// How often each thing has happened in a cgroup's subtree: `memory.events`
/// (v2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryEvents {
    /// `low`: reclaimed although below `memory.low`.
    pub low: Option<u64>,
    /// `high`: throttled above `memory.high`.
    pub high: Option<u64>,
    /// `max`: about to go above `memory.max`.
    pub max: Option<u64>,
    /// `oom`: at the limit and an allocation was about to fail.
    pub oom: Option<u64>,
    /// `oom_kill` (since 4.13): processes killed by the OOM killer.
    pub oom_kill: Option<u64>,
    /// `oom_group_kill` (since 5.17): times the whole cgroup was killed.
    pub oom_group_kill: Option<u64>,
}

/// A cgroup's `memory.events` or `memory.events.local` (v2).
///
/// # Errors
/// When a key of [`MemoryEvents`] has a value that is not a 64-bit number.
pub fn parse_memory_events(text: &[u8]) -> Result<MemoryEvents, ParseError> {
    let mut events = MemoryEvents::default();
    for entry in flat_keyed(text) {
        let place = match entry.key() {
            b"low" => &mut events.low,
            b"high" => &mut events.high,
            b"max" => &mut events.max,
            b"oom" => &mut events.oom,
            b"oom_kill" => &mut events.oom_kill,
            b"oom_group_kill" => &mut events.oom_group_kill,
            _ => continue,
        };
        *place = Some(entry.number()?);
    }
    Ok(events)
}

/// What `cgroup.events` (v2) says of a cgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CgroupEvents {
    /// `populated`: whether a live process is in it or below it.
    pub populated: Option<bool>,
    /// `frozen` (since 5.2): whether it is frozen.
    pub frozen: Option<bool>,
}

/// A cgroup's `cgroup.events` (v2).
///
/// # Errors
/// When a key of [`CgroupEvents`] has a value other than 0 and 1.
pub fn parse_cgroup_events(text: &[u8]) -> Result<CgroupEvents, ParseError> {
    let mut events = CgroupEvents::default();
    for entry in flat_keyed(text) {
        let place = match entry.key() {
            b"populated" => &mut events.populated,
            b"frozen" => &mut events.frozen,
            _ => continue,
        };
        *place = Some(entry.switch()?);
    }
    Ok(events)
}
