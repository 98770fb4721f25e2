//! What an engine is made of: settings, resolved against this machine.

use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_cgroup::{CgroupConfig, KillLimits, Releaser, ServiceManager, Services};
use evictd_config::{ImageGc, PodSources, PodsOf, Reserved, Resolved, memory_kept_from_pods};
use evictd_engine::Settings;
use evictd_manifest::ManifestDir;
use evictd_node::Signal;
use evictd_pods::runtimes::Runtimes;
use evictd_relief::disk::Reliever;
use evictd_relief::gc::{Collector, RuntimeCollector, SharedRecords};
use evictd_stats::{Hierarchies, NodeSettings, PROC, PodDirs, WatchedDisks};
use rustix::thread::sched_getaffinity;

use crate::facts::read_meminfo;

/// Everything that an [`Engine`](crate::engine::Engine) needs.
pub struct Setup {
    /// The engine's settings, but for its clocks.
    pub engine: Settings,
    /// What is read of the node.
    pub node: NodeSettings,
    /// Where pods are looked for.
    pub cgroup: CgroupConfig,
    /// The manifests, where a directory was named.
    pub manifests: Option<ManifestDir>,
    /// Where pods' files lie, where they are to be measured.
    pub dirs: Option<PodDirs>,
    /// The container runtimes; what they hold has been asked, and may not have been
    /// answered yet.
    pub runtimes: Runtimes,
    /// When images were detected and last used.
    pub images: SharedRecords,
    /// Whether no flag says where images lie.
    pub finds_imagefs: bool,
    /// Whether no flag says where writable layers lie.
    pub finds_containerfs: bool,
    /// What deletes what dead pods left, where a directory was named for it.
    pub collector: Option<Collector>,
    /// What gives room back on a disk that is short, where the settings want that.
    pub reliever: Option<Reliever>,
}

/// How long container runtimes may take to say what they hold at the start. One that
/// takes longer is listened to later, and its images are looked for at their usual
/// place.
const RUNTIME_WAIT: Duration = Duration::from_millis(500);

/// How long a command waits that shows what there is: then it shows what is known, and says
/// what is missing.
const LOOK_WAIT: Duration = Duration::from_secs(2);

/// How long a command waits that acts on what it is told.
const ACT_WAIT: Duration = Duration::from_secs(10);

/// Where container runtimes keep images (acceptance rows 23 to 25).
const IMAGEFS: [&str; 4] = [
    "/var/lib/containerd",
    "/var/lib/docker",
    "/var/lib/containers/storage",
    "/var/lib/balena-engine",
];

impl Setup {
    /// The settings on this machine: hierarchies found, paths filled in.
    ///
    /// # Errors
    /// Where mountinfo cannot be read: without it nothing can be watched.
    pub fn of(settings: &Resolved, releaser: Option<Releaser>) -> Result<Self, String> {
        // Only the daemon has a helper that gives memory back, and more to do.
        let wait = releaser.as_ref().map_or(ACT_WAIT, |_| RUNTIME_WAIT);
        Self::waiting(settings, releaser, wait)
    }

    /// Sets up a command that shows what there is.
    pub fn to_look(settings: &Resolved) -> Result<Self, String> {
        Self::waiting(settings, None, LOOK_WAIT)
    }

    fn waiting(
        settings: &Resolved,
        releaser: Option<Releaser>,
        wait: Duration,
    ) -> Result<Self, String> {
        let proc = Path::new(PROC);
        let hierarchies = Hierarchies::read(proc).map_err(|error| error.to_string())?;
        let roots = settings.pods.cgroup_roots.clone();
        let mut node =
            NodeSettings::new(proc, hierarchies.clone(), existing(&settings.paths.nodefs));
        node.pods_cgroup = Some(pods_cgroup(&hierarchies, &roots));
        node.kept_from_pods = kept_from_pods(settings);
        node.memory_source = settings.memory.source;
        node.hugepage_aware = settings.memory.hugepage_aware;
        let mut thresholds = settings.evict.thresholds.iter();
        node.stall = thresholds.any(|threshold| threshold.signal == Signal::MemoryStall);
        let images = SharedRecords::default();
        let runtimes = Runtimes::start(&settings.runtimes, settings.gc.all_containers, &|| {
            Box::new(RuntimeCollector::of(settings, Arc::clone(&images)))
        })?;
        runtimes.refresh();
        runtimes.wait(wait);
        let (images_at, layers) = runtimes.places();
        let given = settings.paths.imagefs.clone();
        node.imagefs = given.or(images_at).or_else(imagefs);
        let given = settings.paths.containerfs.clone();
        node.containerfs = given.or(layers);
        let open_files_on = WatchedDisks {
            nodefs: node.nodefs.clone(),
            layers: node.containerfs.clone().or_else(|| node.imagefs.clone()),
        };
        let open_files_on =
            (!settings.evict.policy.open_files_are_not_seen).then_some(open_files_on);
        let layers = settings.paths.containerfs.clone();
        let mounts_on = WatchedDisks {
            nodefs: node.nodefs.clone(),
            layers: layers.or_else(|| settings.paths.imagefs.clone()),
        };
        let mounts_on = (!settings.evict.policy.mounts_are_not_seen).then_some(mounts_on);
        Ok(Self {
            engine: engine(settings, &hierarchies),
            node,
            cgroup: CgroupConfig {
                services: services(&settings.pods),
                ..cgroup(hierarchies, roots, releaser)
            },
            manifests: manifests(settings),
            dirs: Some(PodDirs {
                root_dir: settings.paths.root_dir.path.clone(),
                logs_dir: settings.paths.pod_logs_dir.path.clone(),
                // A pod may mount the whole node to look at it (decision D58).
                host_paths: false,
                open_files_on,
                mounts_on,
            }),
            runtimes,
            images,
            finds_imagefs: settings.paths.imagefs.is_none(),
            finds_containerfs: settings.paths.containerfs.is_none(),
            collector: Collector::of(&settings.paths),
            reliever: Reliever::of(settings)?,
        })
    }
}

/// The engine's settings, but for its clocks.
pub fn engine(settings: &Resolved, hierarchies: &Hierarchies) -> Settings {
    Settings {
        evict: settings.evict.clone(),
        interval: settings.daemon.housekeeping_interval,
        dry_run: settings.dry_run,
        images_until_clear: images_until_clear(&settings.gc.images, hierarchies),
        images_every: images_every(settings.gc.images.policy.max_age),
        processors: processors(),
        ..Settings::default()
    }
}

/// Memory that reservations keep from pods; nothing where this machine does not say how much it
/// has.
#[must_use]
pub fn kept_from_pods(settings: &Resolved) -> u64 {
    let none = Reserved::default();
    let kept = &settings.node_allocatable;
    if kept.system_reserved == none && kept.kube_reserved == none {
        return 0;
    }
    let total = read_meminfo().ok().and_then(|info| info.mem_total_bytes);
    let total = total.and_then(|bytes| i64::try_from(bytes).ok());
    total.map_or(0, |total| memory_kept_from_pods(settings, total))
}

fn manifests(settings: &Resolved) -> Option<ManifestDir> {
    let dir = ManifestDir::new(settings.pods.manifest_path.clone()?);
    Some(dir.marking_static(settings.evict.policy.manifest_pods_are_static))
}

/// How many processors may fill memory at once. A quota on evictd's own cgroup, which
/// `std::thread::available_parallelism` would look for in its files, bounds no pod.
fn processors() -> u64 {
    sched_getaffinity(None).map_or(1, |processors| u64::from(processors.count()))
}
/// The path itself, or its nearest parent that is there.
fn existing(path: &Path) -> &Path {
    path.ancestors()
        .find(|path| path.exists())
        .unwrap_or_else(|| Path::new("/"))
}

fn imagefs() -> Option<PathBuf> {
    IMAGEFS.iter().map(PathBuf::from).find(|path| path.is_dir())
}

/// The cgroup of all pods, from the root of the hierarchies: the one that was
/// named, else the kubepods tree in the spelling that is there.
pub(crate) fn pods_cgroup(hierarchies: &Hierarchies, roots: &[PathBuf]) -> PathBuf {
    if let [only] = roots
        && !only.as_os_str().is_empty()
    {
        return only.clone();
    }
    PathBuf::from(kubepods(hierarchies).unwrap_or("kubepods"))
}

/// The kubepods tree, where there is one, in the spelling that it has.
fn kubepods(hierarchies: &Hierarchies) -> Option<&'static str> {
    let of_memory = hierarchies
        .memory
        .as_ref()
        .or(hierarchies.unified.as_ref())?;
    let mut names = ["kubepods.slice", "kubepods"].into_iter();
    names.find(|name| of_memory.below(Path::new(name)).is_dir())
}

/// Where there is a kubepods tree, something fetches images again.
fn images_until_clear(images: &ImageGc, hierarchies: &Hierarchies) -> bool {
    !images.reclaims_all && kubepods(hierarchies).is_none()
}

/// How often images are looked at: where they may lie unused for a minute only, in five
/// minutes they would be far too old.
fn images_every(max_age: Option<Duration>) -> Duration {
    const OFTEN_ENOUGH: Duration = Duration::from_secs(10);
    let usual = evictd_engine::Settings::default().images_every;
    max_age.map_or(usual, |age| age.clamp(OFTEN_ENOUGH, usual))
}

/// Which services are pods, and what never is evicted.
fn services(pods: &PodSources) -> Services {
    let manager = pods.of_services.map(|of| match of {
        PodsOf::Openrc => ServiceManager::Openrc,
        PodsOf::Systemd => ServiceManager::Systemd,
    });
    Services {
        of: manager,
        sessions: pods.of_sessions,
        never: pods.never_evict.clone(),
    }
}

/// The cgroup runtime's part, with the helper that gives memory back.
pub fn cgroup(
    hierarchies: Hierarchies,
    roots: Vec<PathBuf>,
    releaser: Option<Releaser>,
) -> CgroupConfig {
    CgroupConfig {
        hierarchies,
        proc: PathBuf::from(PROC),
        pod_cgroup_roots: roots,
        services: Services::default(),
        limits: KillLimits::default(),
        releaser,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_looked_at_as_often_as_they_may_lie_unused() {
        let seconds = |every: Duration| every.as_secs();
        assert_eq!(seconds(images_every(None)), 300);
        assert_eq!(seconds(images_every(Some(Duration::from_secs(3600)))), 300);
        assert_eq!(seconds(images_every(Some(Duration::from_secs(60)))), 60);
        assert_eq!(seconds(images_every(Some(Duration::from_nanos(1)))), 10);
    }
}
