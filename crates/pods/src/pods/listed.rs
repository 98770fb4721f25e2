//! The pods that run and what each uses, in the memory of the list from before.

use alloc::sync::Arc;
use std::os::fd::OwnedFd;

use evictd_cgroup::{FoundPod, Listing};
use evictd_containers::RuntimePod;
use evictd_engine::ports::Depth;
use evictd_node::Mono;
use evictd_rank::Candidate;
use evictd_stats::take_lack;
use rustix::param::page_size;
use smallvec::SmallVec;

use super::described::Described;
use super::stalling::Stalling;
use super::tree::Tree;
use super::usage::{Gone, Reading};

/// Told once: the cgroup of all pods may lack the controller though the machine has it.
const NOT_COUNTED: &str = "no controller counts the memory of the pods' cgroups: that of their \
     processes stands in (v2: write +memory to cgroup.subtree_control of the cgroup above)";

/// Nothing is decided meanwhile.
const LACKS_DESCRIPTORS: &str = "file descriptors are lacking to list pods, to read what they use \
     or to end one (RLIMIT_NOFILE, ulimit -n; or fs.file-max): until there are some no pod is \
     evicted";

/// Pods for which there is room from the first one on: a list that grows leaves behind what it was in
/// before, and room that nobody touches takes no memory.
const USUAL_PODS: usize = 1024;

/// Container runtimes for whose pods no memory is asked: there are four kinds of them, and
/// what is remembered of those that are silent.
const USUAL_RUNTIMES: usize = 8;

/// Room for the containers of the pods that are read exactly; they hardly have more.
const USUAL_CONTAINERS: usize = 64;

/// The pods of the last list.
pub(super) struct Listed {
    /// The pods that run, and what is no pod.
    pub(super) listing: Listing,
    /// Those pods with what they use.
    pub(super) candidates: Vec<Candidate>,
    /// Of which pods the memory that they use is an upper bound.
    pub(super) bounds: Vec<bool>,
    /// Of pods that were read exactly, by their index, what each container uses.
    pub(super) of_containers: Vec<(usize, Option<u64>)>,
    /// What each takes from the others, by the looks at all that they use.
    stalling: Stalling,
    /// No controller counts what the pods use of memory: that of their processes stands in.
    pub(super) by_processes: bool,
    pub(super) problems: Vec<String>,
    /// How many of the problems the descriptions of pods have.
    described_problems: usize,
    /// Descriptors were lacking for what was read last.
    pub(super) lacks_descriptors: bool,
}

impl Listed {
    pub(super) fn new() -> Self {
        Self {
            listing: Listing::default(),
            candidates: Vec::new(),
            bounds: Vec::new(),
            of_containers: Vec::with_capacity(USUAL_CONTAINERS),
            stalling: Stalling::new(u64::try_from(page_size()).unwrap_or(0)),
            by_processes: false,
            problems: Vec::new(),
            described_problems: 0,
            lacks_descriptors: false,
        }
    }

    /// Forgets what each pod uses, and keeps the memory for it.
    pub(super) fn rest(&mut self) {
        self.candidates.clear();
        self.bounds.clear();
    }

    /// Gives back the memory of all lists.
    pub(super) fn forget(&mut self) {
        self.listing = Listing::default();
        (self.candidates, self.bounds) = (Vec::new(), Vec::new());
    }

    /// Notes whether a descriptor was lacking since that was last asked.
    pub(super) fn note_lack(&mut self) {
        if take_lack() && !self.lacks_descriptors {
            self.lacks_descriptors = true;
            self.problems.push(LACKS_DESCRIPTORS.to_owned());
        }
    }

    /// Has all described anew, and keeps no problem but those of the descriptions.
    pub(super) fn describe(&mut self, describe: impl FnOnce(&mut Vec<String>)) {
        self.problems.clear();
        describe(&mut self.problems);
        self.described_problems = self.problems.len();
    }

    /// Lists the pods into the list from before, with `as_known` as they were described then.
    /// Returns `false` where a pod is new of which nothing was read yet.
    pub(super) fn list(
        &mut self,
        (now, depth): (Mono, Depth),
        tree: &mut Tree,
        described: &mut Described,
        as_known: bool,
    ) -> bool {
        self.problems.truncate(self.described_problems);
        let held = described.held.iter().map(|held| &*held.pods);
        let known: SmallVec<[&[RuntimePod]; USUAL_RUNTIMES]> = held.collect();
        let (of, reader) = (&tree.hierarchies, &mut tree.reader);
        let mut reading = Reading::new(of, reader, &described.held, &mut self.problems);
        let is_whole_look = depth == Depth::Whole;
        let mut stalling = is_whole_look.then(|| self.stalling.begin(now));
        let mut uncounted = 0;
        let (is_silent, settled) = (described.runtimes.is_silent(), &described.settled);
        let (candidates, bounds) = (&mut self.candidates, &mut self.bounds);
        candidates.clear();
        bounds.clear();
        // Reads what each pod uses; one that has vanished is left out.
        let mut keep = |found: &FoundPod, dir: Option<OwnedFd>| {
            let is_bounded = depth == Depth::Bounds;
            reading.by_processes = false;
            let bound = is_bounded.then(|| reading.bound(found, dir.as_ref()));
            let bound = bound.flatten();
            let (mut usage, is_bound) = match bound {
                Some(bound) => (Some(bound), true),
                None => match reading.whole(found, dir) {
                    Ok(whole) => (whole, reading.by_processes),
                    Err(Gone) => return false,
                },
            };
            uncounted += usize::from(reading.by_processes);
            if let Some(usage) = &mut usage {
                if let Some(stalling) = &mut stalling {
                    usage.stalls = stalling.note(now, found, usage, reading.refaulted_pages);
                }
                usage.undescribed = is_silent && settled.leaves_open(found);
            }
            if candidates.is_empty() {
                candidates.reserve(USUAL_PODS);
                bounds.reserve(USUAL_PODS);
            }
            let pod = Arc::clone(&found.pod);
            candidates.push(Candidate { pod, usage });
            bounds.push(is_bound);
            true
        };
        let (runtime, listing) = (&mut tree.runtime, &mut self.listing);
        let is_whole = if as_known {
            runtime.list_known(listing, &known, &mut keep)
        } else {
            runtime.list_again(listing, described.manifests(), &known, &mut keep);
            true
        };
        drop(known);
        if depth == Depth::Whole {
            if !is_silent && !described.runtimes.is_empty() {
                described.settled.note(&self.listing.pods);
            }
            described.remember_protected(&self.listing.pods);
        }
        self.by_processes = uncounted > 0 && uncounted == self.candidates.len();
        if self.by_processes && tree.hierarchies.memory.is_some() {
            self.problems.push(NOT_COUNTED.to_owned());
        }
        is_whole
    }
}
