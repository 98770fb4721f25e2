//! Listing the pods and reading what each uses: the list from before where it still
//! holds, which asks for no memory.

use alloc::sync::Arc;
use core::time::Duration;
use std::os::fd::OwnedFd;

use evictd_cgroup::{FoundPod, Recheck};
use evictd_engine::ports::Depth;
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;

use super::{Pods, all_pods, containers, note, runtime_pod, usage};

/// Where memory is short, manifests and requests of cgroups that were read so lately are
/// taken for what they say now, as long as no pod is new: the directory may lie on a slow
/// disk, and each file takes its time. The kubelet looks at manifests as often.
const LATELY: Duration = Duration::from_secs(20);

impl Pods {
    /// Lists the pods and reads what each uses. A pod that vanishes meanwhile is left
    /// out; a manifest that cannot be read is a problem, and the others stay.
    pub(crate) fn refresh(&mut self, now: Mono, depth: Depth) {
        self.of_containers.clear();
        if !self.revisit(now, depth) {
            self.list(now, depth);
        }
        let Self { disk, held, .. } = self;
        if let Some(disk) = disk
            && depth == Depth::Whole
        {
            let containers = |found: &FoundPod| containers(held, found).collect();
            disk.add(&self.listing.pods, &containers, &mut self.usage);
        }
    }

    /// Reads what the pods of the list use that still run. Answers whether these are all
    /// there are.
    fn revisit(&mut self, now: Mono, depth: Depth) -> bool {
        let Some(compared) = self.compared else {
            return false;
        };
        let is_recent = depth == Depth::Bounds && now.since(compared) < LATELY;
        if !(is_recent || self.manifests.is_none()) || !self.hold_the_same() {
            return false;
        }
        let recheck = if is_recent {
            Recheck::Running
        } else {
            self.compared = Some(now);
            Recheck::All
        };
        self.problems.truncate(self.listing_problems);
        let held = &self.held;
        let mut usages = Usages::new(
            usage::Reading {
                of: &self.hierarchies,
                reader: &mut self.reader,
                held,
                problems: &mut self.problems,
            },
            (&mut self.usage, &mut self.bounds),
            depth,
        );
        self.runtime.revisit_pods(
            &mut self.listing,
            recheck,
            &|index| runtime_pod(held, index),
            &mut |found, dir| usages.take(found, dir),
        )
    }

    /// Whether the container runtimes know the same pods as when the list was made.
    fn hold_the_same(&mut self) -> bool {
        let mut held = self.held.iter_mut();
        let is_same = self.runtimes.each_listing(&mut |new| {
            held.next().is_some_and(|held| {
                let is_same =
                    Arc::ptr_eq(held, &new) || (held.pods == new.pods && held.notes == new.notes);
                if is_same {
                    *held = new;
                }
                is_same
            })
        });
        is_same && held.next().is_none()
    }

    fn list(&mut self, now: Mono, depth: Depth) {
        self.problems.clear();
        let described: &[Pod] = match &mut self.manifests {
            None => &[],
            Some(directory) => {
                note(&mut self.problems, directory.refresh());
                directory.pods()
            }
        };
        self.compared = Some(now);
        self.held = self.runtimes.listings();
        for held in &self.held {
            note(&mut self.problems, &held.notes);
        }
        self.listing_problems = self.problems.len();
        let held = &self.held;
        let known = all_pods(held);
        let mut usages = Usages::new(
            usage::Reading {
                of: &self.hierarchies,
                reader: &mut self.reader,
                held,
                problems: &mut self.problems,
            },
            (&mut self.usage, &mut self.bounds),
            depth,
        );
        let former = core::mem::take(&mut self.listing);
        self.listing = self
            .runtime
            .visit_pods(described, &known, former, &mut |found, dir| {
                usages.take(found, dir)
            });
    }
}

/// What the pods of a list use, in its order.
struct Usages<'a> {
    reading: usage::Reading<'a>,
    usage: &'a mut Vec<Option<PodUsage>>,
    bounds: &'a mut Vec<bool>,
    depth: Depth,
}

impl<'a> Usages<'a> {
    fn new(
        reading: usage::Reading<'a>,
        (usage, bounds): (&'a mut Vec<Option<PodUsage>>, &'a mut Vec<bool>),
        depth: Depth,
    ) -> Self {
        usage.clear();
        bounds.clear();
        Self {
            reading,
            usage,
            bounds,
            depth,
        }
    }

    /// Reads what the next pod uses; `false` when it has vanished.
    fn take(&mut self, found: &FoundPod, dir: Option<OwnedFd>) -> bool {
        let is_bounded = self.depth == Depth::Bounds;
        let bound = is_bounded.then(|| self.reading.bound(found, dir.as_ref()));
        let (read, is_bound) = match bound.flatten() {
            Some(bound) => (Ok(Some(bound)), true),
            None => (self.reading.whole(found, dir), false),
        };
        let Ok(read) = read else {
            return false;
        };
        self.usage.push(read);
        self.bounds.push(is_bound);
        true
    }
}
