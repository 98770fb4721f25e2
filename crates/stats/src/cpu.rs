//! Processor time that was used, as the Summary API tells it; no decision is made by it.

use std::path::{Path, PathBuf};

use evictd_kerntext::{flat_keyed, parse_u64};
use rustix::param::clock_ticks_per_second;

use crate::error::Cause;
use crate::file::{Buffer, parse_at, read_file};
use crate::hierarchy::find_cpu;
use crate::{Hierarchy, Result, Version};

/// Processor time of the node since it booted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeCpu {
    /// What all processors together were busy: user, nice, system, irq and softirq of
    /// `/proc/stat`, in nanoseconds.
    pub used_nanos: u64,
    /// When the node booted, in seconds since 1970: `btime`.
    pub booted_seconds: u64,
}

/// Reads processor time, when somebody asks: nothing is kept open.
#[derive(Debug)]
pub struct CpuReader {
    proc: PathBuf,
    hierarchy: Option<Hierarchy>,
    buffer: Buffer,
}

impl CpuReader {
    /// A reader for the machine whose procfs this is.
    ///
    /// # Errors
    /// When `self/mountinfo` there cannot be read.
    pub fn open(proc: &Path) -> Result<Self> {
        Ok(Self {
            proc: proc.to_owned(),
            hierarchy: find_cpu(proc)?,
            buffer: Buffer::new(),
        })
    }

    /// The node's.
    ///
    /// # Errors
    /// When `stat` cannot be read; what is missing in it is 0.
    pub fn read_node(&self) -> Result<NodeCpu> {
        let stat = read_file(&self.proc.join("stat"))?;
        let entry = |key: &[u8]| flat_keyed(&stat).find(|entry| entry.key() == key);
        let ticks = entry(b"cpu").map_or(0, |entry| busy_ticks(entry.value()));
        let booted = entry(b"btime").and_then(|entry| entry.number().ok());
        let nanos_a_tick = 1_000_000_000_u64.checked_div(clock_ticks_per_second());
        Ok(NodeCpu {
            used_nanos: ticks.saturating_mul(nanos_a_tick.unwrap_or(0)),
            booted_seconds: booted.unwrap_or(0),
        })
    }

    /// What a cgroup and all below it have used, in nanoseconds: v1 `cpuacct.usage`, v2
    /// `usage_usec` of `cpu.stat`. `None` where nobody counts, and when it is gone.
    pub fn read(&mut self, cgroup: &Path) -> Option<u64> {
        let hierarchy = self.hierarchy.as_ref()?;
        let dir = hierarchy.open(cgroup).ok()??;
        match hierarchy.version {
            Version::V1 => parse_at(dir, "cpuacct.usage", &mut self.buffer, Buffer::value).ok(),
            Version::V2 => parse_at(dir, "cpu.stat", &mut self.buffer, usage_nanos).ok()?,
        }
    }
}

/// Of the line of all processors: user, nice, system, idle, iowait, irq, softirq, in ticks.
/// A guest's time is in that of the user.
fn busy_ticks(columns: &[u8]) -> u64 {
    let columns = columns.split(u8::is_ascii_whitespace);
    let columns = columns.filter(|column| !column.is_empty()).take(7);
    let busy = columns.enumerate().filter(|(at, _)| !matches!(at, 3 | 4));
    busy.map(|(_, column)| parse_u64(column).unwrap_or(0))
        .fold(0, u64::saturating_add)
}

fn usage_nanos(buffer: &Buffer) -> core::result::Result<Option<u64>, Cause> {
    let mut entries = flat_keyed(buffer.text());
    let entry = entries.find(|entry| entry.key() == b"usage_usec");
    let micros = entry.and_then(|entry| entry.number().ok());
    Ok(micros.map(|micros| micros.saturating_mul(1000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_processors_are_not_busy() {
        assert_eq!(busy_ticks(b" 100 20 3 9999 8888 4 5 0 7 7"), 132);
        assert_eq!(busy_ticks(b""), 0);
        assert_eq!(busy_ticks(b" x 20"), 20);
    }

    #[test]
    fn this_machine_has_used_some() {
        let mut reader = CpuReader::open(Path::new("/proc")).unwrap();
        let node = reader.read_node().unwrap();
        assert!(
            node.used_nanos > 0 && node.booted_seconds > 1_000_000_000,
            "{node:?}"
        );
        let counts = reader.hierarchy.is_some();
        let root = reader.read(Path::new(""));
        // The root of v2 has the file since Linux 5.8.
        assert!(root.is_some() == counts || counts, "{root:?}");
        assert_eq!(reader.read(Path::new("no-such-cgroup")), None);
    }
}
