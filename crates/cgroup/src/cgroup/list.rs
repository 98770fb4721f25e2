//! Listing the pods, in what the list before has left: see [`Store`](super::store::Store).

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::path::Path;

use evictd_node::pod::Pod;
use evictd_stats::Hierarchy;
use rustix::fd::{AsFd, OwnedFd};

use super::described::Described;
use super::identify::{Lookup, identity};
use super::protected::mark_protected;
use super::search::{Places, more_cgroups, search};
use super::store::{Candidate, Cgroups};
use super::{CgroupConfig, CgroupRuntime};
use crate::dir::{by_rank, inode_of, twice};
use crate::procs::is_populated;
use crate::{FoundPod, Listing, Origin, RuntimePod, SkipReason, Skipped};

/// Takes each pod while its cgroup is open, and says whether it is one of the list.
type Keep<'a> = dyn FnMut(&FoundPod, Option<OwnedFd>) -> bool + 'a;

impl CgroupRuntime {
    /// Lists pods as [`list_pods`](Self::list_pods) does, into a
    /// list that was made before, and shows each to `keep` while its cgroup is open: in
    /// the memory controller's hierarchy where there is one, and `None` where only further
    /// cgroups of the pod are left. A pod for which it returns `false` is left out.
    ///
    /// Where nothing has changed since the last list, no memory is asked for.
    pub fn list_again(
        &mut self,
        listing: &mut Listing,
        manifests: &[Arc<Pod>],
        runtime: &[&[RuntimePod]],
        keep: &mut Keep<'_>,
    ) {
        self.store.runs.resize(manifests.len(), false);
        self.list(listing, Some(manifests), runtime, keep);
    }

    /// Lists pods as they were described when they were last listed: manifests, what
    /// container runtimes say and what cgroups say of their pods was read a moment ago.
    /// Only which pods there are, and which of them run, is read anew.
    ///
    /// Returns `false` where a pod is new, and the list is not whole for that.
    pub fn list_known(
        &mut self,
        listing: &mut Listing,
        runtime: &[&[RuntimePod]],
        keep: &mut Keep<'_>,
    ) -> bool {
        self.list(listing, None, runtime, keep)
    }

    fn list(
        &mut self,
        listing: &mut Listing,
        manifests: Option<&[Arc<Pod>]>,
        runtime: &[&[RuntimePod]],
        keep: &mut Keep<'_>,
    ) -> bool {
        listing.pods.clear();
        listing.skipped.clear();
        self.store.cgroups.begin();
        self.store.by_uid.clear();
        let is_whole = self.fill(listing, manifests, runtime, keep);
        self.store.cgroups.end();
        let runs = &mut self.store.runs;
        runs.fill(false);
        for index in listing.pods.iter().filter_map(|pod| pod.manifest) {
            if let Some(runs) = runs.get_mut(index) {
                *runs = true;
            }
        }
        let runs = runs.iter().enumerate();
        let not_running = runs.filter(|(_, runs)| !**runs).map(|(index, _)| index);
        listing.not_running.clear();
        listing.not_running.extend(not_running);
        is_whole
    }

    fn fill(
        &mut self,
        listing: &mut Listing,
        manifests: Option<&[Arc<Pod>]>,
        runtime: &[&[RuntimePod]],
        keep: &mut Keep<'_>,
    ) -> bool {
        let (config, store) = (&self.config, &mut self.store);
        let all = &config.hierarchies;
        let Some(hierarchy) = by_rank(all).next() else {
            return true;
        };
        let places = places(config, hierarchy);
        let (cgroups, candidates) = (&mut store.cgroups, &mut store.candidates);
        let skipped = &mut listing.skipped;
        search(&places, runtime, cgroups, candidates, skipped);
        if !candidates.is_empty() {
            mark_protected(cgroups, &mut store.text, &self.proc, all, hierarchy);
        }
        let lookup = manifests.map(|manifests| Lookup {
            hierarchies: all,
            manifests: Described::new(manifests, &mut store.manifests),
            runtime,
        });
        listing.pods.reserve_exact(candidates.len());
        for candidate in candidates.iter() {
            if is_a_part(cgroups, candidate) {
                continue;
            }
            let former = cgroups.take(candidate);
            let more = more_cgroups(candidate, runtime);
            let mut skip = |reason| {
                let cgroup = Arc::clone(&candidate.path);
                skipped.push(Skipped { cgroup, reason });
            };
            let dir = match open_candidate(&places, cgroups, candidate, more) {
                Ok(dir) => dir,
                Err(reason) => {
                    skip(reason);
                    continue;
                }
            };
            // What was said of a cgroup says nothing of the next one with its path.
            let inode = dir.as_ref().and_then(inode_of);
            let former = former.filter(|former| former.is(candidate, more, inode));
            let listed = match &lookup {
                Some(lookup) => Some(lookup.identify(candidate, dir.as_ref(), former)),
                None => former,
            };
            let Some(mut listed) = listed else {
                return false;
            };
            listed.found.inode = inode;
            let name = &listed.found.pod.metadata.name;
            if config.services.spare(name, &candidate.path) {
                skip(SkipReason::Spared);
                cgroups.keep(candidate, listed);
                continue;
            }
            tell_apart(&listing.pods, &mut store.by_uid, &mut listed.found);
            if keep(&listed.found, dir) {
                listing.pods.push(listed.found.clone());
                cgroups.keep(candidate, listed);
            } else {
                store.by_uid.retain(|at| *at != listing.pods.len());
            }
        }
        true
    }
}

fn places<'a>(config: &'a CgroupConfig, hierarchy: &'a Hierarchy) -> Places<'a> {
    Places {
        hierarchy,
        roots: &config.pod_cgroup_roots,
        services: &config.services,
        kept_in: config.hierarchies.services.as_ref(),
    }
}

/// Whether it is a cgroup of a container runtime's pod that has others too, and is listed.
fn is_a_part(cgroups: &Cgroups, candidate: &Candidate) -> bool {
    let known = cgroups.get(&candidate.path);
    candidate.origin != Origin::Runtime && known.is_some_and(|known| known.is_part)
}

/// Gives a pod the identity of its path where another cgroup has its own already.
fn tell_apart(pods: &[FoundPod], by_uid: &mut Vec<usize>, found: &mut FoundPod) {
    if is_new(pods, by_uid, found) {
        return;
    }
    Arc::make_mut(&mut found.pod).metadata.uid = identity(&found.cgroup);
    while !is_new(pods, by_uid, found) {
        Arc::make_mut(&mut found.pod).metadata.uid.push('\'');
    }
}

/// Opens a candidate in which something runs. A service may have no cgroup but where its
/// init system keeps it; nothing is read from there.
fn open_candidate(
    places: &Places<'_>,
    cgroups: &Cgroups,
    candidate: &Candidate,
    more: &[Arc<Path>],
) -> Result<Option<OwnedFd>, SkipReason> {
    let path = &*candidate.path;
    let known = cgroups.get(path);
    if known.is_some_and(|known| known.holds_pods) {
        return Err(SkipReason::HoldsPods);
    }
    let more_known = more.iter().filter_map(|cgroup| cgroups.get(cgroup));
    let mut protected = known
        .into_iter()
        .chain(more_known)
        .filter_map(|of| of.protected);
    if let Some(pid) = protected.next() {
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
fn is_new(pods: &[FoundPod], by_uid: &mut Vec<usize>, found: &FoundPod) -> bool {
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
