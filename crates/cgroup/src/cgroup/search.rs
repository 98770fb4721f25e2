//! Which cgroups may be pods, by their places and names alone.

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_node::QosClass;
use evictd_node::kubepods::{KubepodsName, parse_kubepods_name};
use evictd_stats::{Hierarchy, is_gone};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;

use super::services::{OPENRC, SERVICE, ServiceManager, is_system};
use crate::dir::{each_child, open_dir, twice};
use crate::{Origin, RuntimePod};

/// Where the pods of each class are in a kubepods tree, in the two drivers' spellings.
const KUBEPODS: [(&str, QosClass); 6] = [
    ("kubepods/besteffort", QosClass::BestEffort),
    ("kubepods/burstable", QosClass::Burstable),
    ("kubepods", QosClass::Guaranteed),
    (
        "kubepods.slice/kubepods-besteffort.slice",
        QosClass::BestEffort,
    ),
    (
        "kubepods.slice/kubepods-burstable.slice",
        QosClass::Burstable,
    ),
    ("kubepods.slice", QosClass::Guaranteed),
];

/// Roots that hold the system's own services beside others.
const SYSTEM_ROOTS: [&str; 2] = ["", "system.slice"];

/// Candidates, and bytes of their paths, for which there is room from the first one on: a
/// list that grows leaves behind what it was in before, and room that nobody touches
/// takes no memory.
const USUAL: usize = 1024;
const USUAL_BYTES: usize = 64 << 10;

/// A cgroup that may be a pod.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Where its path is among all paths.
    path: Range<usize>,
    pub(super) origin: Origin,
    /// Of a kubepods pod: the class that its place says.
    pub(super) class: Option<QosClass>,
    /// Which of the container runtimes' pods it is.
    pub(super) runtime: Option<usize>,
    /// Other candidates, or a pod cgroup root, are below it.
    pub(super) holds_pods: bool,
}

/// Where pods are looked for.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) hierarchy: &'a Hierarchy,
    /// Cgroups whose children are pods.
    pub(super) roots: &'a [PathBuf],
    /// Whose services are pods,
    pub(super) services: Option<ServiceManager>,
    /// and where these are kept, if not in the hierarchy.
    pub(super) kept_in: Option<&'a Hierarchy>,
}

/// The candidates of one hierarchy. Looking for them again takes no more memory, as long
/// as there are no more of them.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// The paths of all, one behind the other.
    paths: Vec<u8>,
    all: Vec<Candidate>,
    /// The numbers of all, in the order of their paths.
    by_path: Vec<usize>,
}

impl Candidates {
    /// Looks for all of them: those of the kubepods tree, the children of the roots, the
    /// services and the pods of container runtimes, each once. `failed` takes what could
    /// not be listed; a kubepods tree does not have to be there.
    pub(super) fn search(
        &mut self,
        places: &Places<'_>,
        runtime: &[&RuntimePod],
        failed: &mut dyn FnMut(&Path, Errno),
    ) {
        let Places {
            hierarchy, roots, ..
        } = *places;
        self.paths.clear();
        self.all.clear();
        self.by_path.clear();
        for (place, class) in KUBEPODS {
            let place = Path::new(place);
            match twice(|| self.add_children(hierarchy, place, Origin::Kubepods, Some(class))) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(errno) => failed(place, errno),
            }
        }
        for root in roots {
            // Its children may be candidates already: it may be a kubepods place.
            self.sort_by_path();
            let added = twice(|| self.add_children(hierarchy, root, Origin::PodCgroupRoot, None));
            if let Err(errno) = added {
                failed(root, errno);
            }
        }
        if let Some(of) = places.services {
            self.sort_by_path();
            if let Err(errno) = self.add_services(of, places.kept_in.unwrap_or(hierarchy)) {
                failed(Path::new("/"), errno);
            }
        }
        self.sort_by_path();
        self.add_runtime_pods(runtime);
        self.mark_holders(roots, runtime);
    }

    pub(super) fn all(&self) -> &[Candidate] {
        &self.all
    }

    pub(super) fn path(&self, candidate: &Candidate) -> &Path {
        to_path(bytes(&self.paths, candidate))
    }

    /// Adds the children of a cgroup in the order of their names: below a place of the
    /// kubepods tree those that are named like pods, elsewhere all that are new.
    fn add_children(
        &mut self,
        hierarchy: &Hierarchy,
        parent: &Path,
        origin: Origin,
        class: Option<QosClass>,
    ) -> Result<(), Errno> {
        let dir = hierarchy.open(parent)?.ok_or(Errno::NOENT)?;
        let (first, first_byte) = (self.all.len(), self.paths.len());
        // Where init systems keep what the machine itself needs.
        let holds_system = SYSTEM_ROOTS.iter().any(|root| parent == Path::new(root));
        let listed = each_child(dir.as_fd(), &mut |name| {
            let name = name.to_bytes();
            let is_pod = || matches!(parse_kubepods_name(name), Some(KubepodsName::Pod { .. }));
            let is_candidate = match class {
                None => !(holds_system && is_system(name)),
                Some(_) => is_pod(),
            };
            if is_candidate {
                self.add(parent, name, origin, class);
            }
            Ok(ControlFlow::Continue(()))
        });
        let Self { paths, all, .. } = self;
        if let Err(errno) = listed {
            // A part of a list is none: it is tried again.
            all.truncate(first);
            paths.truncate(first_byte);
            return Err(errno);
        }
        let new = all.get_mut(first..).unwrap_or_default();
        new.sort_unstable_by(|one, other| bytes(paths, one).cmp(bytes(paths, other)));
        Ok(())
    }

    fn add(&mut self, parent: &Path, name: &[u8], origin: Origin, class: Option<QosClass>) {
        if self.all.is_empty() {
            self.paths.reserve(USUAL_BYTES);
            self.all.reserve(USUAL);
        }
        let start = self.paths.len();
        let parent = parent.as_os_str().as_bytes();
        self.paths.extend_from_slice(parent);
        if !parent.is_empty() && !name.is_empty() {
            self.paths.push(b'/');
        }
        self.paths.extend_from_slice(name);
        let candidate = Candidate {
            path: start..self.paths.len(),
            origin,
            class,
            runtime: None,
            holds_pods: false,
        };
        let is_found = matches!(origin, Origin::PodCgroupRoot | Origin::Service);
        if is_found && !self.at(bytes(&self.paths, &candidate)).is_empty() {
            self.paths.truncate(start);
        } else {
            self.all.push(candidate);
        }
    }

    /// Adds the services of an init system, but for the system's own.
    fn add_services(&mut self, of: ServiceManager, hierarchy: &Hierarchy) -> Result<(), Errno> {
        let root = hierarchy.open(Path::new(""))?.ok_or(Errno::NOENT)?;
        match of {
            ServiceManager::Openrc => {
                let mut is_new = false;
                let _all = each_child(root.as_fd(), &mut |name| {
                    is_new |= name.to_bytes().starts_with(OPENRC);
                    Ok(ControlFlow::Continue(()))
                })?;
                let _all = each_child(root.as_fd(), &mut |name| {
                    let name = name.to_bytes();
                    if name.starts_with(OPENRC) == is_new && !is_system(name) {
                        self.add(Path::new(""), name, Origin::Service, None);
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
            }
            ServiceManager::Systemd => {
                self.add_services_of_slice(root.as_fd(), Path::new(""), 0)?
            }
        }
        Ok(())
    }

    /// Services of a slice, and of the slices in it.
    fn add_services_of_slice(
        &mut self,
        slice: BorrowedFd<'_>,
        path: &Path,
        depth: u8,
    ) -> Result<(), Errno> {
        // Each level adds a part to the name, which has room for few.
        const DEEPEST: u8 = 16;
        let _all = each_child(slice, &mut |child| {
            let name = child.to_bytes();
            if name.ends_with(SERVICE) {
                if !is_system(name) {
                    self.add(path, name, Origin::Service, None);
                }
            } else if name.ends_with(b".slice") && name != b"user.slice" && depth < DEEPEST {
                match open_dir(slice, child) {
                    Ok(dir) => {
                        let below = path.join(OsStr::from_bytes(name));
                        self.add_services_of_slice(dir.as_fd(), &below, depth.saturating_add(1))?;
                    }
                    Err(errno) if is_gone(errno) => {}
                    Err(errno) => return Err(errno),
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(())
    }

    /// What container runtimes run: known already by their cgroups, or new.
    fn add_runtime_pods(&mut self, runtime: &[&RuntimePod]) {
        for (index, pod) in runtime.iter().enumerate() {
            let Some(first) = pod.cgroups.first() else {
                continue;
            };
            let known = self.known(pod, first);
            if let Some(known) = known.and_then(|known| self.all.get_mut(known)) {
                known.runtime.get_or_insert(index);
                continue;
            }
            self.add(first, b"", Origin::Runtime, None);
            let new = self.all.len().saturating_sub(1);
            if let Some(added) = self.all.get_mut(new) {
                added.runtime = Some(index);
            }
            let path = first.as_os_str().as_bytes();
            let is_before = |other: &usize| self.path_at(*other) <= path;
            let at = self.by_path.partition_point(is_before);
            self.by_path.insert(at, new);
        }
    }

    /// The candidate that is a runtime's pod: it holds its cgroups. A uid alone says nothing,
    /// as whoever starts a container may label it with another pod's.
    fn known(&self, pod: &RuntimePod, first: &Path) -> Option<usize> {
        let holds = |at: &usize| self.all.get(*at).is_some_and(|one| self.holds(one, pod));
        let holder = |path: &Path| {
            let there = self.at(path.as_os_str().as_bytes());
            there.iter().copied().find(holds)
        };
        first.ancestors().find_map(holder)
    }

    /// Whether a runtime's pod is in a candidate; where that may be one of several
    /// containers, the whole of it.
    fn holds(&self, candidate: &Candidate, pod: &RuntimePod) -> bool {
        let path = self.path(candidate);
        if candidate.class.is_some() {
            return pod.cgroups.iter().all(|cgroup| cgroup.starts_with(path));
        }
        matches!(pod.cgroups.as_slice(), [only] if **only == *path)
    }

    /// Marks what holds other pods or one of the roots.
    fn mark_holders(&mut self, roots: &[PathBuf], runtime: &[&RuntimePod]) {
        let Self {
            paths,
            all,
            by_path,
        } = self;
        for root in roots {
            root.ancestors()
                .for_each(|path| mark(all, by_path, paths, path));
        }
        let mut marked = None;
        for at in 0..all.len() {
            let Some(candidate) = all.get(at) else {
                return;
            };
            let of_runtime = more_cgroups(candidate, runtime);
            let above = to_path(bytes(paths, candidate)).parent();
            // Those before it were mostly below the same one.
            if above != marked {
                let all_above = above.into_iter().flat_map(Path::ancestors);
                all_above.for_each(|path| mark(all, by_path, paths, path));
                marked = above;
            }
            for cgroup in of_runtime {
                let all_above = cgroup.ancestors().skip(1);
                all_above.for_each(|path| mark(all, by_path, paths, path));
            }
        }
    }

    fn sort_by_path(&mut self) {
        let Self {
            paths,
            all,
            by_path,
        } = self;
        let path = |at: &usize| all.get(*at).map(|one| bytes(paths, one));
        by_path.clear();
        by_path.extend(0..all.len());
        by_path.sort_unstable_by(|one, other| path(one).cmp(&path(other)).then(one.cmp(other)));
    }

    /// The candidates whose first cgroup this is, as of the last sorting.
    fn at(&self, path: &[u8]) -> &[usize] {
        equal(&self.all, &self.by_path, &self.paths, path)
    }

    fn path_at(&self, at: usize) -> &[u8] {
        self.all
            .get(at)
            .map_or(&[], |candidate| bytes(&self.paths, candidate))
    }
}

fn equal<'a>(all: &[Candidate], by_path: &'a [usize], paths: &[u8], path: &[u8]) -> &'a [usize] {
    let known = |at: &usize| all.get(*at).map_or(&[][..], |one| bytes(paths, one));
    let first = by_path.partition_point(|at| known(at) < path);
    let rest = by_path.get(first..).unwrap_or_default();
    let length = rest.iter().take_while(|at| known(at) == path).count();
    rest.get(..length).unwrap_or_default()
}

fn mark(all: &mut [Candidate], by_path: &[usize], paths: &[u8], path: &Path) {
    for at in equal(all, by_path, paths, path.as_os_str().as_bytes()) {
        if let Some(candidate) = all.get_mut(*at) {
            candidate.holds_pods = true;
        }
    }
}

/// Further cgroups of a candidate, where a runtime's pod has no cgroup of its own.
pub(super) fn more_cgroups<'a>(
    candidate: &Candidate,
    runtime: &[&'a RuntimePod],
) -> &'a [alloc::sync::Arc<Path>] {
    if candidate.origin != Origin::Runtime {
        return &[];
    }
    let of_runtime = candidate.runtime.and_then(|index| runtime.get(index));
    let split = of_runtime.and_then(|of| of.cgroups.split_first());
    split.map_or(&[], |(_, more)| more)
}

/// What the name of a kubepods pod's cgroup says.
pub(super) fn kubepods_name<'a>(candidate: &Candidate, path: &'a Path) -> Option<KubepodsName<'a>> {
    candidate.class?;
    parse_kubepods_name(path.file_name()?.as_bytes())
}

fn bytes<'a>(paths: &'a [u8], candidate: &Candidate) -> &'a [u8] {
    paths.get(candidate.path.clone()).unwrap_or_default()
}

fn to_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
