use alloc::boxed::Box;
use alloc::sync::Arc;
use std::path::PathBuf;

use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_stats::Hierarchies;

use super::Services;
use super::store::Store;
use crate::kill::{Descriptors, Target};
use crate::process::Proc;
use crate::{Error, FoundPod, Grace, Kill, KillLimits, Listing, Releaser, RuntimePod};

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
    /// Which services are pods, and what never is evicted.
    pub services: Services,
    /// How long a kill may take.
    pub limits: KillLimits,
    /// Gives back the memory of killed processes.
    pub releaser: Option<Releaser>,
}

impl CgroupConfig {
    /// The kubepods tree of these hierarchies alone, proc where it is mounted everywhere, the
    /// usual limits of a kill, and no releaser.
    #[must_use]
    pub fn new(hierarchies: Hierarchies) -> Self {
        Self {
            hierarchies,
            proc: PathBuf::from("/proc"),
            pod_cgroup_roots: Vec::new(),
            services: Services::default(),
            limits: KillLimits::default(),
            releaser: None,
        }
    }
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
    /// For the next list.
    pub(super) store: Store,
    /// For the next kill.
    next_kill: Option<Box<Kill>>,
    descriptors: Descriptors,
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
        let mut runtime = Self {
            config,
            proc,
            store: Store::default(),
            next_kill: None,
            descriptors: Descriptors::default(),
        };
        runtime.get_ready();
        Ok(runtime)
    }

    /// These names are never evicted from now on, beside the system's own.
    pub fn never_evict(&mut self, patterns: Vec<String>) {
        self.config.services.never = patterns;
    }

    /// Gives back the memory that is kept for the next list.
    pub fn forget(&mut self) {
        self.store = Store::default();
    }

    /// Makes what the next kill takes, where the last one has taken it. For when there is
    /// memory: once SIGKILL is sent, or while none is short.
    pub fn get_ready(&mut self) {
        if self.next_kill.is_none() {
            self.next_kill = Some(Box::new(self.idle_kill()));
        }
    }

    fn idle_kill(&self) -> Kill {
        let CgroupConfig {
            limits, releaser, ..
        } = &self.config;
        let descriptors = self.descriptors.clone();
        Kill::idle(self.proc.clone(), *limits, releaser.clone(), descriptors)
    }

    /// Holds some descriptors, as many as it can up to a handful, so that the kill to come,
    /// and what has lacked one meanwhile ([`evictd_stats::take_lack`]), have them when there
    /// are no others.
    pub fn hold_descriptors(&self) {
        self.descriptors.hold(self.proc.fd());
    }

    /// Lets them go: they are needed now.
    pub fn free_descriptors(&self) {
        self.descriptors.let_go();
    }

    #[cfg(test)]
    pub(super) fn config_mut(&mut self) -> &mut CgroupConfig {
        &mut self.config
    }

    /// The pods that run now. Each one that `manifests` also describe is the
    /// manifest's pod; one that a container runtime also knows is the runtime's,
    /// where no manifest describes it. `runtime` are the pods of each runtime, and an index
    /// goes through them one after the other.
    ///
    /// A part that cannot be read is in [`Listing::skipped`] and costs no other.
    pub fn list_pods(&mut self, manifests: &[Arc<Pod>], runtime: &[&[RuntimePod]]) -> Listing {
        self.get_ready();
        let mut listing = Listing::default();
        self.list_again(&mut listing, manifests, runtime, &mut |_, _| true);
        listing
    }

    /// Begins to kill a pod that was listed: SIGTERM now and SIGKILL after the grace; SIGKILL
    /// now without one.
    ///
    /// # Errors
    ///
    /// When it cannot even begin; the caller takes the next candidate.
    pub fn start_kill(
        &mut self,
        now: Mono,
        pod: &FoundPod,
        grace: Grace,
    ) -> Result<Box<Kill>, Error> {
        self.descriptors.let_go();
        let mut target = Target::empty(self.proc.clone());
        let more = pod.more_cgroups.iter().map(|path| (&**path, None));
        // A pod may have ended since it was listed, and its path be another's.
        for (path, inode) in core::iter::once((&*pod.cgroup, pod.inode)).chain(more) {
            let added = target.add(&self.config.hierarchies, path, inode);
            added.map_err(|errno| Error {
                path: path.to_path_buf(),
                errno,
            })?;
        }
        let kill = self.next_kill.take();
        let mut kill = kill.unwrap_or_else(|| Box::new(self.idle_kill()));
        kill.begin(now, target, grace);
        Ok(kill)
    }
}
