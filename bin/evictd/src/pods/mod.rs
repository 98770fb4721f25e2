//! The pods of this node and what they use, read when somebody asks.

mod disk;
mod exact;
mod port;
mod refresh;
mod usage;

use alloc::sync::Arc;
use core::time::Duration;
use std::path::PathBuf;

use evictd_cgroup::{
    CgroupConfig, CgroupRuntime, Error, FoundPod, Grace, KillInFlight, Listing, PodKiller,
    PodSource,
};
use evictd_containers::{ListedContainer, RuntimeListing, RuntimePod};
use evictd_engine::ports::{Depth, Scratch, emptied};
use evictd_manifest::ManifestDir;
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;
use evictd_rank::Candidate;
use evictd_stats::{DiskScanner, Hierarchies, PodDirs, PodReader, Progress, now};

use crate::runtimes::Runtimes;
use disk::Disk;

/// The pods of the node at one moment.
pub(crate) struct Census<'a> {
    pub(crate) listing: Listing,
    /// What the indexes of the listing point to.
    pub(crate) manifests: &'a [Pod],
    /// Where the cgroups are.
    pub(crate) hierarchies: &'a Hierarchies,
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
    /// Where pods' files lie, until their measuring begins.
    to_measure: Option<PodDirs>,
    listing: Listing,
    usage: Vec<Option<PodUsage>>,
    /// Of which pods the memory that they use is an upper bound.
    bounds: Vec<bool>,
    /// Of pods that were read exactly, by their index, what each container uses.
    of_containers: Vec<(usize, Option<u64>)>,
    problems: Vec<String>,
    /// How many of the problems the list itself has.
    listing_problems: usize,
    /// When all that describes the pods was last read; `None` before.
    described: Option<Mono>,
    /// The memory of the list of what runtimes know, with nothing in it.
    known: Vec<&'static RuntimePod>,
}

/// More containers than that the pods hardly have that are read exactly.
const USUAL_CONTAINERS: usize = 64;

/// What came of beginning to kill a pod.
pub(crate) type Begun = Result<Box<dyn KillInFlight>, Error>;

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
            to_measure: None,
            manifests: manifests.map(ManifestDir::new),
            listing: Listing::default(),
            usage: Vec::new(),
            bounds: Vec::new(),
            of_containers: Vec::with_capacity(USUAL_CONTAINERS),
            problems: Vec::new(),
            listing_problems: 0,
            described: None,
            known: Vec::new(),
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
        self.refresh(now(), Depth::Whole);
        if let Some(disk) = &mut self.disk {
            disk.wait_for_all(at_most);
            self.refresh(now(), Depth::Whole);
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

    /// Forgets what each pod uses, until it is read again, and keeps the list.
    pub(crate) fn rest(&mut self) {
        self.usage.clear();
        self.bounds.clear();
    }

    /// Gives back the memory that the list takes, until it is made again.
    pub(crate) fn forget(&mut self) {
        self.held = Vec::new();
        self.listing = Listing::default();
        self.runtime.forget();
        (self.usage, self.bounds, self.known) = (Vec::new(), Vec::new(), Vec::new());
        self.described = None;
    }

    /// Has a pod's container runtime end it, where it has one, besides what is done
    /// through its cgroup; answers how the cgroup's side is to go about it.
    pub(crate) fn announce(&self, index: usize, grace: Duration) -> Grace {
        let found = self.listing.pods.get(index);
        let known = found.and_then(|found| found.runtime);
        let told = known.is_some_and(|index| {
            let place = place(&self.held, index);
            let pod = runtime_pod(&self.held, index);
            place
                .zip(pod)
                .is_some_and(|((runtime, _), pod)| self.runtimes.end(runtime, pod.clone(), grace))
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
    pub(crate) fn census(&mut self) -> Census<'_> {
        let mut problems = Vec::new();
        let is_told = self.manifests.is_some() || self.has_roots;
        if let Some(directory) = &mut self.manifests {
            note(&mut problems, directory.refresh());
        }
        let manifests = self.manifests.as_ref().map_or(&[][..], ManifestDir::pods);
        let held: Vec<_> = self.runtimes.listings().collect();
        let known: Vec<&RuntimePod> = all_pods(&held).collect();
        Census {
            listing: self.runtime.list_pods(manifests, &known),
            manifests,
            hierarchies: &self.hierarchies,
            problems,
            is_told: is_told || !self.runtimes.is_empty(),
            unasked: self.runtimes.unknown(),
        }
    }

    /// The pods with their usage, in the order of [`Pods::found`], in a list that was used
    /// before.
    pub(crate) fn candidates(&self, scratch: Scratch) -> Vec<Candidate<'_>> {
        let mut candidates = emptied(scratch);
        let pods = self.listing.pods.iter().zip(&self.usage);
        candidates.extend(pods.map(|(found, usage)| Candidate {
            pod: &found.pod,
            usage: usage.as_ref(),
        }));
        candidates
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
fn all_pods(held: &[Arc<RuntimeListing>]) -> impl Iterator<Item = &RuntimePod> {
    held.iter().flat_map(|held| &held.pods)
}

/// The container runtimes' pod of that index.
fn runtime_pod(held: &[Arc<RuntimeListing>], index: usize) -> Option<&RuntimePod> {
    let (runtime, index) = place(held, index)?;
    held.get(runtime)?.pods.get(index)
}

/// Its containers, as its runtime knows them.
fn containers<'a>(
    held: &'a [Arc<RuntimeListing>],
    found: &FoundPod,
) -> impl Iterator<Item = &'a ListedContainer> + use<'a> {
    let place = found.runtime.and_then(|index| place(held, index));
    let listing = place.and_then(|(runtime, _)| held.get(runtime));
    let all = listing.into_iter().flat_map(|listing| &listing.containers);
    all.filter(move |container| place.is_some_and(|(_, pod)| container.pod == pod))
}

/// Which runtime's pod that is, and which of that runtime's.
fn place(held: &[Arc<RuntimeListing>], mut index: usize) -> Option<(usize, usize)> {
    for (runtime, held) in held.iter().enumerate() {
        if index < held.pods.len() {
            return Some((runtime, index));
        }
        index -= held.pods.len();
    }
    None
}
