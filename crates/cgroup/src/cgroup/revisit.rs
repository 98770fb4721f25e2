//! Taking a list of pods for what it still is, without asking for memory: it is wanted
//! when there is none.

use alloc::sync::Arc;
use core::mem::take;

use evictd_stats::{Hierarchies, Hierarchy, is_gone};
use rustix::fd::{AsFd, OwnedFd};

use super::CgroupRuntime;
use super::backend::{numbers, open_running, says_something};
use super::trail::{walk, walk_protected};
use crate::dir::by_rank;
use crate::{FoundPod, Listing, Origin, RuntimePod, SkipReason, Skipped};

/// How much of a list is compared with what is there now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// All that a new list would be made of.
    All,
    /// Which cgroups there are, and in which of them anything runs: neither what they
    /// say of their pods, nor where the protected processes are, whom a kill spares
    /// whatever the list says. For when that was compared a moment ago.
    Running,
}

impl CgroupRuntime {
    /// Shows `keep` the pods of a list that [`CgroupRuntime::visit_pods`] made, as that
    /// does, and takes out those that have ended. Answers whether the list is now what
    /// a new one would be, as far as that is compared; if not, make a new one.
    ///
    /// The manifests have to be the same as then, and so has every pod of the container
    /// runtimes that `runtime` gives by its index. No memory is asked for, except where
    /// many pods have ended.
    pub fn revisit_pods<'a>(
        &mut self,
        listing: &mut Listing,
        recheck: Recheck,
        runtime: &dyn Fn(usize) -> Option<&'a RuntimePod>,
        keep: &mut dyn FnMut(&FoundPod, Option<OwnedFd>) -> bool,
    ) -> bool {
        let Self {
            config, proc, text, ..
        } = self;
        let Some(hierarchy) = by_rank(&config.hierarchies).next() else {
            return false;
        };
        let mut follower = listing.trail.follow(recheck);
        let roots = &config.pod_cgroup_roots;
        walk(hierarchy, roots, &mut |step| follower.step(Some(step)));
        if !follower.is_at_end() {
            walk_protected(proc, text, &mut |_, step| follower.step(step));
        }
        if !follower.has_arrived() || !listing.skipped.iter().all(|one| stays_out(hierarchy, one)) {
            return false;
        }
        let (pods, mut is_same, mut all_stay) = (&mut listing.pods, true, true);
        pods.retain_mut(|found| {
            if !is_same {
                return true;
            }
            // The same pod is kept once.
            let of_runtime = found.runtime.and_then(runtime);
            if let Some(of) = of_runtime.filter(|of| *of.pod == *found.pod) {
                found.pod = Arc::clone(&of.pod);
            }
            let says_the_same = |dir: &Option<OwnedFd>| {
                recheck == Recheck::Running
                    || says_the_same(&config.hierarchies, found, runtime, dir.as_ref())
            };
            let stays = match open_running(hierarchy, &found.cgroup, &found.more_cgroups) {
                Ok(dir) if says_the_same(&dir) => keep(found, dir),
                Err(SkipReason::NoProcesses) => false,
                Ok(_) | Err(_) => {
                    is_same = false;
                    true
                }
            };
            if !stays {
                // Of what ended only the first cgroup is remembered, and no manifest.
                is_same &= found.more_cgroups.is_empty() && found.manifest.is_none();
                all_stay = false;
                listing.skipped.push(Skipped {
                    cgroup: take(&mut found.cgroup),
                    reason: SkipReason::NoProcesses,
                });
            }
            stays
        });
        // Who stood back for one that has ended may be a pod now.
        let stood_back =
            |one: &Skipped| matches!(one.reason, SkipReason::HoldsPods | SkipReason::SamePod);
        is_same && (all_stay || !listing.skipped.iter().any(stood_back))
    }
}

/// Whether a cgroup still says of its pod what it said.
fn says_the_same<'a>(
    hierarchies: &Hierarchies,
    found: &FoundPod,
    runtime: &dyn Fn(usize) -> Option<&'a RuntimePod>,
    dir: Option<&OwnedFd>,
) -> bool {
    let of_runtime = found.runtime.and_then(runtime);
    if found.manifest.is_some() || of_runtime.is_some_and(says_something) {
        return true; // it was not asked
    }
    let is_kubepods = found.origin == Origin::Kubepods;
    let class = found.pod.status.qos_class.filter(|_| is_kubepods);
    numbers(hierarchies, class, dir.map(AsFd::as_fd)).are_of(&found.pod)
}

/// Whether what was left out would be left out again, as far as it does not hang on
/// names.
fn stays_out(hierarchy: &Hierarchy, one: &Skipped) -> bool {
    match one.reason {
        SkipReason::Protected(_) | SkipReason::HoldsPods | SkipReason::SamePod => true,
        SkipReason::NoProcesses => {
            open_running(hierarchy, &one.cgroup, &[]).err() == Some(SkipReason::NoProcesses)
        }
        // That a root is not there is part of the trail.
        SkipReason::Failed(errno) => is_gone(errno),
    }
}
