//! The pods of this node and what they use, read when somebody asks.

use core::time::Duration;
use std::path::PathBuf;

use evictd_manifest::ManifestDir;
use evictd_pod::Pod;
use evictd_pod::usage::{ContainerUsage, PodUsage};
use evictd_rank::Candidate;
use evictd_runtime::{CgroupConfig, CgroupRuntime, FoundPod, Listing, PodSource};
use evictd_stats::{
    Dir, DiskScanner, Hierarchies, Hierarchy, PodDirs, PodReader, PodSample, PodTree, Progress,
    add_disk_usage, pod_trees,
};

/// The pods of the node at one moment.
pub(crate) struct Census {
    pub(crate) listing: Listing,
    /// What the indexes of the listing point to.
    pub(crate) manifests: Vec<Pod>,
    /// Manifests that could not be read.
    pub(crate) problems: Vec<String>,
    /// Whether a flag says where pods are.
    pub(crate) is_told: bool,
}

/// What measures the pods' directories, and where these lie.
struct Disk {
    scanner: DiskScanner,
    dirs: PodDirs,
}

impl Disk {
    /// Tells the scanner which trees there are, and adds what it knows of them.
    fn add(&mut self, found: &[FoundPod], usage: &mut [Option<PodUsage>]) {
        let trees: Vec<Vec<PodTree>> = found
            .iter()
            .map(|found| pod_trees(&found.pod, &self.dirs))
            .collect();
        let paths: Vec<PathBuf> = trees
            .iter()
            .flatten()
            .map(|tree| tree.path.clone())
            .collect();
        self.scanner.watch(&paths);
        for ((found, trees), usage) in found.iter().zip(&trees).zip(usage) {
            if let Some(usage) = usage {
                add_disk_usage(usage, &found.pod, trees, &|tree| self.scanner.usage(tree));
            }
        }
    }
}

/// The pods, as of the last [`Pods::refresh`].
pub(crate) struct Pods {
    pub(crate) runtime: CgroupRuntime,
    hierarchies: Hierarchies,
    reader: PodReader,
    manifests: Option<ManifestDir>,
    has_roots: bool,
    disk: Option<Disk>,
    listing: Listing,
    usage: Vec<Option<PodUsage>>,
    problems: Vec<String>,
}

impl Pods {
    /// Opens the cgroup runtime; no pod is looked for yet.
    pub(crate) fn open(cgroup: CgroupConfig, manifests: Option<PathBuf>) -> Result<Self, String> {
        let hierarchies = cgroup.hierarchies.clone();
        let has_roots = !cgroup.pod_cgroup_roots.is_empty();
        Ok(Self {
            runtime: CgroupRuntime::new(cgroup).map_err(|error| error.to_string())?,
            reader: PodReader::new(&hierarchies),
            hierarchies,
            has_roots,
            disk: None,
            manifests: manifests.map(ManifestDir::new),
            listing: Listing::default(),
            usage: Vec::new(),
            problems: Vec::new(),
        })
    }

    /// Has what the pods keep on disk measured from the next refresh on: by the
    /// scanner's own thread, which nobody waits for.
    pub(crate) fn measure_disk(&mut self, scanner: DiskScanner, dirs: PodDirs) {
        self.disk = Some(Disk { scanner, dirs });
    }

    /// Lists the pods anew and waits until all that they keep on disk has been
    /// measured, that long at most. For commands, not for the daemon.
    pub(crate) fn refresh_with_disk(&mut self, at_most: Duration) {
        self.refresh();
        if let Some(disk) = &mut self.disk {
            disk.scanner.hurry();
            disk.scanner.wait_for_all(at_most);
            self.refresh();
        }
    }

    /// How far the measuring of the disk has come.
    pub(crate) fn disk_progress(&self) -> Option<Progress> {
        self.disk.as_ref().map(|disk| disk.scanner.progress())
    }

    /// Whether manifests describe pods: only these can have limits of their own.
    pub(crate) const fn has_manifests(&self) -> bool {
        self.manifests.is_some()
    }

    /// Lists the pods anew and reads what each uses. A pod that vanishes
    /// meanwhile is left out; a manifest that cannot be read is a problem, and
    /// the others stay.
    pub(crate) fn refresh(&mut self) {
        self.problems.clear();
        let described: &[Pod] = match &mut self.manifests {
            None => &[],
            Some(directory) => {
                self.problems
                    .extend(directory.refresh().iter().map(ToString::to_string));
                directory.pods()
            }
        };
        self.listing = self.runtime.list_pods(described);
        let Self {
            listing,
            usage,
            reader,
            hierarchies,
            problems,
            ..
        } = self;
        usage.clear();
        listing
            .pods
            .retain(|found| match read(found, hierarchies, reader) {
                Some(sample) => {
                    problems.extend(reader.errors().iter().map(ToString::to_string));
                    usage.push(pod_usage(&found.pod, &sample));
                    true
                }
                None => false,
            });
        if let Some(disk) = &mut self.disk {
            disk.add(&self.listing.pods, &mut self.usage);
        }
    }

    /// Every pod there is, without what it uses, and who might be missing. What
    /// [`Pods::refresh`] found stays as it is.
    pub(crate) fn census(&mut self) -> Census {
        let mut problems = Vec::new();
        let is_told = self.manifests.is_some() || self.has_roots;
        if let Some(directory) = &mut self.manifests {
            problems.extend(directory.refresh().iter().map(ToString::to_string));
        }
        let manifests = self.manifests.as_ref().map_or(&[][..], ManifestDir::pods);
        Census {
            listing: self.runtime.list_pods(manifests),
            manifests: manifests.to_vec(),
            problems,
            is_told,
        }
    }

    /// Where the cgroups are.
    pub(crate) const fn hierarchies(&self) -> &Hierarchies {
        &self.hierarchies
    }

    /// The pods with their usage, in the order of [`Pods::found`].
    pub(crate) fn candidates(&self) -> Vec<Candidate<'_>> {
        let pods = self.listing.pods.iter().zip(&self.usage);
        pods.map(|(found, usage)| Candidate {
            pod: &found.pod,
            usage: usage.as_ref(),
        })
        .collect()
    }

    /// The pods that run.
    pub(crate) fn found(&self) -> &[FoundPod] {
        &self.listing.pods
    }

    /// Pods that a manifest describes and of which nothing runs here.
    pub(crate) fn not_running(&self) -> impl Iterator<Item = &Pod> {
        let described = self.manifests.as_ref().map_or(&[][..], ManifestDir::pods);
        self.listing
            .not_running
            .iter()
            .filter_map(|index| described.get(*index))
    }

    /// Manifests and cgroups that could not be read.
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }
}

/// A pod's numbers; `None` when its cgroup is gone.
fn read(found: &FoundPod, of: &Hierarchies, reader: &mut PodReader) -> Option<PodSample> {
    let open =
        |hierarchy: &Option<Hierarchy>| Dir::open(&hierarchy.as_ref()?.below(&found.cgroup)).ok();
    let memory = open(&of.memory);
    let pids = open(&of.pids)
        .or_else(|| open(&of.unified))
        .or_else(|| open(&of.memory));
    if memory.is_none() && pids.is_none() {
        return None;
    }
    Some(reader.read(memory.as_ref(), pids.as_ref()))
}

/// The sample as pod stats; `None` where nothing could be read. Which cgroup is
/// which container only a runtime can tell, so only a sole container is named.
fn pod_usage(pod: &Pod, sample: &PodSample) -> Option<PodUsage> {
    let memory = sample.memory.map(|memory| memory.working_set_bytes());
    if memory.is_none() && sample.process_count.is_none() {
        return None;
    }
    let containers = match pod.spec.containers.as_slice() {
        [only] => vec![ContainerUsage {
            name: only.name.clone(),
            memory_working_set_bytes: memory,
            ..ContainerUsage::default()
        }],
        _ => Vec::new(),
    };
    Some(PodUsage {
        memory_working_set_bytes: memory,
        process_count: sample.process_count,
        containers,
        ..PodUsage::default()
    })
}
