//! Listing the pods and reading what each uses, in the memory of the list from before.

use alloc::sync::Arc;
use core::time::Duration;
use std::os::fd::OwnedFd;

use evictd_cgroup::FoundPod;
use evictd_containers::RuntimePod;
use evictd_engine::ports::Depth;
use evictd_engine::state::Protected;
use evictd_node::Mono;
use evictd_stats::take_lack;
use smallvec::SmallVec;

use super::remembered::MANIFESTS;
use super::usage::{self, Gone};
use super::{Manifests, Pods, containers, note};

/// Told once: the cgroup of all pods may lack the controller though the machine has it.
const NOT_COUNTED: &str = "no controller counts the memory of the pods' cgroups: that of their \
     processes stands in (v2: write +memory to cgroup.subtree_control of the cgroup above)";

/// Nothing is decided meanwhile.
const LACKS_DESCRIPTORS: &str = "file descriptors are lacking to list pods, to read what they use \
     or to end one (RLIMIT_NOFILE, ulimit -n; or fs.file-max): until there are some no pod is \
     evicted";

/// Where memory is short, manifests and requests of cgroups that were read so lately are
/// taken for what they say now, as long as no pod is new: the directory may lie on a slow
/// disk, and each file takes its time. The kubelet looks at manifests as often.
const LATELY: Duration = Duration::from_secs(20);

/// Pods for which there is room from the first one on: a list that grows leaves behind what it was in
/// before, and room that nobody touches takes no memory.
const USUAL_PODS: usize = 1024;

/// Container runtimes for whose pods no memory is asked: there are four kinds of them, and
/// what is remembered of those that are silent.
const USUAL_RUNTIMES: usize = 8;

impl Pods {
    /// Lists the pods and reads what each uses. A pod that vanishes meanwhile is left
    /// out; a manifest that cannot be read is a problem, and the others stay.
    pub(crate) fn refresh(&mut self, now: Mono, depth: Depth) {
        self.lacks_descriptors = false;
        self.with_descriptors(|pods| pods.read_all(now, depth));
    }

    /// Reads, and where that lacked a descriptor once more, with those that are held for it.
    /// Where it lacks one even so, nothing is decided by what was read.
    pub(super) fn with_descriptors(&mut self, mut read: impl FnMut(&mut Self)) {
        take_lack();
        let problems = self.problems.len();
        read(self);
        if take_lack() {
            self.runtime.free_descriptors();
            self.problems.truncate(problems);
            read(self);
            self.note_lack();
        }
        self.runtime.hold_descriptors();
    }

    /// Notes whether a descriptor was lacking since that was last asked.
    pub(super) fn note_lack(&mut self) {
        if take_lack() && !self.lacks_descriptors {
            self.lacks_descriptors = true;
            note(&mut self.problems, &[LACKS_DESCRIPTORS]);
        }
    }

    fn read_all(&mut self, now: Mono, depth: Depth) {
        self.of_containers.clear();
        let holds_same = self.take_listings();
        let is_recent = |described| now.since(described) < LATELY;
        let is_recent = depth == Depth::Bounds && self.described.is_some_and(is_recent);
        if !(is_recent && holds_same && self.list(depth, true)) {
            // Before, so that what is read meanwhile is in the next list.
            let is_described = self.knows_manifests();
            self.described = is_described.then_some(now);
            self.read_manifests(now);
            self.list(depth, false);
        }
        let Self { disk, held, .. } = self;
        if let Some(disk) = disk
            && depth == Depth::Whole
        {
            let containers = |found: &FoundPod| containers(held, found).collect();
            let runtimes = self.runtimes.disks();
            disk.add(&self.listing.pods, &containers, &runtimes, &mut self.usage);
            disk.add_open_files(&self.hierarchies, &self.listing.pods, &mut self.usage);
        }
    }

    /// Takes what the container runtimes hold now. Returns whether they know the same
    /// pods as before.
    fn take_listings(&mut self) -> bool {
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

    /// Notes which pods are never to be evicted, by those who have said something since the
    /// start.
    fn remember_protected(&mut self) {
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
            let described = self
                .listing
                .pods
                .iter()
                .filter(|found| found.manifest.is_some());
            for found in described.filter(|found| found.pod.is_critical()) {
                protected.push((found.cgroup.to_path_buf(), MANIFESTS.to_owned()));
            }
        }
        self.remembered.note(&answered, protected);
    }

    fn read_manifests(&mut self, now: Mono) {
        self.problems.clear();
        if let Some(manifests) = &mut self.manifests {
            manifests.refresh(now);
            note(&mut self.problems, manifests.problems());
            self.problems.extend(manifests.late(now));
        }
        for held in &self.held {
            note(&mut self.problems, &held.notes);
        }
        self.listing_problems = self.problems.len();
    }

    /// Lists the pods into the list from before, with `as_known` as they were described then.
    /// Returns `false` where a pod is new of which nothing was read yet.
    fn list(&mut self, depth: Depth, as_known: bool) -> bool {
        self.problems.truncate(self.listing_problems);
        let held = self.held.iter().map(|held| &*held.pods);
        let known: SmallVec<[&[RuntimePod]; USUAL_RUNTIMES]> = held.collect();
        let mut reading = usage::Reading {
            of: &self.hierarchies,
            reader: &mut self.reader,
            held: &self.held,
            problems: &mut self.problems,
            by_processes: false,
        };
        let mut uncounted = 0;
        let (is_silent, settled) = (self.runtimes.is_silent(), &self.settled);
        let (usage, bounds) = (&mut self.usage, &mut self.bounds);
        usage.clear();
        bounds.clear();
        // Reads what each pod uses; one that has vanished is left out.
        let mut keep = |found: &FoundPod, dir: Option<OwnedFd>| {
            let is_bounded = depth == Depth::Bounds;
            reading.by_processes = false;
            let bound = is_bounded.then(|| reading.bound(found, dir.as_ref()));
            let bound = bound.flatten();
            let (mut read, is_bound) = match bound {
                Some(bound) => (Some(bound), true),
                None => match reading.whole(found, dir) {
                    Ok(whole) => (whole, reading.by_processes),
                    Err(Gone) => return false,
                },
            };
            uncounted += usize::from(reading.by_processes);
            if let Some(read) = &mut read {
                read.undescribed = is_silent && settled.leaves_open(found);
            }
            if usage.is_empty() {
                usage.reserve(USUAL_PODS);
                bounds.reserve(USUAL_PODS);
            }
            usage.push(read);
            bounds.push(is_bound);
            true
        };
        let (runtime, listing) = (&mut self.runtime, &mut self.listing);
        let is_whole = if as_known {
            runtime.list_known(listing, &known, &mut keep)
        } else {
            let manifests = self.manifests.as_ref().map_or(&[][..], Manifests::pods);
            runtime.list_again(listing, manifests, &known, &mut keep);
            true
        };
        drop(known);
        if depth == Depth::Whole {
            if !is_silent && !self.runtimes.is_empty() {
                self.settled.note(&self.listing.pods);
            }
            self.remember_protected();
        }
        self.by_processes = uncounted > 0 && uncounted == self.usage.len();
        if self.by_processes && self.hierarchies.memory.is_some() {
            note(&mut self.problems, &[NOT_COUNTED]);
        }
        is_whole
    }
}
