use alloc::sync::Arc;
use std::os::fd::OwnedFd;
use std::path::Path;

use evictd_cgroup::FoundPod;
use evictd_containers::{ContainerState, ListedContainer, RuntimeListing, WritableLayer};
use evictd_node::pod::Pod;
use evictd_node::pod::usage::{ContainerUsage, PodUsage};
use evictd_stats::{Hierarchies, MemoryUsage, PodReader, PodSample};

use super::described::containers;

/// All cgroups of a pod have vanished.
pub(super) struct Gone;

/// What is needed to read.
pub(super) struct Reading<'a> {
    pub(super) of: &'a Hierarchies,
    pub(super) reader: &'a mut PodReader,
    /// What container runtimes hold.
    pub(super) held: &'a [Arc<RuntimeListing>],
    /// Takes what could not be read.
    pub(super) problems: &'a mut Vec<String>,
    /// Of the pod that was read last, the resident memory of its processes stands in for
    /// what no controller counts: an upper bound, as they share some of it.
    pub(super) by_processes: bool,
    /// How many pages the pod that was read last has read back, where that is counted.
    pub(super) refaulted_pages: Option<u64>,
}

impl<'a> Reading<'a> {
    pub(super) const fn new(
        of: &'a Hierarchies,
        reader: &'a mut PodReader,
        held: &'a [Arc<RuntimeListing>],
        problems: &'a mut Vec<String>,
    ) -> Self {
        Self {
            of,
            reader,
            held,
            problems,
            by_processes: false,
            refaulted_pages: None,
        }
    }

    /// What a pod uses of memory at most; `None` where that cannot be told cheaply.
    /// `dir` is its first cgroup in the memory hierarchy, where that is open.
    pub(super) fn bound(&mut self, found: &FoundPod, dir: Option<&OwnedFd>) -> Option<PodUsage> {
        let memory = self.of.memory.as_ref()?;
        let mut bytes = self.reader.read_usage_bytes(dir?)?;
        for cgroup in &*found.more_cgroups {
            let dir = memory.open(cgroup).ok()?;
            bytes = bytes.saturating_add(self.reader.read_usage_bytes(dir?)?);
        }
        Some(PodUsage {
            memory_working_set_bytes: Some(bytes),
            ..PodUsage::default()
        })
    }

    /// What a pod uses, summed over its cgroups; `None` when nothing of them could be
    /// read.
    pub(super) fn whole(
        &mut self,
        found: &FoundPod,
        mut dir: Option<OwnedFd>,
    ) -> Result<Option<PodUsage>, Gone> {
        let mut usage = PodUsage::default();
        let mut is_there = false;
        self.by_processes = false;
        self.refaulted_pages = None;
        for cgroup in found.cgroups() {
            let Some(sample) = self.cgroup(cgroup, dir.take()) else {
                continue;
            };
            is_there = true;
            self.by_processes |= sample.memory.is_none() && sample.resident_bytes.is_some();
            let refaulted = sample.memory.and_then(|memory| memory.refaulted_pages);
            self.refaulted_pages = sum(self.refaulted_pages, refaulted);
            usage.memory_working_set_bytes =
                sum(usage.memory_working_set_bytes, working_set(&sample));
            usage.swap_bytes = sum(usage.swap_bytes, sample.swap_bytes);
            usage.process_count = sum(usage.process_count, sample.process_count);
        }
        if !is_there {
            return Err(Gone);
        }
        if usage.memory_working_set_bytes.is_none() && usage.process_count.is_none() {
            return Ok(None);
        }
        let held = self.held;
        for container in containers(held, found).filter_map(|of| self.container(of)) {
            if usage.containers.is_empty() {
                usage.containers.reserve_exact(1); // for four otherwise; most have one
            }
            usage.containers.push(container);
        }
        if containers(held, found).next().is_none() {
            name_only_container(&found.pod, &mut usage);
        }
        Ok(Some(usage))
    }

    /// The memory that a pod uses, and that of each of its containers that run, in the
    /// order of [`containers`]: without asking for memory, as nothing is told of it yet.
    /// `None` where it cannot be read so.
    pub(super) fn memory(
        &mut self,
        found: &FoundPod,
        each: &mut dyn FnMut(Option<u64>),
    ) -> Result<Option<u64>, Gone> {
        let Some(memory) = &self.of.memory else {
            return Ok(None);
        };
        let (mut bytes, mut is_there) = (0_u64, false);
        for cgroup in found.cgroups() {
            match memory.open(cgroup) {
                Ok(Some(dir)) => match self.reader.read_working_set_bytes(dir) {
                    Some(more) => (bytes, is_there) = (bytes.saturating_add(more), true),
                    None => return Ok(None),
                },
                Ok(None) => {}
                Err(_) => return Ok(None),
            }
        }
        if !is_there {
            let kept_in = self.of.services.as_ref();
            let is_service =
                kept_in.is_some_and(|of| matches!(of.open(&found.cgroup), Ok(Some(_))));
            return if is_service { Ok(None) } else { Err(Gone) };
        }
        for cgroup in containers(self.held, found).filter_map(running_in) {
            let dir = memory.open(cgroup).ok().flatten();
            each(dir.and_then(|dir| self.reader.read_working_set_bytes(dir)));
        }
        Ok(Some(bytes))
    }

    /// What the processes of a pod hold in memory, with what they share told apart.
    pub(super) fn resident(&mut self, found: &FoundPod) -> Option<u64> {
        let mut each = found
            .cgroups()
            .map(|cgroup| self.reader.read_resident_bytes(cgroup));
        each.try_fold(0_u64, |all, bytes| Some(all.saturating_add(bytes?)))
    }

    /// What a container uses; one that has ended still holds its layer and its logs.
    fn container(&mut self, container: &ListedContainer) -> Option<ContainerUsage> {
        let cgroup = running_in(container);
        let sample = cgroup.and_then(|cgroup| self.cgroup(cgroup, None));
        let memory = sample.as_ref().and_then(working_set);
        container_usage(container, memory)
    }

    /// A cgroup's numbers; `None` when it is gone. `memory` is its directory there,
    /// where that is open.
    fn cgroup(&mut self, cgroup: &Path, memory: Option<OwnedFd>) -> Option<PodSample> {
        let sample = self.reader.read(cgroup, memory)?;
        let errors = self.reader.errors().iter();
        self.problems.extend(errors.map(ToString::to_string));
        Some(sample)
    }
}

/// Where a container runs.
pub(super) fn running_in(container: &ListedContainer) -> Option<&Path> {
    let runs = container.state == ContainerState::Running;
    container.cgroup.as_deref().filter(|_| runs)
}

/// What a container uses, if it has so much memory; `None` where it runs and its cgroup
/// is not known.
pub(super) fn container_usage(
    container: &ListedContainer,
    memory: Option<u64>,
) -> Option<ContainerUsage> {
    if container.state == ContainerState::Running && container.cgroup.is_none() {
        return None;
    }
    let mut usage = ContainerUsage {
        name: container.name.clone(),
        memory_working_set_bytes: memory,
        ..ContainerUsage::default()
    };
    if let WritableLayer::Used { bytes, inodes } = container.layer {
        (usage.rootfs_bytes, usage.rootfs_inodes) = (Some(bytes), inodes);
    }
    Some(usage)
}

/// Without a runtime nobody can tell which cgroup is which container, so only a
/// sole container is named.
pub(super) fn name_only_container(pod: &Pod, usage: &mut PodUsage) {
    if let [only] = pod.spec.containers.as_slice() {
        usage.containers.reserve_exact(1);
        usage.containers.push(ContainerUsage {
            name: only.name.clone(),
            memory_working_set_bytes: usage.memory_working_set_bytes,
            ..ContainerUsage::default()
        });
    }
}

fn working_set(sample: &PodSample) -> Option<u64> {
    let counted = sample.memory.as_ref();
    let counted = counted.map(MemoryUsage::working_set_bytes);
    counted.or(sample.resident_bytes)
}

/// What is known of the two.
fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (known, None) | (None, known) => known,
    }
}
