//! What is mounted into the containers of pods where these may write: volumes of their
//! runtimes, and directories of the node.

use alloc::sync::Arc;
use std::path::{Path, PathBuf};

use evictd_containers::{ContainerState, ListedContainer, ListedMount, RuntimeDisks};
use evictd_node::Mono;
use evictd_stats::{DiskScanner, DiskTree, PodDirs, PodTree, TreeUsage, WatchedDisks};

/// Measures what is mounted, by a thread of its own: one of these directories may be large,
/// and what pods keep in their own places does not wait for it.
pub(super) struct Mounts {
    proc: PathBuf,
    /// As they were named; where writable layers lie, a runtime may say later.
    disks: WatchedDisks,
    scanner: Option<(WatchedDisks, DiskScanner)>,
}

impl Mounts {
    pub(super) const fn new(proc: PathBuf, disks: WatchedDisks) -> Self {
        Self {
            proc,
            disks,
            scanner: None,
        }
    }

    /// Has these measured from now on. Where the kernel gives no thread, none is.
    pub(super) fn watch(
        &mut self,
        runtimes: &[RuntimeDisks],
        mut mounts: impl Iterator<Item = DiskTree>,
    ) {
        let disks = self.disks(runtimes);
        if let Some((_, scanner)) = self.scanner.as_mut().filter(|(on, _)| *on == disks) {
            return scanner.watch(mounts);
        }
        self.scanner = None;
        let Some(first) = mounts.next() else {
            return;
        };
        let started = DiskScanner::start_for_mounts(self.proc.clone(), disks.clone());
        self.scanner = started.ok().map(|mut scanner| {
            scanner.watch(core::iter::once(first).chain(mounts));
            (disks, scanner)
        });
    }

    fn disks(&self, runtimes: &[RuntimeDisks]) -> WatchedDisks {
        let mut disks = self.disks.clone();
        let first = |place: fn(&RuntimeDisks) -> &Option<PathBuf>| {
            runtimes.iter().find_map(|disks| place(disks).clone())
        };
        let told = || first(|disks| &disks.containers).or_else(|| first(|disks| &disks.images));
        disks.layers = disks.layers.or_else(told);
        disks
    }

    pub(super) fn scanner(&self) -> Option<&DiskScanner> {
        self.scanner.as_ref().map(|(_, scanner)| scanner)
    }

    pub(super) fn scanner_mut(&mut self) -> Option<&mut DiskScanner> {
        self.scanner.as_mut().map(|(_, scanner)| scanner)
    }

    pub(super) fn usage(&self, tree: &DiskTree) -> Option<TreeUsage> {
        self.scanner()?.usage_of(tree)
    }

    /// Whether all has been measured since then; if not, it is now.
    pub(super) fn has_measured(&mut self, since: Mono) -> bool {
        let Some(scanner) = self.scanner_mut() else {
            return true;
        };
        let measured = scanner.is_measured_since(since);
        if !measured {
            scanner.measure_anew(since);
        }
        measured
    }
}

/// What is not of a pod, wherever it is mounted.
pub(super) struct Others<'a> {
    pub(super) dirs: &'a PodDirs,
    pub(super) runtimes: &'a [RuntimeDisks],
}

impl Others<'_> {
    /// What is mounted into those of a pod's containers that run, each once, and not what is
    /// within another, nor what is known of the pod already.
    pub(super) fn mounts(&self, own: &[PodTree], containers: &[&ListedContainer]) -> Vec<DiskTree> {
        let running = containers
            .iter()
            .filter(|container| container.state == ContainerState::Running);
        let is_known = |mount: &ListedMount| {
            let place = &*mount.source;
            own.iter().any(|tree| {
                let is_within = tree.path.starts_with(place) || place.starts_with(&tree.path);
                // Of a directory that holds volumes of many, only the same ones.
                let is_whole = tree.among.is_none() && mount.among.is_none();
                let is_same = tree.path == mount.source && tree.among == mount.among;
                if is_whole { is_within } else { is_same }
            })
        };
        let mut mounts: Vec<DiskTree> = running
            .flat_map(|container| container.mounts.iter())
            .filter(|mount| mount.left_out == 0)
            .filter(|mount| self.may_count(mount) && !is_known(mount))
            .map(|mount| DiskTree {
                path: Arc::clone(&mount.source),
                among: mount.among.clone(),
            })
            .collect();
        mounts.sort_unstable();
        // What is within a directory comes behind it.
        let mut around: Option<Arc<Path>> = None;
        mounts.retain(|mount| {
            let is_within = around
                .as_ref()
                .is_some_and(|dir| mount.path.starts_with(dir));
            if !is_within && mount.among.is_none() {
                around = Some(Arc::clone(&mount.path));
            }
            !is_within
        });
        mounts.dedup();
        mounts
    }

    /// A directory with a runtime's or a kubelet's own things in it is nobody's, and what lies
    /// among these is counted as what it is: layers, logs, volumes.
    fn may_count(&self, mount: &ListedMount) -> bool {
        let source = &*mount.source;
        let holds = |dir: &Path| dir.starts_with(source);
        let of_runtimes = self.runtimes.iter().flat_map(|disks| {
            let places = [&disks.root, &disks.images, &disks.containers];
            places.into_iter().flatten()
        });
        let mut of_runtimes = of_runtimes
            .map(PathBuf::as_path)
            .chain([self.dirs.logs_dir.as_path()]);
        let is_theirs =
            of_runtimes.any(|dir| holds(dir) || (!mount.is_volume && source.starts_with(dir)));
        let pods = self.dirs.root_dir.join("pods");
        let is_no_volume = |below: &Path| !is_volume_of_pod(below);
        let is_kubelets = holds(&pods) || source.strip_prefix(&pods).is_ok_and(is_no_volume);
        !is_theirs && !is_kubelets
    }
}

/// Whether it is `UID/volumes/…`, where a kubelet keeps a pod's volumes.
fn is_volume_of_pod(path: &Path) -> bool {
    let second = path.components().nth(1);
    second.is_some_and(|part| part.as_os_str() == "volumes")
}
