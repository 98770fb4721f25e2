use core::result::Result as CoreResult;

use evictd_kerntext::{Limit, Meminfo};
use evictd_node::{MemorySource, Mono, Reading};

use crate::error::Cause;

/// What a cgroup and all below it use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// v1: `memory.usage_in_bytes`; v2: `memory.current`, and for the root,
    /// which has none, `anon` plus `file`.
    pub usage_bytes: u64,
    /// Page cache on the inactive list: v1 `total_inactive_file`, v2
    /// `inactive_file`. 0 where the kernel does not tell, as in cAdvisor.
    pub inactive_file_bytes: u64,
    /// Anonymous memory: v1 `total_rss`, v2 `anon`.
    pub anon_bytes: Option<u64>,
    /// Page cache with tmpfs: v1 `total_cache`, v2 `file`.
    pub file_bytes: Option<u64>,
    /// Pages that were taken from it and read back, since it began: `workingset_refault*` of
    /// its `memory.stat`; `None` where the kernel does not count them.
    pub refaulted_pages: Option<u64>,
}

impl MemoryUsage {
    /// Usage minus inactive page cache, at least 0: what the kubelet counts as
    /// used.
    #[must_use]
    pub const fn working_set_bytes(&self) -> u64 {
        self.usage_bytes.saturating_sub(self.inactive_file_bytes)
    }
}

/// `SwapTotal` of `meminfo` below `proc`, in bytes.
#[must_use]
pub fn read_swap_total(proc: &std::path::Path) -> Option<u64> {
    let text = crate::file::read_file(&proc.join("meminfo")).ok()?;
    evictd_kerntext::parse_meminfo(&text).ok()?.swap_total_bytes
}

/// The node's memory, all in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeMemory {
    /// When it was read.
    pub sampled: Mono,
    /// `MemTotal`, read anew each time.
    pub total_bytes: u64,
    /// `SwapTotal`.
    pub swap_total_bytes: Option<u64>,
    /// `SwapFree`.
    pub swap_free_bytes: Option<u64>,
    /// `MemAvailable`: what can be had before the kernel reaches into what it keeps for
    /// itself. `None` before Linux 3.14.
    pub mem_available_bytes: Option<u64>,
    /// The root cgroup's numbers; `None` without a memory controller.
    pub cgroup: Option<MemoryUsage>,
    /// The working set that goes with `available_bytes`.
    pub working_set_bytes: u64,
    /// What is left, by the source that was chosen.
    pub available_bytes: u64,
    /// What neither is free nor shows as anonymous memory or page cache: slab,
    /// page tables, huge pages, zram, drivers. The kubelet's formula does not
    /// see it.
    pub unaccounted_bytes: Option<u64>,
}

/// The memory of the cgroup that holds all pods, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PodsMemory {
    /// When it was read.
    pub sampled: Mono,
    /// What the pods use; only read where there is a limit.
    pub usage: Option<MemoryUsage>,
    /// The cgroup's limit: v1 `memory.limit_in_bytes`, v2 `memory.max`; or the machine's memory
    /// without [`kept_from_pods`](crate::NodeSettings::kept_from_pods), where that is less.
    pub limit: Limit,
}

impl PodsMemory {
    /// What is left below the limit; `None` without one.
    #[must_use]
    pub fn available_bytes(&self) -> Option<u64> {
        let limit = self.limit.value()?;
        Some(limit.saturating_sub(self.usage?.working_set_bytes()))
    }

    pub(crate) fn reading(&self) -> Option<Reading> {
        let available = self.available_bytes()?;
        Some(reading(
            available,
            self.usage?.working_set_bytes(),
            self.sampled,
        ))
    }
}

impl NodeMemory {
    pub(crate) fn reading(&self) -> Reading {
        reading(self.available_bytes, self.working_set_bytes, self.sampled)
    }

    /// Whether less is left above what the kernel keeps for itself (`vm.min_free_kbytes`)
    /// than that is, memory and swap together: then its OOM killer is near. Once what it
    /// keeps is all there is, whoever asks for memory has to find some itself, and where
    /// there is none to find the kernel kills. False where the kernel does not say what is
    /// left.
    #[must_use]
    pub fn is_near_oom(&self, reserve_bytes: u64) -> bool {
        let swap = self.swap_free_bytes.unwrap_or(0);
        self.mem_available_bytes
            .is_some_and(|left| left.saturating_add(swap) < reserve_bytes)
    }

    /// Whether less than a tenth of memory is left. False where the kernel does not say.
    pub(crate) fn is_low(&self) -> bool {
        let left = self.mem_available_bytes;
        left.is_some_and(|left| left < self.total_bytes / 10)
    }

    /// `None` where there is no swap, and where the kernel counts more free than there is.
    pub(crate) fn swap_reading(&self) -> Option<Reading> {
        let (free, total) = (self.swap_free_bytes?, self.swap_total_bytes?);
        (total > 0 && free <= total).then(|| Reading {
            available: signed(free),
            capacity: signed(total),
            sampled: Some(self.sampled),
        })
    }
}

/// The kubelet's capacity of a memory signal is what is available plus the
/// working set, not the machine's size.
fn reading(available: u64, working_set: u64, sampled: Mono) -> Reading {
    Reading {
        available: signed(available),
        capacity: signed(available.saturating_add(working_set)),
        sampled: Some(sampled),
    }
}

pub(crate) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Applies the formula to what was read. `cgroup` is `None` without a memory
/// controller; pools of huge pages are not available where `hugepage_aware`.
pub(crate) fn node_memory(
    info: &Meminfo,
    cgroup: Option<MemoryUsage>,
    source: MemorySource,
    hugepage_aware: bool,
    now: Mono,
) -> CoreResult<NodeMemory, Cause> {
    let total = info.mem_total_bytes.ok_or(Cause::Key("MemTotal"))?;
    refuse_impossible(total, info, cgroup.as_ref())?;
    let (available_bytes, working_set_bytes) =
        view(total, info, cgroup.as_ref(), source, hugepage_aware)?;
    Ok(NodeMemory {
        sampled: now,
        total_bytes: total,
        swap_total_bytes: info.swap_total_bytes,
        swap_free_bytes: info.swap_free_bytes,
        mem_available_bytes: info.mem_available_bytes,
        cgroup,
        working_set_bytes,
        available_bytes,
        unaccounted_bytes: unaccounted(total, info, cgroup.as_ref()),
    })
}

/// Counters that underflowed are near 2^64. The line is drawn at twice the
/// machine's memory and not at once: numbers that are read one after the other
/// may add up to a little more than there is, most of all when memory is short.
fn refuse_impossible(
    total: u64,
    info: &Meminfo,
    cgroup: Option<&MemoryUsage>,
) -> CoreResult<(), Cause> {
    for (name, value) in [
        ("MemFree", info.mem_free_bytes),
        ("MemAvailable", info.mem_available_bytes),
        ("Hugetlb", info.huge_page_pool_bytes()),
        ("memory usage", cgroup.map(|found| found.usage_bytes)),
        (
            "inactive_file",
            cgroup.map(|found| found.inactive_file_bytes),
        ),
    ] {
        if value.is_some_and(|value| value / 2 > total) {
            return Err(Cause::Impossible(name));
        }
    }
    if total == 0 {
        return Err(Cause::Impossible("MemTotal"));
    }
    Ok(())
}

/// What is available and the working set, as the source that was chosen sees them.
fn view(
    total: u64,
    info: &Meminfo,
    cgroup: Option<&MemoryUsage>,
    source: MemorySource,
    hugepage_aware: bool,
) -> CoreResult<(u64, u64), Cause> {
    let by_meminfo = info
        .mem_available_bytes
        .map(|available| (available.min(total), total.saturating_sub(available)));
    let by_cgroup = cgroup.map(|usage| {
        let pool = info.huge_page_pool_bytes().unwrap_or(0);
        let aside = if hugepage_aware { pool } else { 0 };
        let working_set = usage.working_set_bytes();
        let available = total.saturating_sub(aside).saturating_sub(working_set);
        (available, working_set)
    });
    let chosen = match source {
        MemorySource::Kubelet => by_cgroup.or(by_meminfo),
        MemorySource::Meminfo => by_meminfo,
        MemorySource::Min => [by_cgroup, by_meminfo]
            .into_iter()
            .flatten()
            .min_by_key(|(available, _)| *available),
    };
    chosen.ok_or(Cause::Key("MemAvailable"))
}

fn unaccounted(total: u64, info: &Meminfo, cgroup: Option<&MemoryUsage>) -> Option<u64> {
    let anon = cgroup.and_then(|found| found.anon_bytes);
    let file = cgroup.and_then(|found| found.file_bytes);
    Some(
        total
            .saturating_sub(info.mem_free_bytes?)
            .saturating_sub(anon.or(info.anon_bytes)?)
            .saturating_sub(file.or(info.cached_bytes)?),
    )
}
