//! The pods of this node and what they use, read when somebody asks.

mod disk;
mod usage;

use alloc::sync::Arc;
use core::time::Duration;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use evictd_manifest::ManifestDir;
use evictd_node::Mono;
use evictd_pod::Pod;
use evictd_pod::usage::PodUsage;
use evictd_rank::Candidate;
use evictd_runtime::{
    CgroupConfig, CgroupRuntime, Error, FoundPod, Grace, KillInFlight, ListedContainer, Listing,
    PodKiller, PodSource, RuntimeListing, RuntimePod,
};
use evictd_stats::{DiskScanner, Hierarchies, PodDirs, PodReader, Progress};

use crate::runtimes::Runtimes;
use disk::Disk;

/// The pods of the node at one moment.
pub(crate) struct Census {
    pub(crate) listing: Listing,
    /// What the indexes of the listing point to.
    pub(crate) manifests: Vec<Pod>,
    /// Manifests that could not be read.
    pub(crate) problems: Vec<String>,
    /// Whether a flag says where pods are.
    pub(crate) is_told: bool,
    /// Container runtimes that did not say what they hold.
    pub(crate) unasked: Vec<String>,
}

/// The pods, as of the last [`Pods::refresh`].
pub(crate) struct Pods {
    pub(crate) runtime: CgroupRuntime,
    /// The container runtimes, which nobody waits for.
    pub(crate) runtimes: Runtimes,
    /// What each of them held when the pods were last listed.
    held: Vec<Arc<RuntimeListing>>,
    hierarchies: Hierarchies,
    reader: PodReader,
    manifests: Option<ManifestDir>,
    has_roots: bool,
    disk: Option<Disk>,
    listing: Listing,
    usage: Vec<Option<PodUsage>>,
    /// Of which pods the memory that they use is an upper bound.
    bounds: Vec<bool>,
    problems: Vec<String>,
}

/// What came of beginning to kill a pod.
pub(crate) type Begun = Result<Box<dyn KillInFlight>, Error>;

/// How much is read of each pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All there is.
    Whole,
    /// What it uses of memory at most, and nothing else: see [`Pods::read_exactly`].
    Bounds,
}

impl Pods {
    /// Opens the cgroup runtime; no pod is looked for yet.
    pub(crate) fn open(
        cgroup: CgroupConfig,
        manifests: Option<PathBuf>,
        runtimes: Runtimes,
    ) -> Result<Self, String> {
        let hierarchies = cgroup.hierarchies.clone();
        let has_roots = !cgroup.pod_cgroup_roots.is_empty();
        Ok(Self {
            runtime: CgroupRuntime::new(cgroup).map_err(|error| error.to_string())?,
            runtimes,
            held: Vec::new(),
            reader: PodReader::new(&hierarchies),
            hierarchies,
            has_roots,
            disk: None,
            manifests: manifests.map(ManifestDir::new),
            listing: Listing::default(),
            usage: Vec::new(),
            bounds: Vec::new(),
            problems: Vec::new(),
        })
    }

    /// Has what the pods keep on disk measured from the next refresh on: by the
    /// scanner's own thread, which nobody waits for.
    pub(crate) fn measure_disk(&mut self, scanner: DiskScanner, dirs: PodDirs) {
        self.disk = Some(Disk::new(scanner, dirs));
    }

    /// Lists the pods anew and waits until all that they keep on disk has been
    /// measured, that long at most. For commands, not for the daemon.
    pub(crate) fn refresh_with_disk(&mut self, at_most: Duration) {
        self.refresh(Depth::Whole);
        if let Some(disk) = &mut self.disk {
            disk.wait_for_all(at_most);
            self.refresh(Depth::Whole);
        }
        self.problems.extend(self.runtimes.unknown());
    }

    /// How far the measuring of the disk has come.
    pub(crate) fn disk_progress(&self) -> Option<Progress> {
        self.disk.as_ref().map(Disk::progress)
    }

    /// Whether manifests or a runtime describe pods: only these can have limits of
    /// their own.
    pub(crate) const fn may_have_limits(&self) -> bool {
        self.manifests.is_some() || !self.runtimes.is_empty()
    }

    /// Whether what all pods of the last refresh hold on disk was measured since then;
    /// if not, it is measured now.
    pub(crate) fn has_measured_disk(&mut self, since: Mono) -> bool {
        let disk = self.disk.as_mut();
        let is_measured = disk.is_none_or(|disk| disk.has_measured(since));
        is_measured && !self.runtimes.is_waiting()
    }

    /// The pods are about to be chosen from: a runtime may say quickly what is new.
    /// What writable layers hold it says later.
    pub(crate) fn freshen(&self, with_layers: bool) {
        const MAX_AGE: Duration = Duration::from_secs(1);
        const AT_MOST: Duration = Duration::from_millis(10);
        self.runtimes.freshen(MAX_AGE, AT_MOST, with_layers);
    }

    /// Lists the pods anew and reads what each uses. A pod that vanishes
    /// meanwhile is left out; a manifest that cannot be read is a problem, and
    /// the others stay.
    pub(crate) fn refresh(&mut self, depth: Depth) {
        self.problems.clear();
        let described: &[Pod] = match &mut self.manifests {
            None => &[],
            Some(directory) => {
                note(&mut self.problems, directory.refresh());
                directory.pods()
            }
        };
        self.held = self.runtimes.listings();
        for held in &self.held {
            note(&mut self.problems, &held.notes);
        }
        let Self {
            held,
            usage,
            bounds,
            reader,
            hierarchies: of,
            problems,
            ..
        } = self;
        usage.clear();
        bounds.clear();
        let known = all_pods(held);
        let mut reading = usage::Reading {
            of,
            reader,
            held,
            problems,
        };
        let mut keep = |found: &FoundPod, dir: Option<OwnedFd>| {
            let is_bounded = depth == Depth::Bounds;
            let bound = is_bounded.then(|| reading.bound(found, dir.as_ref()));
            let (read, is_bound) = match bound.flatten() {
                Some(bound) => (Ok(Some(bound)), true),
                None => (reading.whole(found, dir), false),
            };
            let Ok(read) = read else {
                return false; // it has vanished
            };
            usage.push(read);
            bounds.push(is_bound);
            true
        };
        let former = core::mem::take(&mut self.listing);
        self.listing = self
            .runtime
            .visit_pods(described, &known, former, &mut keep);
        if let Some(disk) = &mut self.disk
            && depth == Depth::Whole
        {
            let containers = |found: &FoundPod| containers(held, found);
            disk.add(&self.listing.pods, &containers, &mut self.usage);
        }
    }

    /// Whether what a pod uses of memory, as last read, is no mere bound.
    pub(crate) fn is_exact(&self, index: usize) -> bool {
        !self.bounds.get(index).is_some_and(|is_bound| *is_bound)
    }

    /// Reads what is known of a pod by a bound alone. One that has vanished meanwhile
    /// is taken out, so that those behind it move up.
    pub(crate) fn read_exactly(&mut self, index: usize) {
        let Self {
            listing,
            held,
            usage,
            bounds,
            reader,
            hierarchies: of,
            problems,
            ..
        } = self;
        let (Some(found), Some(used), Some(is_bound)) = (
            listing.pods.get(index),
            usage.get_mut(index),
            bounds.get_mut(index),
        ) else {
            return;
        };
        let mut reading = usage::Reading {
            of,
            reader,
            held,
            problems,
        };
        if let Ok(read) = reading.whole(found, None) {
            (*used, *is_bound) = (read, false);
        } else {
            listing.pods.remove(index);
            usage.remove(index);
            bounds.remove(index);
        }
    }

    /// Gives back the memory that the list takes, until it is made again.
    pub(crate) fn rest(&mut self) {
        self.held = Vec::new();
        self.listing = Listing::default();
        (self.usage, self.bounds) = (Vec::new(), Vec::new());
    }

    /// Has a pod's container runtime end it, where it has one, besides what is done
    /// through its cgroup; answers how the cgroup's side is to go about it.
    pub(crate) fn announce(&self, index: usize, grace: Duration) -> Grace {
        let found = self.listing.pods.get(index);
        let held = found.and_then(|found| held_pod(&self.held, found));
        let told = held.is_some_and(|(runtime, pod)| {
            let pod = pod.clone();
            self.runtimes.end(runtime, pod, grace)
        });
        Grace {
            length: grace,
            asked_by_runtime: told && !grace.is_zero(),
        }
    }

    /// Begins to kill a pod through its cgroup; `None` where there is no such pod.
    pub(crate) fn start_kill(&mut self, now: Mono, index: usize, how: Grace) -> Option<Begun> {
        let found = self.listing.pods.get(index)?;
        Some(self.runtime.start_kill(now, found, how))
    }

    /// Every pod there is, without what it uses, and who might be missing. What
    /// [`Pods::refresh`] found stays as it is.
    pub(crate) fn census(&mut self) -> Census {
        let mut problems = Vec::new();
        let is_told = self.manifests.is_some() || self.has_roots;
        if let Some(directory) = &mut self.manifests {
            note(&mut problems, directory.refresh());
        }
        let manifests = self.manifests.as_ref().map_or(&[][..], ManifestDir::pods);
        let held = self.runtimes.listings();
        let known = all_pods(&held);
        Census {
            listing: self.runtime.list_pods(manifests, &known),
            manifests: manifests.to_vec(),
            problems,
            is_told: is_told || !self.runtimes.is_empty(),
            unasked: self.runtimes.unknown(),
        }
    }

    /// Where the cgroups are.
    pub(crate) const fn hierarchies(&self) -> &Hierarchies {
        &self.hierarchies
    }

    /// The pods with their usage, in the order of [`Pods::found`].
    #[inline(never)]
    pub(crate) fn candidates(&self) -> Vec<Candidate<'_>> {
        let pods = self.listing.pods.iter().zip(&self.usage);
        pods.map(|(found, usage)| Candidate {
            pod: &found.pod,
            usage: usage.as_ref(),
        })
        .collect()
    }

    /// The pods that run.
    pub(crate) fn found(&self) -> &[FoundPod] {
        &self.listing.pods
    }

    /// Pods that a manifest describes and of which nothing runs here.
    pub(crate) fn not_running(&self) -> impl Iterator<Item = &Pod> {
        let described = self.manifests.as_ref().map_or(&[][..], ManifestDir::pods);
        self.listing
            .not_running
            .iter()
            .filter_map(|index| described.get(*index))
    }

    /// Manifests and cgroups that could not be read.
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }
}

fn note<T: ToString>(problems: &mut Vec<String>, new: &[T]) {
    for problem in new {
        problems.push(problem.to_string());
    }
}

/// The pods of all container runtimes, one after the other.
fn all_pods(held: &[Arc<RuntimeListing>]) -> Vec<&RuntimePod> {
    let mut all = Vec::new();
    for held in held {
        all.extend(&held.pods);
    }
    all
}

/// The pod as its container runtime knows it, and which runtime that is.
fn held_pod<'a>(
    held: &'a [Arc<RuntimeListing>],
    found: &FoundPod,
) -> Option<(usize, &'a RuntimePod)> {
    let (runtime, index) = place(held, found)?;
    Some((runtime, held.get(runtime)?.pods.get(index)?))
}

/// Its containers, as its runtime knows them.
fn containers<'a>(held: &'a [Arc<RuntimeListing>], found: &FoundPod) -> Vec<&'a ListedContainer> {
    let Some((runtime, pod)) = place(held, found) else {
        return Vec::new();
    };
    let all = held.get(runtime).map_or(&[][..], |held| &held.containers);
    all.iter()
        .filter(|container| container.pod == pod)
        .collect()
}

/// Which runtime's pod it is, and which of that runtime's.
fn place(held: &[Arc<RuntimeListing>], found: &FoundPod) -> Option<(usize, usize)> {
    let mut index = found.runtime?;
    for (runtime, held) in held.iter().enumerate() {
        if index < held.pods.len() {
            return Some((runtime, index));
        }
        index -= held.pods.len();
    }
    None
}
