//! What one sysinfo(2) tells: enough to see that memory has not become short.

use rustix::system::sysinfo;

use crate::memory::{MemoryRule, MemorySource, NodeMemory};

/// One part in so many of the machine's memory: each processor keeps to itself for a
/// while what it has counted, and the counters of the root cgroup lag.
const UNSURE: u64 = 64;

/// The machine as sysinfo(2) tells it, and what is asked of it; all in bytes.
pub(crate) struct Glance {
    enough: u64,
    total: u64,
    free: u64,
    /// How many tasks there are, in 16 bits.
    pub(crate) tasks: u16,
}

impl Glance {
    pub(crate) fn new(enough: u64) -> Self {
        let machine = sysinfo();
        Self {
            enough,
            total: bytes(machine.totalram, machine.mem_unit),
            free: bytes(machine.freeram, machine.mem_unit),
            tasks: machine.procs,
        }
    }

    /// Whether what is free is surely enough, and so what is available by the kubelet's
    /// formula: the root cgroup does not use what is free, nor is it in a pool of huge
    /// pages. `MemAvailable` may be less than what is free. Where `/proc/meminfo` was of
    /// another machine (lxcfs), or of one of another size, nothing is known.
    pub(crate) fn has_enough_free(&self, former: Option<&NodeMemory>, rule: MemoryRule) -> bool {
        let by_cgroup = rule.source == MemorySource::Kubelet
            && former.is_some_and(|it| it.cgroup.is_some() && it.total_bytes == self.total);
        by_cgroup && self.free >= self.enough.saturating_add(self.total / UNSURE)
    }
}

/// The kernel counts in C's `unsigned long`, of which 32 bits may be all.
fn bytes<Count: Into<u64>>(count: Count, unit: u32) -> u64 {
    count.into().saturating_mul(unit.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryUsage;
    use crate::memory::node_memory;
    use evictd_kerntext::parse_meminfo;
    use evictd_node::Mono;

    const MIB: u64 = 1 << 20;

    fn glance(total_mib: u64, free_mib: u64, enough: u64) -> Glance {
        Glance {
            enough,
            total: total_mib * MIB,
            free: free_mib * MIB,
            tasks: 0,
        }
    }

    /// A machine of 640 MiB, of which 100 MiB and the 10 that are not sure are free.
    #[test]
    fn what_is_free_is_enough_only_where_it_surely_is_available() {
        let kubelet = MemoryRule {
            source: MemorySource::Kubelet,
            hugepage_aware: true,
        };
        let of = |source| MemoryRule { source, ..kubelet };
        let text = "MemTotal: 655360 kB\nMemFree: 112640 kB\nMemAvailable: 204800 kB\n";
        let info = parse_meminfo(text.as_bytes()).unwrap();
        let last = |rule, usage| node_memory(&info, usage, rule, Mono::ZERO).unwrap();
        let root = Some(MemoryUsage::default());
        for (total, free, enough, rule, usage, expected) in [
            (640, 110, 100, kubelet, root, true),
            (640, 110, 101, kubelet, root, false),
            (640, 0, 0, kubelet, root, false),
            (640, 10, 0, kubelet, root, true),
            // Another machine's, or one that has grown or shrunk since.
            (641, 500, 100, kubelet, root, false),
            (639, 500, 100, kubelet, root, false),
            // MemAvailable may be less than what is free.
            (640, 500, 100, of(MemorySource::Meminfo), root, false),
            (640, 500, 100, of(MemorySource::Min), root, false),
            (640, 500, 100, kubelet, None, false),
        ] {
            let glance = glance(total, free, enough * MIB);
            let found = glance.has_enough_free(Some(&last(rule, usage)), rule);
            assert_eq!(found, expected, "{free} of {total} for {enough}");
        }
        assert!(!glance(640, 640, 0).has_enough_free(None, kubelet));
        let all = glance(640, 640, u64::MAX);
        assert!(!all.has_enough_free(Some(&last(kubelet, root)), kubelet));
    }
}
