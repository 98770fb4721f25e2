use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::io::Errno;
use rustix::param::page_size;

use crate::cgroup_memory::{FilePages, read_counter_at, read_file_pages_at, read_usage_at};
use crate::dir::count_processes;
use crate::error::{Cause, Failed};
use crate::file::{Buffer, parse_at};
use crate::memory::MemoryUsage;
use crate::resident::Resident;
use crate::{Error, Hierarchies, Hierarchy, Version, is_gone};

/// What a pod's cgroup uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PodSample {
    /// Its memory, that of all cgroups below included.
    pub memory: Option<MemoryUsage>,
    /// What of it is in swap: v2 `memory.swap.current`, v1 `memory.memsw.usage_in_bytes`
    /// without `memory.usage_in_bytes`. `None` where the kernel does not count it.
    pub swap_bytes: Option<u64>,
    /// What its processes hold together at most, where `memory` could not be read: what
    /// they share counts for each ([`PodReader::read_resident_bytes`] tells it apart).
    pub resident_bytes: Option<u64>,
    /// Its tasks as the pids controller counts them, threads too: what
    /// `pid.available` runs out of. Without that controller, its processes.
    pub process_count: Option<u64>,
}

/// Reads what pods use, when somebody asks: nothing of a pod is kept open.
#[derive(Debug)]
pub struct PodReader {
    hierarchies: Hierarchies,
    buffer: Buffer,
    errors: Vec<Error>,
    resident: Resident,
}

/// A cgroup's directory in one of the hierarchies.
struct Place<'a> {
    hierarchy: &'a Hierarchy,
    dir: OwnedFd,
}

impl<'a> Place<'a> {
    /// `None` where the hierarchy does not have it.
    fn open(hierarchy: Option<&'a Hierarchy>, cgroup: &Path) -> Result<Option<Self>, Errno> {
        let Some(hierarchy) = hierarchy else {
            return Ok(None);
        };
        let dir = hierarchy.open(cgroup)?;
        Ok(dir.map(|dir| Self { hierarchy, dir }))
    }
}

impl PodReader {
    /// A reader for a machine with these hierarchies.
    #[must_use]
    pub fn new(hierarchies: &Hierarchies) -> Self {
        let page_bytes = u64::try_from(page_size()).unwrap_or(u64::MAX);
        Self::with_proc(hierarchies, Path::new("/proc"), page_bytes)
    }

    /// Reads procfs at `proc`, of a machine with pages of `page_bytes`.
    #[must_use]
    pub fn with_proc(hierarchies: &Hierarchies, proc: &Path, page_bytes: u64) -> Self {
        Self {
            hierarchies: hierarchies.clone(),
            buffer: Buffer::new(),
            errors: Vec::new(),
            resident: Resident::new(proc, page_bytes),
        }
    }

    /// Reads all that a cgroup uses, by its path from the hierarchies' roots. `memory`
    /// is its directory in the memory hierarchy, where that is open. Where there is no
    /// pids controller its processes are counted.
    ///
    /// `None` when the cgroup is gone; what vanishes meanwhile is `None`, and no error. Of one
    /// that cannot be opened nothing is known.
    pub fn read(&mut self, cgroup: &Path, memory: Option<OwnedFd>) -> Option<PodSample> {
        let Self {
            hierarchies: of,
            buffer,
            errors,
            resident,
        } = self;
        errors.clear();
        let memory = match (of.memory.as_ref(), memory) {
            (Some(hierarchy), Some(dir)) => Some(Place { hierarchy, dir }),
            (hierarchy, _) => there(Place::open(hierarchy, cgroup), cgroup, errors),
        };
        let is_same = of.pids == of.memory && memory.is_some();
        let counted = (!is_same).then(|| there(counted(of, cgroup), cgroup, errors));
        let counted = counted.flatten();
        let Some(counted) = counted.as_ref().or(memory.as_ref()) else {
            return (!errors.is_empty()).then(PodSample::default);
        };
        let mut note = |place: &Place<'_>, failed: Failed<'_>| {
            if !failed.cause.is_gone() {
                let dir = place.hierarchy.below(cgroup);
                errors.push(failed.cause.at(dir.join(failed.path)));
            }
        };
        let mut sample = PodSample::default();
        if let Some(memory) = &memory {
            match read_usage_at(&memory.dir, memory.hierarchy.version, buffer) {
                Ok(usage) => {
                    let swap = read_swap(memory, usage, buffer);
                    sample.memory = Some(usage);
                    sample.swap_bytes = swap.map_err(|failed| note(memory, failed)).ok();
                }
                Err(failed) => note(memory, failed),
            }
        }
        if sample.memory.is_none() {
            sample.resident_bytes = resident.at_most(counted.dir.as_fd(), buffer);
        }
        match parse_at(&counted.dir, "pids.current", buffer, Buffer::value) {
            Ok(count) => sample.process_count = Some(count),
            Err(failed) => {
                note(counted, failed);
                match count_processes(counted.dir.as_fd(), buffer) {
                    Ok(count) => sample.process_count = Some(count),
                    Err(errno) if is_gone(errno) => {}
                    Err(errno) => {
                        errors.push(Cause::from(errno).at(counted.hierarchy.below(cgroup)))
                    }
                }
            }
        }
        Some(sample)
    }

    /// The plain counter of a cgroup's memory, by its directory in the memory hierarchy:
    /// `memory.usage_in_bytes` or `memory.current`. Its working set is never above it,
    /// and costs some ten times as much to read. `None` where it cannot be read; what
    /// failed, [`PodReader::read`] tells.
    pub fn read_usage_bytes(&mut self, memory: impl AsFd) -> Option<u64> {
        read_counter_at(memory, self.version(), &mut self.buffer).ok()
    }

    /// The working set of a cgroup, by its directory in the memory hierarchy. `None`
    /// where it cannot be read; what failed, [`PodReader::read`] tells.
    pub fn read_working_set_bytes(&mut self, memory: impl AsFd) -> Option<u64> {
        let usage = read_usage_at(memory, self.version(), &mut self.buffer);
        Some(usage.ok()?.working_set_bytes())
    }

    /// The file pages of a cgroup, by its directory in the memory hierarchy.
    pub fn read_file_pages(&mut self, memory: impl AsFd) -> Option<FilePages> {
        read_file_pages_at(memory, self.version(), &mut self.buffer).ok()
    }

    /// What the processes of a cgroup hold in memory, with what they share told apart; what
    /// the largest of them holds, where that cannot be read within 100 ms.
    pub fn read_resident_bytes(&mut self, cgroup: &Path) -> Option<u64> {
        let of = &self.hierarchies;
        let in_memory = || Place::open(of.memory.as_ref(), cgroup).ok().flatten();
        let place = counted(of, cgroup).ok().flatten().or_else(in_memory)?;
        self.resident
            .told_apart(place.dir.as_fd(), &mut self.buffer)
    }

    /// What failed for the latest pod, other than by vanishing.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    fn version(&self) -> Version {
        let memory = self.hierarchies.memory.as_ref();
        memory.map_or(Version::V2, |memory| memory.version)
    }
}

/// What could be opened; what failed is an error.
fn there<'a>(
    opened: Result<Option<Place<'a>>, Errno>,
    cgroup: &Path,
    errors: &mut Vec<Error>,
) -> Option<Place<'a>> {
    let opened = opened.map_err(|errno| errors.push(Cause::from(errno).at(cgroup)));
    opened.ok().flatten()
}

/// Where the processes of a cgroup are counted.
fn counted<'a>(of: &'a Hierarchies, cgroup: &Path) -> Result<Option<Place<'a>>, Errno> {
    let mut found = Ok(None);
    for hierarchy in [&of.pids, &of.unified, &of.services] {
        match Place::open(hierarchy.as_ref(), cgroup) {
            Ok(None) => {}
            Ok(place) => return Ok(place),
            Err(errno) => found = Err(errno),
        }
    }
    found
}

fn read_swap(
    memory: &Place<'_>,
    usage: MemoryUsage,
    buffer: &mut Buffer,
) -> Result<u64, Failed<'static>> {
    let (name, counted_in) = match memory.hierarchy.version {
        Version::V1 => ("memory.memsw.usage_in_bytes", usage.usage_bytes),
        Version::V2 => ("memory.swap.current", 0),
    };
    let bytes = parse_at(&memory.dir, name, buffer, Buffer::value)?;
    Ok(bytes.saturating_sub(counted_in))
}
