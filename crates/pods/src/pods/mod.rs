//! The pods of this node and what they use, read when somebody asks.

mod described;
mod disk;
mod ended;
mod exact;
#[cfg(test)]
#[cfg(feature = "docker")]
mod hanging_tests;
mod listed;
mod manifests;
mod oom;
mod pages;
mod port;
mod remembered;
mod settled;
mod stalling;
mod tree;
mod usage;

use core::time::Duration;
use std::io;
use std::path::Path;

use evictd_cgroup::{CgroupConfig, FoundPod, Origin};
use evictd_containers::ListedContainer;
use evictd_engine::ports::Depth;
use evictd_manifest::ManifestDir;
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_node::pod::usage::PodUsage;
use evictd_state::{Protected, read_state};
use evictd_stats::{Hierarchies, OutsideReader, PodDirs, Progress, now, take_lack};

use crate::runtimes::Runtimes;
pub use described::AllPods;
use described::{Described, containers};
use disk::{Disk, Measuring};
use ended::AllEnded;
use listed::Listed;
use oom::OomWatch;
use pages::Pages;
use tree::Tree;

/// Where memory is short, manifests and requests of cgroups that were read so lately are
/// taken for what they say now, as long as no pod is new: the directory may lie on a slow
/// disk, and each file takes its time. The kubelet looks at manifests as often.
const LATELY: Duration = Duration::from_secs(20);

/// Who is asked before a pod is evicted for a soft threshold.
pub trait Consent {
    /// Whether the pod may be evicted by now.
    fn may_evict(&mut self, now: Mono, found: &FoundPod) -> bool;

    /// Hears the records of what happened in a turn of the loop.
    fn tell(&mut self, records: &str);
}

/// The pods, as of the last [`Pods::refresh`].
pub struct Pods {
    tree: Tree,
    described: Described,
    listed: Listed,
    measuring: Measuring,
    pages: Pages,
    /// Who holds memory outside all pods, once that was asked.
    outside: Option<OutsideReader>,
    /// What the kernel's own OOM killer has done.
    oom: OomWatch,
    ended: AllEnded,
    /// Who is asked before a pod is evicted for a soft threshold, where somebody is.
    pub before_kill: Option<Box<dyn Consent>>,
}

impl Pods {
    /// Opens the cgroup runtime; no pod is looked for yet.
    ///
    /// # Errors
    /// Why the cgroups cannot be read.
    pub fn open(
        cgroup: CgroupConfig,
        manifests: Option<ManifestDir>,
        runtimes: Runtimes,
    ) -> Result<Self, String> {
        Ok(Self {
            tree: Tree::open(cgroup)?,
            described: Described::new(manifests, runtimes),
            listed: Listed::new(),
            measuring: Measuring::Never,
            pages: Pages::default(),
            outside: None,
            oom: OomWatch::default(),
            ended: AllEnded::default(),
            before_kill: None,
        })
    }

    /// With what the pods keep below these directories measured, once
    /// [`Pods::start_measuring`] is called.
    #[must_use]
    pub fn measuring(self, dirs: Option<PodDirs>) -> Self {
        let measuring = dirs.map_or(Measuring::Never, Measuring::Later);
        Self { measuring, ..self }
    }

    /// Has what the pods keep on disk measured from the next refresh on, by the scanner's
    /// own thread, which nobody waits for. Returns whether it has begun now.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later.
    pub fn start_measuring(&mut self) -> io::Result<bool> {
        self.measuring.start(&self.tree.proc)
    }

    /// Has manifests read by a helper from now on, where there are any.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later.
    pub fn start_manifests(&mut self) -> io::Result<()> {
        self.described.start_manifests()
    }

    /// Lists the pods and reads what each uses. A pod that vanishes meanwhile is left
    /// out; a manifest that cannot be read is a problem, and the others stay.
    pub fn refresh(&mut self, now: Mono, depth: Depth) {
        self.listed.lacks_descriptors = false;
        self.with_descriptors(|pods| pods.read_all(now, depth));
    }

    /// Reads, and where that lacked a descriptor once more, with those that are held for it.
    /// Where it lacks one even so, nothing is decided by what was read.
    fn with_descriptors(&mut self, mut read: impl FnMut(&mut Self)) {
        take_lack();
        let problems = self.listed.problems.len();
        read(self);
        if take_lack() {
            self.tree.runtime.free_descriptors();
            self.listed.problems.truncate(problems);
            read(self);
            self.listed.note_lack();
        }
        self.tree.runtime.hold_descriptors();
    }

    fn read_all(&mut self, now: Mono, depth: Depth) {
        let Self {
            tree,
            described,
            listed,
            measuring,
            ..
        } = self;
        listed.of_containers.clear();
        let holds_same = described.take_listings();
        let is_recent = |read| now.since(read) < LATELY;
        let is_recent = depth == Depth::Bounds && described.read.is_some_and(is_recent);
        if !(is_recent && holds_same && listed.list((now, depth), tree, described, true)) {
            listed.describe(|problems| described.read(now, problems));
            listed.list((now, depth), tree, described, false);
        }
        if depth == Depth::Whole
            && let Some(disk) = measuring.disk_mut()
        {
            let held = &described.held;
            let containers = |found: &FoundPod| containers(held, found).collect();
            let runtimes = described.runtimes.disks();
            let (pods, candidates) = (&listed.listing.pods, &mut listed.candidates);
            disk.add(pods, &containers, &runtimes, candidates);
            disk.add_open_files(&tree.hierarchies, pods, candidates);
        }
    }

    fn read_exactly(&mut self, index: usize) {
        self.with_descriptors(|pods| {
            let listed = &mut pods.listed;
            listed.read_exactly(index, &mut pods.tree, &pods.described);
        });
    }

    /// Lists the pods anew and waits until all that they keep on disk has been
    /// measured, that long at most. For commands, not for the daemon.
    pub fn refresh_with_disk(&mut self, at_most: Duration) {
        self.refresh(now(), Depth::Whole);
        if let Some(disk) = self.measuring.disk_mut() {
            disk.wait_for_all(at_most);
            self.refresh(now(), Depth::Whole);
        }
        // The last first, as one that has vanished meanwhile is taken out.
        for index in (0..self.listed.bounds.len()).rev() {
            if self.listed.bounds.get(index) == Some(&true) {
                let listed = &mut self.listed;
                listed.read_exactly(index, &mut self.tree, &self.described);
            }
        }
        let unknown = self.described.runtimes.unknown();
        self.listed.problems.extend(unknown);
    }

    /// Every pod there is, without what it uses, and which might be missing. What
    /// [`Pods::refresh`] found stays as it is.
    pub fn all_pods(&mut self) -> AllPods<'_> {
        self.described.all_pods(&mut self.tree)
    }
}

/// What the daemon and commands ask beside the engine.
impl Pods {
    /// Tells a command which pods are protected, as the daemon of the boot with that id
    /// remembers it in its state directory: whoever said so may not answer the command.
    pub fn remember_protected(&mut self, state_dir: Option<&Path>, boot_id: &str) {
        let state = state_dir.and_then(|directory| read_state(directory).ok().flatten());
        if let Some(state) = state.filter(|state| !boot_id.is_empty() && state.boot_id == boot_id) {
            self.restore_protected(&state.protected);
        }
    }

    /// Takes over which pods were protected before a restart.
    pub fn restore_protected(&mut self, protected: &Protected) {
        self.described.remembered.restore(protected);
    }

    /// Which pods are protected, to be remembered over the next restart.
    pub const fn protected(&self) -> &Protected {
        self.described.remembered.protected()
    }

    /// Evicts no service of these names from now on.
    pub fn never_evict(&mut self, names: Vec<String>) {
        self.tree.runtime.never_evict(names);
    }

    /// The container runtimes.
    pub const fn runtimes(&self) -> &Runtimes {
        &self.described.runtimes
    }

    /// Where the controllers are.
    pub const fn hierarchies(&self) -> &Hierarchies {
        &self.tree.hierarchies
    }

    /// What could not be read for the last list.
    pub fn problems(&self) -> &[String] {
        &self.listed.problems
    }

    /// Whether no controller counts what the pods use of memory: that of their processes
    /// stands in.
    pub const fn are_counted_by_processes(&self) -> bool {
        self.listed.by_processes
    }

    /// Whether any of the last list was found as a service.
    pub fn has_services(&self) -> bool {
        let mut pods = self.listed.listing.pods.iter();
        pods.any(|found| found.origin == Origin::Service)
    }

    /// Whether the manifests' directory has not answered yet.
    pub fn awaits_manifests(&self) -> bool {
        self.described.awaits_manifests()
    }

    /// How far the measuring of the disk has come.
    pub fn disk_progress(&self) -> Option<Progress> {
        self.measuring.disk().map(Disk::progress)
    }

    /// The pods as of the last refresh, and what each uses.
    pub fn seen(&self) -> impl Iterator<Item = (&FoundPod, Option<&PodUsage>)> {
        let candidates = self.listed.candidates.iter();
        let usage = candidates.map(|candidate| candidate.usage.as_ref());
        self.listed.listing.pods.iter().zip(usage)
    }

    /// A pod's containers, as its runtime knows them.
    pub fn containers_of(&self, found: &FoundPod) -> impl Iterator<Item = &ListedContainer> {
        containers(&self.described.held, found)
    }

    /// Pods that a manifest describes and of which nothing runs here.
    pub fn not_running(&self) -> impl Iterator<Item = &Pod> {
        let described = self.described.manifests();
        let not_running = self.listed.listing.not_running.iter();
        not_running.filter_map(|index| described.get(*index).map(AsRef::as_ref))
    }
}
