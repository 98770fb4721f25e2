use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_kerntext::memberships;
use evictd_node::pod::{Container, Pod, Resources};
use evictd_node::{Mono, QosClass};
use evictd_stats::{Hierarchies, Hierarchy, Version};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::process::Pid;
use smallvec::SmallVec;

use super::discover::{Candidate, Search};
use super::merge::{Described, Former};
use super::numbers::Numbers;
use super::trail::{Trail, walk, walk_protected};
use crate::dir::{by_rank, open_cgroup};
use crate::index::{equal, insert};
use crate::kill::{Kills, SEVERAL, Spare, Target};
use crate::process::Proc;
use crate::procs::is_populated;
use crate::{
    Error, FoundPod, Grace, Kill, KillInFlight, KillLimits, Listing, PodKiller, PodSource,
    Releaser, RuntimePod, SkipReason, Skipped,
};

/// What the cgroup backend has to know.
#[derive(Clone, Debug)]
pub struct CgroupConfig {
    /// Where the hierarchies are.
    pub hierarchies: Hierarchies,
    /// Where proc is mounted.
    pub proc: PathBuf,
    /// Cgroups whose children are pods, from
    /// [`parse_pod_cgroup_root`](crate::parse_pod_cgroup_root).
    pub pod_cgroup_roots: Vec<PathBuf>,
    /// How long a kill may take.
    pub limits: KillLimits,
    /// Gives back the memory of killed processes.
    pub releaser: Option<Releaser>,
}

/// The pods of the cgroup tree: those of the kubepods tree, and the children of
/// the configured roots. Nothing outside these is ever listed or killed.
///
/// They are looked for in one hierarchy, the first there is of memory, pids,
/// unified and freezer; a pod may be missing in the others.
#[derive(Debug)]
pub struct CgroupRuntime {
    pub(super) config: CgroupConfig,
    pub(super) proc: Proc,
    pub(super) text: Vec<u8>,
    /// For the kill to come.
    spare: Spare,
}

impl CgroupRuntime {
    /// Opens proc; everything else is looked for when it is needed.
    ///
    /// # Errors
    ///
    /// When proc cannot be opened.
    pub fn new(config: CgroupConfig) -> Result<Self, Error> {
        let proc = Proc::open(&config.proc).map_err(|errno| Error {
            path: config.proc.clone(),
            errno,
        })?;
        Ok(Self {
            config,
            proc,
            text: Vec::new(),
            spare: Spare::new(),
        })
    }

    #[cfg(test)]
    pub(super) fn config_mut(&mut self) -> &mut CgroupConfig {
        &mut self.config
    }

    /// The protected processes and their cgroups in `hierarchy`.
    fn protected(&mut self, hierarchy: &Hierarchy, trail: &mut Trail) -> Vec<(Pid, PathBuf)> {
        let Self {
            config, proc, text, ..
        } = self;
        let mut protected = Vec::new();
        walk_protected(proc, text, &mut |pid, text| {
            trail.note(text);
            let path = text.and_then(|text| membership(text, &config.hierarchies, hierarchy));
            protected.extend(path.map(|path| (pid, path)));
        });
        protected
    }

    /// Opens a candidate's first cgroup, unless it is none: it holds us, or nothing.
    fn open(
        hierarchy: &Hierarchy,
        candidate: &Candidate,
        protected: &[(Pid, PathBuf)],
    ) -> Result<Option<OwnedFd>, SkipReason> {
        let inside = |path: &PathBuf| candidate.cgroups().any(|cgroup| path.starts_with(cgroup));
        if let Some((pid, _)) = protected.iter().find(|(_, path)| inside(path)) {
            return Err(SkipReason::Protected(*pid));
        }
        open_running(hierarchy, &candidate.cgroup, &candidate.more)
    }

    fn identify(
        &self,
        candidate: Candidate,
        dir: Option<BorrowedFd<'_>>,
        known: &mut Known<'_>,
    ) -> FoundPod {
        let former = known.former.of(&candidate.cgroup);
        let of_runtime = candidate.runtime.and_then(|index| known.runtime.get(index));
        let manifests = &known.manifests;
        let manifest = match (&candidate.kubepods, of_runtime) {
            (Some((uid, systemd, _)), _) => manifests.by_uid(uid, *systemd),
            (None, Some(of)) => manifests.by_runtime(&of.pod),
            (None, None) => manifests.by_name(&directory_name(&candidate)),
        };
        let described = manifest.and_then(|index| manifests.pods.get(index));
        let mut pod = match (described, of_runtime) {
            (Some(described), _) => Arc::new(described.clone()),
            (None, Some(of)) => self.complete(of, &candidate, dir),
            (None, None) => self.describe(&candidate, dir, former),
        };
        if pod.metadata.uid.is_empty() {
            Arc::make_mut(&mut pod).metadata.uid = match (candidate.kubepods, of_runtime) {
                (Some((uid, _, _)), _) => uid,
                (None, Some(of)) => of.pod.metadata.uid.clone(),
                (None, None) => candidate.cgroup.to_string_lossy().into_owned(),
            };
        }
        FoundPod {
            pod,
            cgroup: candidate.cgroup,
            more_cgroups: candidate.more,
            origin: candidate.origin,
            manifest,
            runtime: candidate.runtime,
        }
    }

    /// A runtime's pod: where the runtime gives no request and no limit, those of
    /// its cgroup count.
    fn complete(
        &self,
        of: &RuntimePod,
        candidate: &Candidate,
        dir: Option<BorrowedFd<'_>>,
    ) -> Arc<Pod> {
        let mut shared = Arc::clone(&of.pod);
        if says_something(of) {
            return shared;
        }
        let class = candidate.kubepods.as_ref().map(|(_, _, class)| *class);
        let numbers = numbers(&self.config.hierarchies, class, dir);
        if class.is_none() && numbers == Numbers::default() {
            return shared; // nor does its cgroup say anything
        }
        let pod = Arc::make_mut(&mut shared);
        pod.status.qos_class = class.or(Some(numbers.qos_class()));
        if let Some(container) = pod.spec.containers.first_mut() {
            container.resources = numbers.resources();
        }
        shared
    }

    /// A pod without a manifest, from what its cgroup says: the one that it was before
    /// where it says the same.
    fn describe(
        &self,
        candidate: &Candidate,
        dir: Option<BorrowedFd<'_>>,
        former: Option<Arc<Pod>>,
    ) -> Arc<Pod> {
        let class = candidate.kubepods.as_ref().map(|(_, _, class)| *class);
        let numbers = numbers(&self.config.hierarchies, class, dir);
        if let Some(former) = former.filter(|former| numbers.are_of(former)) {
            return former;
        }
        let mut pod = numbers.pod(&directory_name(candidate));
        pod.status.qos_class = class.or(pod.status.qos_class);
        Arc::new(pod)
    }

    /// What [`PodSource::list_pods`] looks for, in that order.
    fn search(
        &self,
        hierarchy: &Hierarchy,
        runtime: &[&RuntimePod],
    ) -> (Vec<Candidate>, Vec<Skipped>) {
        let mut search = Search::new(hierarchy);
        search.kubepods();
        for root in &self.config.pod_cgroup_roots {
            search.pod_cgroup_root(root);
        }
        search.runtime_pods(runtime);
        search.drop_holders(&self.config.pod_cgroup_roots);
        (search.found, search.skipped)
    }

    /// Lists pods as [`PodSource::list_pods`] does, and shows each to `keep` while its
    /// cgroup is open: in the memory controller's hierarchy where there is one, and
    /// `None` where only further cgroups of the pod are left. A pod for which it
    /// answers `false` is left out.
    ///
    /// `former` is the list from before, of which what has not changed is taken over.
    pub fn visit_pods(
        &mut self,
        manifests: &[Pod],
        runtime: &[&RuntimePod],
        former: Listing,
        keep: &mut dyn FnMut(&FoundPod, Option<OwnedFd>) -> bool,
    ) -> Listing {
        let mut listing = Listing::default();
        let mut known = Known {
            manifests: Described::new(manifests),
            runtime,
            former: Former::new(former.pods),
        };
        let first = by_rank(&self.config.hierarchies).next().cloned();
        if let Some(hierarchy) = first {
            listing.trail = former.trail;
            listing.trail.clear();
            // Before the search: what comes meanwhile is new to whoever follows.
            let (trail, roots) = (&mut listing.trail, &self.config.pod_cgroup_roots);
            walk(&hierarchy, roots, &mut |step| trail.note(Some(step)));
            trail.leave_cgroups();
            let (found, skipped) = self.search(&hierarchy, runtime);
            let protected = if found.is_empty() {
                Vec::new()
            } else {
                self.protected(&hierarchy, &mut listing.trail)
            };
            listing.skipped = skipped;
            let mut by_uid = Vec::new();
            for candidate in found {
                let dir = match Self::open(&hierarchy, &candidate, &protected) {
                    Ok(dir) => dir,
                    Err(reason) => {
                        // Of these only the first cgroup is remembered.
                        let may_begin = reason == SkipReason::NoProcesses;
                        listing.trail.is_whole &= !may_begin || candidate.more.is_empty();
                        let cgroup = candidate.cgroup;
                        listing.skipped.push(Skipped { cgroup, reason });
                        continue;
                    }
                };
                let open = dir.as_ref().map(AsFd::as_fd);
                let found = self.identify(candidate, open, &mut known);
                if is_new(&listing.pods, &mut by_uid, &found) {
                    if keep(&found, dir) {
                        listing.pods.push(found);
                    } else {
                        by_uid.retain(|at| *at != listing.pods.len());
                    }
                } else {
                    let cgroup = found.cgroup;
                    let reason = SkipReason::SamePod;
                    listing.skipped.push(Skipped { cgroup, reason });
                }
            }
        }
        let cgroups = listing.pods.iter().map(|pod| pod.cgroups().count());
        self.spare.prepare_for(cgroups.max().unwrap_or(0));
        let mut runs = vec![false; manifests.len()];
        for index in listing.pods.iter().filter_map(|pod| pod.manifest) {
            runs.get_mut(index)
                .into_iter()
                .for_each(|runs| *runs = true);
        }
        let not_running = runs.iter().enumerate().filter(|(_, runs)| !**runs);
        listing.not_running = not_running.map(|(index, _)| index).collect();
        listing
    }
}

/// Opens the first cgroup of a pod in which something runs.
pub(super) fn open_running(
    hierarchy: &Hierarchy,
    first: &Path,
    more: &[PathBuf],
) -> Result<Option<OwnedFd>, SkipReason> {
    let (mut opened, mut runs) = (None, false);
    let more = more.iter().map(|cgroup| (cgroup.as_path(), false));
    for (cgroup, is_first) in core::iter::once((first, true)).chain(more) {
        let Some(dir) = open_cgroup(hierarchy, cgroup).map_err(SkipReason::Failed)? else {
            continue;
        };
        runs |= is_populated(dir.as_fd()).map_err(SkipReason::Failed)?;
        if is_first {
            opened = Some(dir);
        }
    }
    if runs {
        Ok(opened)
    } else {
        Err(SkipReason::NoProcesses)
    }
}

/// What the cgroup of a pod says, where its place says that it is of this class.
pub(super) fn numbers(
    hierarchies: &Hierarchies,
    class: Option<QosClass>,
    dir: Option<BorrowedFd<'_>>,
) -> Numbers {
    // The hierarchy that pods are looked for in is the memory controller's, if there is
    // one.
    let memory = hierarchies.memory.as_ref();
    let numbers = memory.zip(dir);
    let numbers = numbers.map(|(memory, dir)| Numbers::read(dir, memory.version));
    let mut numbers = numbers.unwrap_or_default();
    if class == Some(QosClass::Guaranteed) {
        // By definition of the class.
        numbers.request_bytes = numbers.request_bytes.or(numbers.limit_bytes);
    }
    numbers
}

/// Whether the runtime gives requests or limits.
pub(super) fn says_something(of: &RuntimePod) -> bool {
    let says = |container: &Container| container.resources != Resources::default();
    of.pod.spec.containers.iter().any(says)
}

/// What there is to know of pods beside their cgroups.
struct Known<'a> {
    manifests: Described<'a>,
    runtime: &'a [&'a RuntimePod],
    former: Former,
}

impl PodSource for CgroupRuntime {
    fn list_pods(&mut self, manifests: &[Pod], runtime: &[&RuntimePod]) -> Listing {
        self.visit_pods(manifests, runtime, Listing::default(), &mut |_, _| true)
    }
}

impl PodKiller for CgroupRuntime {
    fn start_kill(
        &mut self,
        now: Mono,
        pod: &FoundPod,
        grace: Grace,
    ) -> Result<Box<dyn KillInFlight>, Error> {
        let open = |cgroup: &PathBuf| {
            Target::open_with(&self.config.hierarchies, self.proc.clone(), cgroup).map_err(
                |errno| Error {
                    path: cgroup.clone(),
                    errno,
                },
            )
        };
        let limits = self.config.limits;
        let start = |target| {
            let (releaser, spare) = (self.config.releaser.clone(), self.spare.clone());
            Kill::start_in(now, target, grace, limits, releaser, Some(spare))
        };
        if pod.more_cgroups.is_empty() {
            return Ok(self.spare.boxed(start(open(&pod.cgroup)?)));
        }
        // All are opened before the first is killed: a pod goes as a whole.
        let (mut targets, mut kills) = (SmallVec::<[_; SEVERAL]>::new(), SmallVec::new());
        for cgroup in pod.cgroups() {
            targets.push(open(cgroup)?);
        }
        for target in targets {
            kills.push(start(target));
        }
        Ok(self.spare.boxed_several(Kills::new(now, kills)))
    }
}

/// A uid names one pod, so what comes second under the same one is left alone. Notes
/// a new one, in the order of uids, as the next pod of the list.
fn is_new(pods: &[FoundPod], by_uid: &mut Vec<usize>, found: &FoundPod) -> bool {
    let uid = |at: usize| pods.get(at).map_or("", |pod| &pod.pod.metadata.uid);
    let compare = |at: usize| uid(at).cmp(&found.pod.metadata.uid);
    let is_new = equal(by_uid, &compare).is_empty();
    if is_new {
        insert(by_uid, pods.len(), &compare);
    }
    is_new
}

fn directory_name(candidate: &Candidate) -> Cow<'_, str> {
    let name = candidate.cgroup.file_name().unwrap_or_default();
    name.to_string_lossy()
}

/// The path of a process in one of the hierarchies, from its
/// `/proc/PID/cgroup`, without `/` in front.
fn membership(text: &[u8], all: &Hierarchies, wanted: &Hierarchy) -> Option<PathBuf> {
    let is = |hierarchy: &Option<Hierarchy>| hierarchy.as_ref() == Some(wanted);
    let controller: &[u8] = if is(&all.memory) {
        b"memory"
    } else if is(&all.pids) {
        b"pids"
    } else {
        b"freezer"
    };
    let line = memberships(text)
        .flatten()
        .find(|line| match wanted.version {
            Version::V1 => line.has_controller(controller),
            Version::V2 => line.is_unified(),
        })?;
    let path = line.path.strip_prefix(b"/").unwrap_or(line.path);
    Some(PathBuf::from(OsStr::from_bytes(path)))
}
