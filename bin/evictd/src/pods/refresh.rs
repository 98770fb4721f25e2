//! Listing the pods and reading what each uses, in the memory of the list from before.

use alloc::sync::Arc;
use core::mem::take;
use core::time::Duration;
use std::os::fd::OwnedFd;

use evictd_cgroup::{Beside, FoundPod, Same};
use evictd_engine::ports::{Depth, emptied};
use evictd_manifest::ManifestDir;
use evictd_node::Mono;

use super::{Pods, all_pods, containers, note, usage};

/// Where memory is short, manifests and requests of cgroups that were read so lately are
/// taken for what they say now, as long as no pod is new: the directory may lie on a slow
/// disk, and each file takes its time. The kubelet looks at manifests as often.
const LATELY: Duration = Duration::from_secs(20);

/// Pods for which there is room from the first one on: a list that grows leaves behind what it was in
/// before, and room that nobody touches takes no memory.
const USUAL_PODS: usize = 1024;

impl Pods {
    /// Lists the pods and reads what each uses. A pod that vanishes meanwhile is left
    /// out; a manifest that cannot be read is a problem, and the others stay.
    pub(crate) fn refresh(&mut self, now: Mono, depth: Depth) {
        self.of_containers.clear();
        let holds_same = self.take_listings();
        let is_recent = |described| now.since(described) < LATELY;
        let is_recent = depth == Depth::Bounds && self.described.is_some_and(is_recent);
        if !(is_recent && holds_same && self.list(depth, Same::Descriptions)) {
            self.described = Some(now);
            self.read_manifests();
            let same = if holds_same {
                Same::Runtimes
            } else {
                Same::Nothing
            };
            self.list(depth, same);
        }
        let Self { disk, held, .. } = self;
        if let Some(disk) = disk
            && depth == Depth::Whole
        {
            let containers = |found: &FoundPod| containers(held, found).collect();
            disk.add(&self.listing.pods, &containers, &mut self.usage);
        }
    }

    /// Takes what the container runtimes hold now. Returns whether they know the same
    /// pods as before.
    fn take_listings(&mut self) -> bool {
        let (held, mut is_same) = (&mut self.held, true);
        for (at, new) in self.runtimes.listings().enumerate() {
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

    fn read_manifests(&mut self) {
        self.problems.clear();
        if let Some(directory) = &mut self.manifests {
            note(&mut self.problems, directory.refresh());
        }
        for held in &self.held {
            note(&mut self.problems, &held.notes);
        }
        self.listing_problems = self.problems.len();
    }

    /// Lists the pods into the list from before. Returns `false` where a pod is new of
    /// which nothing was read yet.
    fn list(&mut self, depth: Depth, same: Same) -> bool {
        self.problems.truncate(self.listing_problems);
        let mut known = emptied(take(&mut self.known));
        known.extend(all_pods(&self.held));
        let beside = Beside {
            manifests: self.manifests.as_ref().map_or(&[], ManifestDir::pods),
            runtime: &known,
            same,
        };
        let mut reading = usage::Reading {
            of: &self.hierarchies,
            reader: &mut self.reader,
            held: &self.held,
            problems: &mut self.problems,
        };
        let (usage, bounds) = (&mut self.usage, &mut self.bounds);
        usage.clear();
        bounds.clear();
        // Reads what each pod uses; one that has vanished is left out.
        let mut keep = |found: &FoundPod, dir: Option<OwnedFd>| {
            let is_bounded = depth == Depth::Bounds;
            let bound = is_bounded.then(|| reading.bound(found, dir.as_ref()));
            let bound = bound.flatten();
            let is_bound = bound.is_some();
            let whole = || reading.whole(found, dir).ok();
            let Some(read) = bound.map(Some).or_else(whole) else {
                return false;
            };
            if usage.is_empty() {
                usage.reserve(USUAL_PODS);
                bounds.reserve(USUAL_PODS);
            }
            usage.push(read);
            bounds.push(is_bound);
            true
        };
        let is_whole = self
            .runtime
            .list_again(&mut self.listing, beside, &mut keep);
        self.known = emptied(known);
        is_whole
    }
}
