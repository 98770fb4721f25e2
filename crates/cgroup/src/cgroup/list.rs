//! Listing the pods, in the memory of the list from before: pods are listed when memory
//! is short, and then none may be asked for.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::take;
use std::path::Path;

use evictd_node::pod::Pod;
use evictd_stats::Hierarchy;
use rustix::fd::{AsFd, OwnedFd};

use super::CgroupRuntime;
use super::described::{Described, Orders};
use super::identify::{Lookup, identity};
use super::protected::Protected;
use super::renewed::Renewed;
use super::search::{Candidate, Candidates, Places, more_cgroups};
use crate::dir::{by_rank, twice};
use crate::procs::is_populated;
use crate::{FoundPod, Listing, Origin, RuntimePod, SkipReason, Skipped};

/// What is known of pods beside their cgroups, when they are listed anew.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a> {
    /// What manifests describe.
    pub manifests: &'a [Arc<Pod>],
    /// The pods of all container runtimes.
    pub runtime: &'a [&'a RuntimePod],
    /// What of that is as it was.
    pub same: Same,
}

/// What is as it was when the list from before was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// Nothing that is known of.
    Nothing,
    /// The pods of the container runtimes.
    Runtimes,
    /// All that describes pods, as that was read a moment ago: manifests, container
    /// runtimes, and what cgroups say of their pods. Only which pods there are, and which
    /// of them run, may have changed.
    Descriptions,
}

/// What a list is made in; the next one takes no more memory, as long as there is no more
/// to list.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    candidates: Candidates,
    manifests: Orders,
    runs: Vec<bool>,
    /// The numbers of the pods of the list, in the order of their uids.
    by_uid: Vec<usize>,
    protected: Protected,
}

impl CgroupRuntime {
    /// Lists pods as [`PodSource::list_pods`](crate::PodSource::list_pods) does, into a
    /// list that was made before, and shows each to `keep` while its cgroup is open: in
    /// the memory controller's hierarchy where there is one, and `None` where only further
    /// cgroups of the pod are left. A pod for which it returns `false` is left out.
    ///
    /// What has not changed is taken over from the list; where nothing has, no memory is
    /// asked for. Returns `false` where the list is not whole because a pod is new, and
    /// [`Same::Descriptions`] was wrong for that: list again without that.
    pub fn list_again(
        &mut self,
        listing: &mut Listing,
        beside: Beside<'_>,
        keep: &mut dyn FnMut(&FoundPod, Option<OwnedFd>) -> bool,
    ) -> bool {
        let mut scratch = take(&mut self.scratch);
        let mut pods = Renewed::of(take(&mut listing.pods));
        let mut skipped = Renewed::of(take(&mut listing.skipped));
        let is_whole = self.fill((&mut pods, &mut skipped), &mut scratch, beside, keep);
        // Where it is not whole, the former pods are for the list that is made instead.
        listing.pods = pods.into_list(!is_whole);
        listing.skipped = skipped.into_list(false);
        scratch.note_not_running(listing, beside.manifests.len());
        self.scratch = scratch;
        is_whole
    }

    fn places<'a>(&'a self, hierarchy: &'a Hierarchy) -> Places<'a> {
        Places {
            hierarchy,
            roots: &self.config.pod_cgroup_roots,
            services: self.config.services.of,
            kept_in: self.config.hierarchies.services.as_ref(),
        }
    }

    fn fill(
        &mut self,
        (pods, skipped): (&mut Renewed<FoundPod>, &mut Renewed<Skipped>),
        scratch: &mut Scratch,
        beside: Beside<'_>,
        keep: &mut dyn FnMut(&FoundPod, Option<OwnedFd>) -> bool,
    ) -> bool {
        let Some(hierarchy) = by_rank(&self.config.hierarchies).next() else {
            return true;
        };
        let Scratch {
            candidates,
            manifests,
            by_uid,
            protected,
            ..
        } = scratch;
        let places = self.places(hierarchy);
        candidates.search(&places, beside.runtime, &mut |place, errno| {
            skip(skipped, place, SkipReason::Failed(errno));
        });
        let all = candidates.all();
        pods.reserve(all.len());
        by_uid.clear();
        by_uid.reserve_exact(all.len());
        protected.read_for(all.len(), &self.proc, &self.config.hierarchies, hierarchy);
        let lookup = Lookup {
            hierarchies: &self.config.hierarchies,
            manifests: Described::new(beside.manifests, manifests),
            beside,
        };
        for candidate in all {
            let path = candidates.path(candidate);
            let more = more_cgroups(candidate, beside.runtime);
            let dir = match open_candidate(&places, protected, (candidate, path), more) {
                Ok(dir) => dir,
                Err(reason) => {
                    skip(skipped, path, reason);
                    continue;
                }
            };
            let former = pods.take(|former| is_at(&former.cgroup, path));
            let Some(mut found) = lookup.identify(candidate, path, dir.as_ref(), former) else {
                let former = skipped.take(|former| is_at(&former.cgroup, path));
                let Some(former) = former.filter(|former| former.reason == SkipReason::Spared)
                else {
                    return false;
                };
                skipped.push(former);
                continue;
            };
            if self.config.services.spare(&found.pod.metadata.name, path) {
                skip(skipped, path, SkipReason::Spared);
                continue;
            }
            tell_apart(pods, by_uid, &mut found, path);
            if keep(&found, dir) {
                pods.push(found);
            } else {
                by_uid.retain(|at| *at != pods.len());
            }
        }
        true
    }
}

/// Gives a pod the identity of its path where another cgroup has its own already.
fn tell_apart(
    pods: &Renewed<FoundPod>,
    by_uid: &mut Vec<usize>,
    found: &mut FoundPod,
    path: &Path,
) {
    if is_new(pods, by_uid, found) {
        return;
    }
    Arc::make_mut(&mut found.pod).metadata.uid = identity(path);
    while !is_new(pods, by_uid, found) {
        Arc::make_mut(&mut found.pod).metadata.uid.push('\'');
    }
}

impl Scratch {
    fn note_not_running(&mut self, listing: &mut Listing, manifests: usize) {
        self.runs.clear();
        self.runs.resize(manifests, false);
        for index in listing.pods.iter().filter_map(|pod| pod.manifest) {
            if let Some(runs) = self.runs.get_mut(index) {
                *runs = true;
            }
        }
        let not_running = self.runs.iter().enumerate().filter(|(_, runs)| !**runs);
        listing.not_running.clear();
        listing
            .not_running
            .extend(not_running.map(|(index, _)| index));
    }
}

/// Bytes: a path would be compared part by part.
fn is_at(known: &Path, path: &Path) -> bool {
    known.as_os_str() == path.as_os_str()
}

/// Notes a cgroup that is no candidate, in the memory of the former note where it was none
/// before.
fn skip(skipped: &mut Renewed<Skipped>, cgroup: &Path, reason: SkipReason) {
    let former = skipped.take(|former| is_at(&former.cgroup, cgroup));
    let cgroup = former.map_or_else(|| cgroup.to_path_buf(), |former| former.cgroup);
    skipped.push(Skipped { cgroup, reason });
}

/// Opens a candidate in which something runs. A service may have no cgroup but where its
/// init system keeps it; nothing is read from there.
fn open_candidate(
    places: &Places<'_>,
    protected: &Protected,
    (candidate, path): (&Candidate, &Path),
    more: &[Arc<Path>],
) -> Result<Option<OwnedFd>, SkipReason> {
    if candidate.holds_pods {
        return Err(SkipReason::HoldsPods);
    }
    if let Some(pid) = protected.among(path, more) {
        return Err(SkipReason::Protected(pid));
    }
    match (open_running(places.hierarchy, path, more), places.kept_in) {
        (Err(SkipReason::NoProcesses), Some(kept_in)) if candidate.origin == Origin::Service => {
            open_running(kept_in, path, more).map(|_| None)
        }
        (opened, _) => opened,
    }
}

/// Opens the first cgroup of a pod in which something runs.
fn open_running(
    hierarchy: &Hierarchy,
    first: &Path,
    more: &[Arc<Path>],
) -> Result<Option<OwnedFd>, SkipReason> {
    let open = |cgroup| twice(|| hierarchy.open(cgroup)).map_err(SkipReason::Failed);
    let populated = |dir: &OwnedFd| {
        let populated = twice(|| is_populated(dir.as_fd(), hierarchy.version));
        populated.map_err(SkipReason::Failed)
    };
    let opened = open(first)?;
    let mut runs = opened.as_ref().map_or(Ok(false), populated)?;
    for cgroup in more {
        if !runs && let Some(dir) = open(cgroup)? {
            runs = populated(&dir)?;
        }
    }
    if runs {
        Ok(opened)
    } else {
        Err(SkipReason::NoProcesses)
    }
}

/// Whether no other pod has this uid. Notes a new one, in the order of uids, as the next
/// pod of the list.
fn is_new(pods: &Renewed<FoundPod>, by_uid: &mut Vec<usize>, found: &FoundPod) -> bool {
    let uid = |at: &usize| pods.get(*at).map_or("", |pod| &pod.pod.metadata.uid);
    let new = found.pod.metadata.uid.as_str();
    let place = by_uid.binary_search_by(|at| uid(at).cmp(new));
    match place {
        Ok(_) => false,
        Err(place) => {
            by_uid.insert(place, pods.len());
            true
        }
    }
}
