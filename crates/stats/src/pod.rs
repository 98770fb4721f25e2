use std::os::fd::AsFd;

use crate::cgroup_memory::{read_counter_at, read_usage_at, read_whole_at};
use crate::dir::count_processes;
use crate::error::Cause;
use crate::file::Buffer;
use crate::memory::MemoryUsage;
use crate::{Dir, Error, Hierarchies, Version, is_gone};

/// What a pod's cgroup uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PodSample {
    /// Its memory, that of all cgroups below included.
    pub memory: Option<MemoryUsage>,
    /// What of it is in swap: v2 `memory.swap.current`, v1 `memory.memsw.usage_in_bytes`
    /// without `memory.usage_in_bytes`. `None` where the kernel does not count it.
    pub swap_bytes: Option<u64>,
    /// Its tasks as the pids controller counts them, threads too: what
    /// `pid.available` runs out of. Without that controller, its processes.
    pub process_count: Option<u64>,
}

/// Reads what pods use, when somebody asks: nothing of a pod is kept open.
#[derive(Debug)]
pub struct PodReader {
    memory: Version,
    buffer: Buffer,
    errors: Vec<Error>,
}

impl PodReader {
    /// A reader for a machine with these hierarchies.
    #[must_use]
    pub fn new(hierarchies: &Hierarchies) -> Self {
        let version = hierarchies.memory.as_ref().map(|memory| memory.version);
        Self {
            memory: version.unwrap_or(Version::V2),
            buffer: Buffer::new(),
            errors: Vec::new(),
        }
    }

    /// Reads a pod's cgroup by its directory in the memory hierarchy and the
    /// one in the pids hierarchy, which on v2 are the same. Without the pids
    /// controller pass any hierarchy's directory as `pids`, and its processes
    /// are counted.
    ///
    /// A cgroup that vanishes meanwhile leaves `None`, and no error; see
    /// [`Dir::is_removed`].
    pub fn read(&mut self, memory: Option<&Dir>, pids: Option<&Dir>) -> PodSample {
        self.errors.clear();
        let usage = memory.and_then(|dir| self.read_memory(dir));
        PodSample {
            memory: usage,
            swap_bytes: memory.and_then(|dir| self.read_swap(dir, usage?)),
            process_count: pids.and_then(|dir| self.read_count(dir)),
        }
    }

    /// The plain counter of a cgroup's memory, by its directory in the memory hierarchy:
    /// `memory.usage_in_bytes` or `memory.current`. Its working set is never above it,
    /// and costs some ten times as much to read. `None` where it cannot be read; what
    /// failed, [`PodReader::read`] tells.
    pub fn read_usage_bytes(&mut self, memory: impl AsFd) -> Option<u64> {
        read_counter_at(memory, self.memory, &mut self.buffer)
    }

    /// The working set of a cgroup, by its directory in the memory hierarchy. `None`
    /// where it cannot be read; what failed, [`PodReader::read`] tells.
    pub fn read_working_set_bytes(&mut self, memory: impl AsFd) -> Option<u64> {
        let usage = read_whole_at(memory, self.memory, &mut self.buffer)?;
        Some(usage.working_set_bytes())
    }

    /// What failed for the latest pod, other than by vanishing.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    fn read_memory(&mut self, dir: &Dir) -> Option<MemoryUsage> {
        read_usage_at(dir, self.memory, &mut self.buffer)
            .map_err(|failed| self.errors.extend(failed.unless_gone()))
            .ok()
    }

    fn read_swap(&mut self, dir: &Dir, usage: MemoryUsage) -> Option<u64> {
        let (name, counted_in) = match self.memory {
            Version::V1 => ("memory.memsw.usage_in_bytes", usage.usage_bytes),
            Version::V2 => ("memory.swap.current", 0),
        };
        dir.parse(name, &mut self.buffer, Buffer::value)
            .map_err(|failed| self.errors.extend(failed.unless_gone()))
            .ok()
            .map(|bytes| bytes.saturating_sub(counted_in))
    }

    fn read_count(&mut self, dir: &Dir) -> Option<u64> {
        match dir.parse("pids.current", &mut self.buffer, Buffer::value) {
            Ok(count) => return Some(count),
            Err(failed) => self.errors.extend(failed.unless_gone()),
        }
        match count_processes(dir, &mut self.buffer) {
            Ok(count) => Some(count),
            Err(errno) if is_gone(errno) => None,
            Err(errno) => {
                self.errors.push(Cause::from(errno).at(dir.path()));
                None
            }
        }
    }
}
