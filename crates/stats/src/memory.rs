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
    /// `inactive_file`. 0 where the file has no such line, as in cAdvisor; one that makes no
    /// sense is an error.
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
    evictd_kerntext::parse_meminfo(&text).swap_total_bytes
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
    /// The source that was chosen could be read. Else it is another one's.
    pub(crate) is_as_chosen: bool,
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

/// More memory or swap than any machine has.
const MOST_BYTES: u64 = 1 << 53;

/// What was read of the node's memory, without numbers that cannot be.
pub(crate) struct Figures {
    total: u64,
    info: Meminfo,
    cgroup: Option<MemoryUsage>,
}

/// By which rules the node's memory is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) source: MemorySource,
    /// Pools of huge pages are not available.
    pub(crate) hugepage_aware: bool,
    /// The root cgroup counts what the machine uses.
    pub(crate) has_root: bool,
}

impl Figures {
    /// Leaves out what cannot be, each noted: a bad field costs itself. Without a true
    /// `MemTotal` the machine's memory is what it was before, or what the kernel says
    /// elsewhere.
    pub(crate) fn new(
        mut info: Meminfo,
        mut cgroup: Option<MemoryUsage>,
        former_total: Option<u64>,
        note: &mut dyn FnMut(Cause),
    ) -> Self {
        info.bad_fields().for_each(|key| note(Cause::Field(key)));
        let total = match info.mem_total_bytes {
            Some(total @ 1..MOST_BYTES) => total,
            told => {
                let is_bad = || info.bad_fields().any(|key| key == "MemTotal");
                match told {
                    Some(_) => note(Cause::Impossible("MemTotal")),
                    None if !is_bad() => note(Cause::Key("MemTotal")),
                    None => {}
                }
                former_total.unwrap_or_else(memory_by_sysinfo)
            }
        };
        // Counters that underflowed are near 2^64. The line is drawn at twice the machine's
        // memory and not at once: numbers that are read one after the other may add up to a
        // little more than there is, most of all when memory is short.
        let most = total.saturating_mul(2);
        let swap = info.swap_total_bytes.unwrap_or(MOST_BYTES).min(MOST_BYTES);
        for (name, number, most) in [
            ("MemFree", &mut info.mem_free_bytes, most),
            ("MemAvailable", &mut info.mem_available_bytes, most),
            ("SwapTotal", &mut info.swap_total_bytes, MOST_BYTES),
            ("SwapFree", &mut info.swap_free_bytes, swap),
        ] {
            if number.take_if(|number| *number > most).is_some() {
                note(Cause::Impossible(name));
            }
        }
        let numbers = |usage: &mut MemoryUsage| {
            let inactive = ("inactive_file", usage.inactive_file_bytes);
            [("memory usage", usage.usage_bytes), inactive]
        };
        if let Some(usage) = &mut cgroup {
            let mut numbers = numbers(usage).into_iter();
            if let Some((name, _)) = numbers.find(|(_, number)| *number > most) {
                note(Cause::Impossible(name));
                cgroup = None;
            }
        }
        Self {
            total,
            info,
            cgroup,
        }
    }

    /// Applies the formula; where what it is made of is unknown, the other one. `None` where
    /// neither source says what is left.
    pub(crate) fn memory(&self, rules: Rules, now: Mono) -> Option<NodeMemory> {
        let Self {
            total,
            info,
            cgroup,
        } = self;
        let (by_meminfo, by_cgroup) = (self.by_meminfo(), self.by_cgroup(rules));
        let is_kernels = by_meminfo.is_some();
        let is_cgroups = by_cgroup.is_some() || !rules.has_root;
        let (chosen, is_as_chosen) = match rules.source {
            MemorySource::Kubelet => (by_cgroup.or(by_meminfo), is_cgroups),
            MemorySource::Meminfo => (by_meminfo.or(by_cgroup), is_kernels),
            MemorySource::Min => {
                let both = [by_cgroup, by_meminfo].into_iter().flatten();
                let least = both.min_by_key(|(available, _)| *available);
                (least, is_kernels && is_cgroups)
            }
        };
        let (available_bytes, working_set_bytes) = chosen?;
        Some(NodeMemory {
            sampled: now,
            total_bytes: *total,
            swap_total_bytes: info.swap_total_bytes,
            swap_free_bytes: info.swap_free_bytes,
            mem_available_bytes: info.mem_available_bytes,
            cgroup: *cgroup,
            working_set_bytes,
            available_bytes,
            unaccounted_bytes: unaccounted(*total, info, cgroup.as_ref()),
            is_as_chosen,
        })
    }

    /// What is available and the working set, as the kernel sees them.
    fn by_meminfo(&self) -> Option<(u64, u64)> {
        let available = self.info.mem_available_bytes?;
        Some((
            available.min(self.total),
            self.total.saturating_sub(available),
        ))
    }

    /// What is available and the working set, as the kubelet sees them.
    fn by_cgroup(&self, rules: Rules) -> Option<(u64, u64)> {
        let working_set = self.cgroup.as_ref()?.working_set_bytes();
        let aside = if rules.hugepage_aware {
            self.huge_page_pool()?
        } else {
            0
        };
        let available = self.total.saturating_sub(aside);
        Some((available.saturating_sub(working_set), working_set))
    }

    /// Memory in pools of huge pages; `None` where that is told and cannot be.
    fn huge_page_pool(&self) -> Option<u64> {
        let pool = self.info.huge_page_pool_bytes().unwrap_or(0);
        let is_bad = self.info.has_bad_huge_page_pool() || pool / 2 > self.total;
        (!is_bad).then_some(pool)
    }
}

fn memory_by_sysinfo() -> u64 {
    let told = rustix::system::sysinfo();
    // The count has another width on each processor.
    let bytes = u128::from(told.totalram) * u128::from(told.mem_unit.max(1));
    u64::try_from(bytes).unwrap_or(u64::MAX)
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
