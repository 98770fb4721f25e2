use alloc::boxed::Box;
use alloc::sync::Arc;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use evictd_kerntext::memberships;
use evictd_node::{Mono, QosClass};
use evictd_pod::{Container, Pod, Resources};
use evictd_stats::{Hierarchies, Hierarchy, Version};
use rustix::fd::AsFd;
use rustix::process::Pid;

use super::discover::{Candidate, Search};
use super::merge::{by_name, by_runtime, by_uid};
use super::numbers::Numbers;
use crate::dir::{by_rank, open_cgroup, read_file};
use crate::kill::{Kills, Target};
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
    config: CgroupConfig,
    proc: Proc,
    text: Vec<u8>,
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
        })
    }

    #[cfg(test)]
    pub(super) fn config_mut(&mut self) -> &mut CgroupConfig {
        &mut self.config
    }

    /// The protected processes and their cgroups in `hierarchy`.
    fn protected(&mut self, hierarchy: &Hierarchy) -> Vec<(Pid, PathBuf)> {
        let Self { config, proc, text } = self;
        let path = |pid: Pid| {
            let name = format!("{}/cgroup", pid.as_raw_nonzero());
            read_file(proc.fd(), name.as_str(), text).ok()?;
            Some((pid, membership(text, &config.hierarchies, hierarchy)?))
        };
        proc.protected().into_iter().filter_map(path).collect()
    }

    /// Why a candidate is none, if so.
    fn objection(
        &mut self,
        hierarchy: &Hierarchy,
        candidate: &Candidate,
        protected: &[(Pid, PathBuf)],
    ) -> Option<SkipReason> {
        let inside = |path: &PathBuf| candidate.cgroups().any(|cgroup| path.starts_with(cgroup));
        if let Some((pid, _)) = protected.iter().find(|(_, path)| inside(path)) {
            return Some(SkipReason::Protected(*pid));
        }
        let mut runs = |cgroup: &PathBuf| match open_cgroup(hierarchy, cgroup)? {
            Some(dir) => is_populated(dir.as_fd(), &mut self.text),
            None => Ok(false),
        };
        let mut reason = Some(SkipReason::NoProcesses);
        for cgroup in candidate.cgroups() {
            match runs(cgroup) {
                Ok(true) => reason = None,
                Ok(false) => {}
                Err(errno) => return Some(SkipReason::Failed(errno)),
            }
        }
        reason
    }

    fn identify(
        &mut self,
        candidate: Candidate,
        manifests: &[Pod],
        runtime: &[&RuntimePod],
    ) -> FoundPod {
        let of_runtime = candidate.runtime.and_then(|index| runtime.get(index));
        let manifest = match (&candidate.kubepods, of_runtime) {
            (Some((uid, systemd, _)), _) => by_uid(manifests, uid, *systemd),
            (None, Some(known)) => by_runtime(manifests, &known.pod),
            (None, None) => by_name(manifests, &directory_name(&candidate)),
        };
        let known = manifest.and_then(|index| manifests.get(index));
        let mut pod = match (known, of_runtime) {
            (Some(known), _) => Arc::new(known.clone()),
            (None, Some(known)) => self.complete(known, &candidate),
            (None, None) => Arc::new(self.describe(&candidate)),
        };
        if pod.metadata.uid.is_empty() {
            Arc::make_mut(&mut pod).metadata.uid = match (&candidate.kubepods, of_runtime) {
                (Some((uid, _, _)), _) => uid.clone(),
                (None, Some(known)) => known.pod.metadata.uid.clone(),
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
    fn complete(&mut self, known: &RuntimePod, candidate: &Candidate) -> Arc<Pod> {
        let says_something = |container: &Container| container.resources != Resources::default();
        let mut shared = Arc::clone(&known.pod);
        if shared.spec.containers.iter().any(says_something) {
            return shared;
        }
        let pod = Arc::make_mut(&mut shared);
        let described = self.describe(candidate);
        pod.status.qos_class = described.status.qos_class;
        let numbers = described.spec.containers.into_iter().next();
        if let (Some(numbers), Some(container)) = (numbers, pod.spec.containers.first_mut()) {
            container.resources = numbers.resources;
        }
        shared
    }

    /// A pod without a manifest, from what its cgroup says.
    fn describe(&mut self, candidate: &Candidate) -> Pod {
        let mut numbers = Numbers::default();
        if let Some(memory) = &self.config.hierarchies.memory
            && let Ok(Some(dir)) = open_cgroup(memory, &candidate.cgroup)
        {
            numbers = Numbers::read(dir.as_fd(), memory.version, &mut self.text);
        }
        let class = candidate.kubepods.as_ref().map(|(_, _, class)| *class);
        if class == Some(QosClass::Guaranteed) {
            // By definition of the class.
            numbers.request_bytes = numbers.request_bytes.or(numbers.limit_bytes);
        }
        let name = directory_name(candidate);
        let mut pod = numbers.pod();
        for container in &mut pod.spec.containers {
            container.name.clone_from(&name);
        }
        pod.metadata.name = name;
        pod.status.qos_class = class.or(pod.status.qos_class);
        pod
    }
}

impl PodSource for CgroupRuntime {
    fn list_pods(&mut self, manifests: &[Pod], runtime: &[&RuntimePod]) -> Listing {
        let mut listing = Listing::default();
        let first = by_rank(&self.config.hierarchies).next().cloned();
        if let Some(hierarchy) = first {
            let mut search = Search::new(&hierarchy);
            search.kubepods();
            for root in &self.config.pod_cgroup_roots {
                search.pod_cgroup_root(root);
            }
            search.runtime_pods(runtime);
            search.drop_holders(&self.config.pod_cgroup_roots);
            listing.skipped = search.skipped;
            let protected = if search.found.is_empty() {
                Vec::new()
            } else {
                self.protected(&hierarchy)
            };
            for candidate in search.found {
                let reason = self.objection(&hierarchy, &candidate, &protected);
                if let Some(reason) = reason {
                    let cgroup = candidate.cgroup;
                    listing.skipped.push(Skipped { cgroup, reason });
                    continue;
                }
                let found = self.identify(candidate, manifests, runtime);
                add(&mut listing, found);
            }
        }
        let running = |index: &usize| listing.pods.iter().any(|pod| pod.manifest == Some(*index));
        listing.not_running = (0..manifests.len())
            .filter(|index| !running(index))
            .collect();
        listing
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
        let start = |target| Kill::start(now, target, grace, limits, self.config.releaser.clone());
        if pod.more_cgroups.is_empty() {
            return Ok(Box::new(start(open(&pod.cgroup)?)));
        }
        // All are opened before the first is killed: a pod goes as a whole.
        let targets: Result<Vec<Target>, Error> = pod.cgroups().map(open).collect();
        let kills: Vec<Kill> = targets?.into_iter().map(start).collect();
        Ok(Box::new(Kills::new(now, kills)))
    }
}

/// A uid names one pod, so what comes second under the same one is left alone.
fn add(listing: &mut Listing, found: FoundPod) {
    let uid = &found.pod.metadata.uid;
    if listing
        .pods
        .iter()
        .any(|other| other.pod.metadata.uid == *uid)
    {
        let cgroup = found.cgroup;
        let reason = SkipReason::SamePod;
        listing.skipped.push(Skipped { cgroup, reason });
    } else {
        listing.pods.push(found);
    }
}

fn directory_name(candidate: &Candidate) -> String {
    let name = candidate.cgroup.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
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
