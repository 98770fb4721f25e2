//! Who describes the pods beside their cgroups, and what they said: manifests and container
//! runtimes.

use alloc::sync::Arc;
use std::io;

use evictd_cgroup::{FoundPod, Listing};
use evictd_containers::{ListedContainer, RuntimeListing, RuntimePod};
use evictd_engine::ports::Heard;
use evictd_manifest::ManifestDir;
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_state::Protected;
use evictd_stats::{Hierarchies, now};

use super::manifests::Manifests;
use super::remembered::{MANIFESTS, Remembered};
use super::settled::Settled;
use super::tree::Tree;
use crate::runtimes::Runtimes;

/// The pods of the node at one moment.
pub struct AllPods<'a> {
    /// What was found in the cgroup tree.
    pub listing: Listing,
    /// What the indexes of the listing point to.
    pub manifests: &'a [Arc<Pod>],
    /// Where the cgroups are.
    pub hierarchies: &'a Hierarchies,
    /// Manifests that could not be read.
    pub problems: Vec<String>,
    /// Whether a flag says where pods are.
    pub is_told: bool,
    /// Container runtimes that did not say what they hold.
    pub unasked: Vec<String>,
}

/// Those who describe pods, and what they said last.
pub(super) struct Described {
    /// The container runtimes, which nobody waits for.
    pub(super) runtimes: Runtimes,
    /// What each of them held when the pods were last listed, and last what is remembered
    /// of those that have not answered yet.
    pub(super) held: Vec<Arc<RuntimeListing>>,
    manifests: Option<Manifests>,
    /// Which pods are protected, over a restart too.
    pub(super) remembered: Remembered,
    /// Which pods no runtime will describe.
    pub(super) settled: Settled,
    /// When all of it was last read; `None` before.
    pub(super) read: Option<Mono>,
}

impl Described {
    pub(super) fn new(manifests: Option<ManifestDir>, runtimes: Runtimes) -> Self {
        Self {
            runtimes,
            held: Vec::new(),
            manifests: manifests.map(Manifests::new),
            remembered: Remembered::default(),
            settled: Settled::default(),
            read: None,
        }
    }

    /// Has manifests read by a helper from now on, where there are any.
    pub(super) fn start_manifests(&mut self) -> io::Result<()> {
        let start = |manifests: &mut Manifests| manifests.start(now());
        self.manifests.as_mut().map_or(Ok(()), start)
    }

    /// The pods of manifests, as they were last read.
    pub(super) fn manifests(&self) -> &[Arc<Pod>] {
        self.manifests.as_ref().map_or(&[], Manifests::pods)
    }

    /// Whether there is anybody who may describe a pod.
    pub(super) fn is_possible(&self) -> bool {
        self.manifests.is_some() || !self.runtimes.is_empty()
    }

    /// Whether the manifests' directory has not answered yet.
    pub(super) fn awaits_manifests(&self) -> bool {
        self.manifests.as_ref().is_some_and(Manifests::is_waiting)
    }

    /// Whether the manifests were read since the start, where there are any.
    pub(super) fn knows_manifests(&self) -> bool {
        self.manifests.as_ref().is_none_or(Manifests::is_read)
    }

    /// How much was heard of them since the start.
    pub(super) fn heard(&self) -> Heard {
        if self.knows_manifests() {
            self.runtimes.heard()
        } else {
            Heard::Nothing
        }
    }

    /// Those of whom not all was heard.
    pub(super) fn unheard(&self) -> Vec<String> {
        let manifests = self.manifests.iter();
        let unread = manifests.filter(|manifests| !manifests.is_read());
        let unread = unread.map(|manifests| manifests.path().display().to_string());
        unread.chain(self.runtimes.unheard()).collect()
    }

    /// Whether a container runtime holds it that nobody will have remove it.
    pub(super) fn files_stay(&self, found: &FoundPod) -> bool {
        let known = self.of_runtime(found);
        known.is_some_and(|(_, pod)| !pod.is_replaced) && !self.runtimes.removes_all
    }

    /// The pod as its runtime describes it, and which runtime that is.
    pub(super) fn of_runtime(&self, found: &FoundPod) -> Option<(usize, &RuntimePod)> {
        let (runtime, at) = place(&self.held, found.runtime?)?;
        Some((runtime, self.held.get(runtime)?.pods.get(at)?))
    }

    /// Takes what the container runtimes hold now. Returns whether they know the same
    /// pods as before.
    pub(super) fn take_listings(&mut self) -> bool {
        let (held, mut is_same) = (&mut self.held, true);
        let all = self.runtimes.listings().chain([self.remembered.silent()]);
        for (at, new) in all.enumerate() {
            match held.get_mut(at) {
                Some(former) => {
                    is_same &= Arc::ptr_eq(former, &new)
                        || (former.pods == new.pods && former.notes == new.notes);
                    *former = new;
                }
                None => {
                    is_same = false;
                    held.push(new);
                }
            }
        }
        is_same
    }

    /// Reads the manifests, and notes what is wrong with any description.
    pub(super) fn read(&mut self, now: Mono, problems: &mut Vec<String>) {
        // Before, so that what is read meanwhile is in the next list.
        let is_described = self.knows_manifests();
        self.read = is_described.then_some(now);
        if let Some(manifests) = &mut self.manifests {
            manifests.refresh(now);
            problems.extend_from_slice(manifests.problems());
            problems.extend(manifests.late(now));
        }
        for held in &self.held {
            problems.extend(held.notes.iter().map(ToString::to_string));
            problems.extend(held.containers.iter().filter_map(mounts_left_out));
        }
    }

    /// Notes which pods are never to be evicted, by those who have said something since the
    /// start.
    pub(super) fn remember_protected(&mut self, found: &[FoundPod]) {
        let (mut answered, mut protected) = (Vec::new(), Protected::new());
        for (endpoint, held) in self.runtimes.answered().zip(&self.held) {
            let Some(endpoint) = endpoint else {
                continue;
            };
            answered.push(endpoint);
            let critical = held.pods.iter().filter(|pod| pod.pod.is_critical());
            for cgroup in critical.flat_map(|pod| &pod.cgroups) {
                protected.push((cgroup.to_path_buf(), endpoint.to_owned()));
            }
        }
        if self.manifests.as_ref().is_none_or(Manifests::has_answered) {
            answered.push(MANIFESTS);
            let described = found.iter().filter(|found| found.manifest.is_some());
            for found in described.filter(|found| found.pod.is_critical()) {
                protected.push((found.cgroup.to_path_buf(), MANIFESTS.to_owned()));
            }
        }
        self.remembered.note(&answered, protected);
    }

    /// Every pod there is, without what it uses, and which might be missing.
    pub(super) fn all_pods<'a>(&'a mut self, tree: &'a mut Tree) -> AllPods<'a> {
        let mut problems = Vec::new();
        let is_told = self.manifests.is_some() || tree.is_told;
        if let Some(manifests) = &mut self.manifests {
            manifests.refresh(now());
            problems.extend_from_slice(manifests.problems());
            if manifests.is_waiting() {
                problems.push("the manifests are not read yet".to_owned());
            }
        }
        let manifests = self.manifests();
        let listings = self.runtimes.listings();
        let held: Vec<_> = listings.chain([self.remembered.silent()]).collect();
        let known: Vec<_> = held.iter().map(|held| &*held.pods).collect();
        AllPods {
            listing: tree.runtime.list_pods(manifests, &known),
            manifests,
            hierarchies: &tree.hierarchies,
            problems,
            is_told: is_told || !self.runtimes.is_empty(),
            unasked: self.runtimes.unknown(),
        }
    }
}

/// Its containers, as its runtime knows them.
pub(super) fn containers<'a>(
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
/// What is said of a container with more mounts than are kept.
fn mounts_left_out(container: &ListedContainer) -> Option<String> {
    let mut mounts = container.mounts.iter();
    let left_out = mounts.find(|mount| mount.left_out > 0)?.left_out;
    let name = container.name.escape_debug();
    Some(format!(
        "container {name} has too many mounts: what it writes to {left_out} of them is not measured"
    ))
}
