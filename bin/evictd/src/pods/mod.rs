//! The pods of this node and what they use, read when somebody asks.

mod disk;
mod ended;
mod exact;
mod manifests;
mod oom;
mod pages;
mod port;
mod refresh;
mod remembered;
mod settled;
mod usage;

use alloc::sync::Arc;
use core::time::Duration;
use std::path::PathBuf;

use evictd_cgroup::{
    CgroupConfig, CgroupRuntime, FoundPod, Listing, Origin, PageReclaimer, PodSource,
};
use evictd_containers::{ListedContainer, RuntimeListing};
use evictd_engine::ports::Depth;
use evictd_manifest::ManifestDir;
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;
use evictd_stats::{Hierarchies, OutsideReader, PodDirs, PodReader, Progress, now};

use crate::hook::BeforeKill;
use crate::runtimes::Runtimes;
use disk::Disk;
use ended::Ended;
use manifests::Manifests;
use remembered::Remembered;
use settled::Settled;

/// The pods of the node at one moment.
pub(crate) struct Census<'a> {
    pub(crate) listing: Listing,
    /// What the indexes of the listing point to.
    pub(crate) manifests: &'a [Arc<Pod>],
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
    /// What each of them held when the pods were last listed, and last what is remembered
    /// of those that have not answered yet.
    held: Vec<Arc<RuntimeListing>>,
    /// Where procfs is mounted.
    proc: PathBuf,
    hierarchies: Hierarchies,
    reader: PodReader,
    pub(crate) manifests: Option<Manifests>,
    has_roots: bool,
    disk: Option<Disk>,
    /// Where pods' files lie, until their measuring begins.
    pub(crate) to_measure: Option<PodDirs>,
    /// The pods that run, and what is no pod.
    pub(crate) listing: Listing,
    usage: Vec<Option<PodUsage>>,
    /// Of which pods the memory that they use is an upper bound.
    bounds: Vec<bool>,
    /// Of pods that were read exactly, by their index, what each container uses.
    of_containers: Vec<(usize, Option<u64>)>,
    /// No controller counts what the pods use of memory: that of their processes stands in.
    pub(crate) by_processes: bool,
    pub(crate) problems: Vec<String>,
    /// Descriptors were lacking for what was read last.
    lacks_descriptors: bool,
    /// How many of the problems the list itself has.
    listing_problems: usize,
    /// When all that describes the pods was last read; `None` before.
    described: Option<Mono>,
    /// What asks for file pages, once it was needed.
    pages: Option<PageReclaimer>,
    /// Who holds memory outside all pods, once that was asked.
    outside: Option<OutsideReader>,
    /// What the kernel's own OOM killer has done.
    oom: oom::OomWatch,
    /// Which pods no runtime will describe.
    settled: Settled,
    /// Pods that were evicted, and that their runtime may start anew.
    ended: Vec<Ended>,
    /// Which pods are protected, over a restart too.
    pub(crate) remembered: Remembered,
    /// What is run before a pod is evicted for a soft threshold.
    pub(crate) before_kill: Option<BeforeKill>,
}

/// Room for the containers of the pods that are read exactly; they hardly have more.
const USUAL_CONTAINERS: usize = 64;

impl Pods {
    /// Opens the cgroup runtime; no pod is looked for yet.
    pub(crate) fn open(
        cgroup: CgroupConfig,
        manifests: Option<ManifestDir>,
        runtimes: Runtimes,
    ) -> Result<Self, String> {
        let hierarchies = cgroup.hierarchies.clone();
        let proc = cgroup.proc.clone();
        let has_roots = !cgroup.pod_cgroup_roots.is_empty() || cgroup.services.of.is_some();
        Ok(Self {
            runtime: CgroupRuntime::new(cgroup).map_err(|error| error.to_string())?,
            runtimes,
            held: Vec::new(),
            proc,
            reader: PodReader::new(&hierarchies),
            hierarchies,
            has_roots,
            disk: None,
            to_measure: None,
            manifests: manifests.map(Manifests::new),
            listing: Listing::default(),
            usage: Vec::new(),
            bounds: Vec::new(),
            of_containers: Vec::with_capacity(USUAL_CONTAINERS),
            by_processes: false,
            problems: Vec::new(),
            lacks_descriptors: false,
            listing_problems: 0,
            described: None,
            pages: None,
            outside: None,
            oom: oom::OomWatch::default(),
            settled: Settled::default(),
            ended: Vec::new(),
            remembered: Remembered::default(),
            before_kill: None,
        })
    }

    /// Lists the pods anew and waits until all that they keep on disk has been
    /// measured, that long at most. For commands, not for the daemon.
    pub(crate) fn refresh_with_disk(&mut self, at_most: Duration) {
        self.refresh(now(), Depth::Whole);
        if let Some(disk) = &mut self.disk {
            disk.wait_for_all(at_most);
            self.refresh(now(), Depth::Whole);
        }
        // The last first, as one that has vanished meanwhile is taken out.
        for index in (0..self.bounds.len()).rev() {
            if self.bounds.get(index) == Some(&true) {
                self.read_exactly(index);
            }
        }
        self.problems.extend(self.runtimes.unknown());
    }

    /// Whether any of the last list was found as a service.
    pub(crate) fn has_services(&self) -> bool {
        let mut pods = self.listing.pods.iter();
        pods.any(|found| found.origin == Origin::Service)
    }

    /// Where the controllers are.
    pub(crate) const fn hierarchies(&self) -> &Hierarchies {
        &self.hierarchies
    }

    /// How far the measuring of the disk has come.
    pub(crate) fn disk_progress(&self) -> Option<Progress> {
        self.disk.as_ref().map(Disk::progress)
    }

    /// Whether a container runtime holds it that nobody will have remove it.
    fn files_stay(&self, found: &FoundPod) -> bool {
        let known = found.runtime.and_then(|index| place(&self.held, index));
        let pod = known.and_then(|(runtime, at)| self.held.get(runtime)?.pods.get(at));
        pod.is_some_and(|pod| !pod.is_replaced) && !self.runtimes.removes_all
    }

    /// The pods as of the last refresh, and what each uses.
    pub(crate) fn seen(&self) -> impl Iterator<Item = (&FoundPod, Option<&PodUsage>)> {
        let usage = self.usage.iter().map(Option::as_ref);
        self.listing.pods.iter().zip(usage)
    }

    /// A pod's containers, as its runtime knows them.
    pub(crate) fn containers_of(&self, found: &FoundPod) -> impl Iterator<Item = &ListedContainer> {
        containers(&self.held, found)
    }

    /// Every pod there is, without what it uses, and which might be missing. What
    /// [`Pods::refresh`] found stays as it is.
    pub(crate) fn census(&mut self) -> Census<'_> {
        let mut problems = Vec::new();
        let is_told = self.manifests.is_some() || self.has_roots;
        if let Some(manifests) = &mut self.manifests {
            manifests.refresh(now());
            note(&mut problems, manifests.problems());
            if manifests.is_waiting() {
                problems.push("the manifests are not read yet".to_owned());
            }
        }
        let manifests = self.manifests.as_ref().map_or(&[][..], Manifests::pods);
        let listings = self.runtimes.listings();
        let held: Vec<_> = listings.chain([self.remembered.silent()]).collect();
        let known: Vec<_> = held.iter().map(|held| &*held.pods).collect();
        Census {
            listing: self.runtime.list_pods(manifests, &known),
            manifests,
            hierarchies: &self.hierarchies,
            problems,
            is_told: is_told || !self.runtimes.is_empty(),
            unasked: self.runtimes.unknown(),
        }
    }

    /// Whether the manifests' directory has not answered yet.
    pub(crate) fn awaits_manifests(&self) -> bool {
        self.manifests.as_ref().is_some_and(Manifests::is_waiting)
    }

    /// Whether the manifests were read since the start, where there are any.
    fn knows_manifests(&self) -> bool {
        self.manifests.as_ref().is_none_or(Manifests::is_read)
    }

    /// Pods that a manifest describes and of which nothing runs here.
    pub(crate) fn not_running(&self) -> impl Iterator<Item = &Pod> {
        let described = self.manifests.as_ref().map_or(&[][..], Manifests::pods);
        let not_running = self.listing.not_running.iter();
        not_running.filter_map(|index| described.get(*index).map(AsRef::as_ref))
    }
}

fn note<T: ToString>(problems: &mut Vec<String>, new: &[T]) {
    for problem in new {
        problems.push(problem.to_string());
    }
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
