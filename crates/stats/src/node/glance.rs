//! Reading less: enough to see that nothing has become short.

use core::time::Duration;

use evictd_node::Mono;
use rustix::system::sysinfo;

use super::NodeReader;
use crate::NodeSample;
use crate::memory::{MemoryRule, MemorySource, NodeMemory};

impl NodeReader {
    /// Reads as [`NodeReader::read_within`] does, but the node's memory only where it
    /// has to: what is free is available whatever the rest is used for, so while that
    /// alone is at least `enough_bytes`, the sample has no memory, and no error says why.
    ///
    /// One sysinfo(2) tells what is free and, where there cannot be more of them than
    /// it can count, how many tasks there are: it formats no text.
    pub fn glance(&mut self, now: Mono, enough_bytes: u64, fs_wait: Duration) -> NodeSample {
        self.errors.clear();
        let machine = sysinfo();
        let size = Size::of(machine.totalram, machine.freeram, machine.mem_unit);
        let is_enough = size.has_free(enough_bytes, self.last_memory.as_ref(), self.rule);
        let memory = (!is_enough).then(|| self.read_memory(now)).flatten();
        let pods_memory = self.read_pods(now);
        let counted = self.pids.count(now, machine.procs);
        let pids = counted.or_else(|| self.pids.read(now, &mut self.buffer, &mut self.errors));
        self.ask_filesystems(now);
        self.asked = false;
        let [nodefs, imagefs, containerfs] = self.filesystems.collect(fs_wait, &mut self.errors);
        NodeSample {
            memory,
            pods_memory,
            pids,
            nodefs,
            imagefs,
            containerfs,
        }
    }
}

/// The machine's memory as sysinfo(2) tells it, in bytes.
struct Size {
    total: u64,
    free: u64,
}

/// One part in so many of the machine's memory: each processor keeps to itself for a
/// while what it has counted, and the counters of the root cgroup lag.
const UNSURE: u64 = 64;

impl Size {
    fn of<T: Into<u64>>(total: T, free: T, unit: u32) -> Self {
        let unit = u64::from(unit.max(1));
        Self {
            total: total.into().saturating_mul(unit),
            free: free.into().saturating_mul(unit),
        }
    }

    /// Whether what is free is surely `enough`, and so what is available by the
    /// kubelet's formula: the root cgroup does not use what is free, nor is it in a pool
    /// of huge pages. `MemAvailable` may be less than what is free. Where `/proc/meminfo`
    /// was of another machine (lxcfs), or of one of another size, nothing is known.
    fn has_free(&self, enough: u64, last: Option<&NodeMemory>, rule: MemoryRule) -> bool {
        let by_cgroup = rule.source == MemorySource::Kubelet
            && last.is_some_and(|last| last.cgroup.is_some() && last.total_bytes == self.total);
        by_cgroup && self.free >= enough.saturating_add(self.total / UNSURE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryUsage;
    use crate::memory::node_memory;
    use evictd_kerntext::parse_meminfo;

    const MIB: u64 = 1 << 20;

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
            let size = Size::of::<u64>(total, free, 1 << 20);
            let found = size.has_free(enough * MIB, Some(&last(rule, usage)), rule);
            assert_eq!(found, expected, "{free} of {total} for {enough}");
        }
        assert!(!Size::of(640_u64, 640, 1 << 20).has_free(0, None, kubelet));
        assert!(!Size::of(640_u64, 640, 1 << 20).has_free(u64::MAX, None, kubelet));
    }
}
