mod mounts;

use alloc::sync::Arc;
use core::time::Duration;
use std::io;
use std::path::{Path, PathBuf};

use evictd_cgroup::FoundPod;
use evictd_containers::{ListedContainer, RuntimeDisks, WritableLayer};
use evictd_node::Mono;
use evictd_node::pod::Pod;
use evictd_rank::Candidate;
use evictd_stats::{
    DiskScanner, Hierarchies, OpenFiles, OpenFilesReader, PodDirs, PodTree, Progress, TreeKind,
    WatchedDisks, add_deleted_of_layers, add_disk_usage, add_mounts, add_open_files, now,
    pod_trees,
};

use mounts::{Mounts, Others};

/// Whether what the pods keep on disk is measured.
#[derive(Default)]
pub(super) enum Measuring {
    #[default]
    Never,
    /// Once there is a thread for it; where pods' files lie.
    Later(PodDirs),
    By(Box<Disk>),
}

impl Measuring {
    /// Has them measured by the scanner's own thread. Returns whether it has begun now.
    ///
    /// # Errors
    /// When the kernel gives no thread; it may later.
    pub(super) fn start(&mut self, proc: &Path) -> io::Result<bool> {
        let Self::Later(dirs) = self else {
            return Ok(false);
        };
        let disk = Disk::new(DiskScanner::start()?, dirs.clone(), proc);
        *self = Self::By(Box::new(disk));
        Ok(true)
    }

    pub(super) const fn is_later(&self) -> bool {
        matches!(self, Self::Later(_))
    }

    /// What measures, once that has begun.
    pub(super) fn disk(&self) -> Option<&Disk> {
        match self {
            Self::By(disk) => Some(disk),
            Self::Never | Self::Later(_) => None,
        }
    }

    pub(super) fn disk_mut(&mut self) -> Option<&mut Disk> {
        match self {
            Self::By(disk) => Some(disk),
            Self::Never | Self::Later(_) => None,
        }
    }
}

/// What measures the pods' directories, and where these lie.
pub(super) struct Disk {
    scanner: DiskScanner,
    dirs: PodDirs,
    /// What measures that which is mounted into their containers.
    mounts: Option<Mounts>,
    /// What looks for deleted files that are open.
    open_files: Option<OpenFilesReader>,
    /// What looks for those of pods that have a limit.
    of_limited: Option<OpenFilesReader>,
    /// It is to look with the next list of pods: a disk is short.
    looks: bool,
}

/// What was found of deleted files counts for so long: they are looked for only while a
/// disk is short, or where a pod has a limit.
const KEPT: Duration = Duration::from_secs(30);

/// For a limit they are looked for so often at most.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// The containers of a pod, as its runtime knows them.
type ContainersOf<'a> = &'a dyn Fn(&FoundPod) -> Vec<&'a ListedContainer>;

impl Disk {
    fn new(scanner: DiskScanner, dirs: PodDirs, proc: &Path) -> Self {
        let watched = dirs.open_files_on.clone();
        let reader =
            |on: Option<WatchedDisks>| on.map(|on| OpenFilesReader::new(proc.to_path_buf(), on));
        let mounts_on = dirs.mounts_on.clone();
        let mounts = |on| Mounts::new(proc.to_path_buf(), on);
        Self {
            scanner,
            dirs,
            mounts: mounts_on.map(mounts),
            open_files: reader(watched.clone()),
            of_limited: reader(watched),
            looks: false,
        }
    }

    pub(super) fn progress(&self) -> Progress {
        let mounts = self.mounts.as_ref().and_then(Mounts::scanner);
        let of_mounts = mounts.map(DiskScanner::progress).unwrap_or_default();
        self.scanner.progress().plus(of_mounts)
    }

    /// Whether all trees have been measured since then; if not, they are now, without
    /// rests.
    pub(super) fn has_measured(&mut self, since: Mono) -> bool {
        let measured = self.scanner.is_measured_since(since);
        if !measured {
            self.scanner.measure_anew(since);
        }
        let mounts = self.mounts.as_mut();
        let measured = mounts.is_none_or(|mounts| mounts.has_measured(since)) && measured;
        let open_files = self.open_files.as_ref();
        self.looks = open_files.is_some_and(|reader| reader.sampled().is_none_or(|at| at < since));
        measured && !self.looks
    }

    pub(super) fn wait_for_all(&mut self, at_most: Duration) {
        let begun = now();
        let mounts = self.mounts.as_mut().and_then(Mounts::scanner_mut);
        for scanner in [Some(&mut self.scanner), mounts].into_iter().flatten() {
            scanner.measure_anew(Mono::ZERO);
            scanner.wait_for_all(at_most.saturating_sub(now().since(begun)));
        }
    }

    /// Tells the scanner which trees there are, and adds what it knows of them.
    pub(super) fn add(
        &mut self,
        found: &[FoundPod],
        containers_of: ContainersOf<'_>,
        runtimes: &[RuntimeDisks],
        candidates: &mut [Candidate],
    ) {
        self.add_trees(found, containers_of, candidates);
        self.add_mounts(found, containers_of, runtimes, candidates);
    }

    fn add_trees(
        &mut self,
        found: &[FoundPod],
        containers_of: ContainersOf<'_>,
        candidates: &mut [Candidate],
    ) {
        let dirs = &self.dirs;
        // Made twice: those of one pod at a time take little memory.
        let trees_of = |found: &FoundPod| trees(&found.pod, dirs, &containers_of(found));
        let trees = found.iter().flat_map(trees_of);
        self.scanner.watch(trees.map(|tree| tree.tree()));
        for (found, candidate) in found.iter().zip(candidates) {
            if let Some(usage) = &mut candidate.usage {
                let scanner = &self.scanner;
                add_disk_usage(usage, &trees_of(found), &|tree| {
                    scanner.usage_of(&tree.tree())
                });
            }
        }
    }

    fn add_mounts(
        &mut self,
        found: &[FoundPod],
        containers_of: ContainersOf<'_>,
        runtimes: &[RuntimeDisks],
        candidates: &mut [Candidate],
    ) {
        let dirs = &self.dirs;
        let Some(mounts) = &mut self.mounts else {
            return;
        };
        let others = Others { dirs, runtimes };
        let mounts_of = |found: &FoundPod| {
            let containers = containers_of(found);
            if containers.iter().all(|one| one.mounts.is_empty()) {
                return Vec::new();
            }
            others.mounts(&own_places(&found.pod, dirs, &containers), &containers)
        };
        mounts.watch(runtimes, found.iter().flat_map(mounts_of));
        for (found, candidate) in found.iter().zip(candidates) {
            if let Some(usage) = &mut candidate.usage {
                add_mounts(usage, &mounts_of(found), &|tree| mounts.usage(tree));
                let containers = containers_of(found);
                usage.disk_in_part |= containers.iter().any(|one| has_mounts_left_out(one));
            }
        }
    }

    /// Adds what the pods' processes hold of deleted files, as of when a disk was last
    /// short.
    pub(super) fn add_open_files(
        &mut self,
        of: &Hierarchies,
        found: &[FoundPod],
        candidates: &mut [Candidate],
    ) {
        let all = [&of.memory, &of.pids, &of.unified, &of.freezer];
        let Some(hierarchy) = all.into_iter().flatten().next() else {
            return;
        };
        let below = |found: &FoundPod| -> Vec<PathBuf> {
            found
                .cgroups()
                .map(|cgroup| hierarchy.below(cgroup))
                .collect()
        };
        if let Some(reader) = &mut self.of_limited {
            add_of_limited(reader, &below, found, candidates);
        }
        let Some(reader) = &mut self.open_files else {
            return;
        };
        if core::mem::take(&mut self.looks) {
            reader.ask(found.iter().flat_map(below).collect());
        }
        reader.poll();
        if reader.sampled().is_none_or(|at| now().since(at) > KEPT) {
            return;
        }
        for (found, candidate) in found.iter().zip(candidates) {
            let Some(usage) = &mut candidate.usage else {
                continue;
            };
            let all = below(found).into_iter().map(|cgroup| reader.of(&cgroup));
            add_open_files(usage, all.fold(OpenFiles::default(), OpenFiles::plus));
        }
    }
}

/// Adds what the processes of pods that have a limit hold of deleted files, which are looked
/// for regularly.
fn add_of_limited(
    reader: &mut OpenFilesReader,
    below: &dyn Fn(&FoundPod) -> Vec<PathBuf>,
    found: &[FoundPod],
    candidates: &mut [Candidate],
) {
    let is_limited = |found: &&FoundPod| found.pod.local_storage_limit().is_some();
    if !found.iter().any(|found| is_limited(&found)) {
        return;
    }
    reader.poll();
    if reader.is_due(now(), LOOK_EVERY) {
        reader.ask(found.iter().filter(is_limited).flat_map(below).collect());
    }
    if reader.sampled().is_none_or(|at| now().since(at) > KEPT) {
        return;
    }
    for (found, candidate) in found.iter().zip(candidates) {
        if let (true, Some(usage)) = (is_limited(&found), &mut candidate.usage) {
            let all = below(found).into_iter().map(|cgroup| reader.of(&cgroup));
            add_deleted_of_layers(usage, all.fold(OpenFiles::default(), OpenFiles::plus));
        }
    }
}

/// What a pod keeps in places of its own, and where.
fn own_places(pod: &Pod, dirs: &PodDirs, containers: &[&ListedContainer]) -> Vec<PodTree> {
    let mut trees = pod_trees(pod, dirs);
    // Whose logs all lie elsewhere has none where a kubelet's pods have theirs.
    let elsewhere = |container: &&ListedContainer| {
        let log = container.log.as_deref();
        log.is_some_and(|log| !log.starts_with(&dirs.logs_dir))
    };
    if !containers.is_empty() && containers.iter().all(elsewhere) {
        trees.retain(|tree| !matches!(tree.kind, TreeKind::Log { .. }));
    }
    for container in containers {
        let name = &container.name;
        if let WritableLayer::Dir(path) = &container.layer {
            let container = name.clone();
            let kind = TreeKind::Layer { container };
            trees.push(PodTree::whole(Arc::clone(path), kind));
        }
        if let Some(path) = container.log.as_deref().and_then(log_dir)
            && trees.iter().all(|tree| !path.starts_with(&tree.path))
        {
            let container = Some(name.clone());
            let kind = TreeKind::Log { container };
            trees.push(PodTree::whole(path.into(), kind));
        }
    }
    trees
}

/// What counts for a pod's limit: its own places, and where it has a limit what was made for one
/// of its containers alone. That is mounted, and ranks as such.
fn trees(pod: &Pod, dirs: &PodDirs, containers: &[&ListedContainer]) -> Vec<PodTree> {
    let mut trees = own_places(pod, dirs, containers);
    if pod.local_storage_limit().is_some() {
        let mounts = containers.iter().flat_map(|container| &*container.mounts);
        let anonymous = mounts.filter(|mount| mount.is_anonymous);
        trees.extend(anonymous.map(|mount| PodTree {
            path: Arc::clone(&mount.source),
            among: mount.among.clone(),
            kind: TreeKind::Volume {
                name: mount.source.to_string_lossy().into_owned(),
                is_own: true,
            },
        }));
    }
    trees
}

/// Whether it has mounts that are not kept, so that it may have written more than is known.
fn has_mounts_left_out(container: &ListedContainer) -> bool {
    container.mounts.iter().any(|mount| mount.left_out > 0)
}

/// The directory of a log: what rotation made lies beside it.
fn log_dir(log: &Path) -> Option<&Path> {
    if log.extension().is_some_and(|extension| extension == "log") {
        log.parent()
    } else {
        Some(log)
    }
}

#[cfg(test)]
mod tests;
