//! Which cgroups may be pods, by their places and names alone.

mod of_runtime;
mod sessions;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::ControlFlow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_node::QosClass;
use evictd_node::kubepods::{KubepodsName, parse_kubepods_name};
use evictd_stats::{Hierarchy, is_gone};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;

pub(super) use of_runtime::{more_cgroups, runtime_pod};

use super::services::{OPENRC, SERVICE, ServiceManager, Services, is_system};
use super::store::{Candidate, Cgroups};
use crate::dir::{each_child, open_dir, twice};
use crate::{Origin, RuntimePod, SkipReason, Skipped};

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

/// Where pods are looked for.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) hierarchy: &'a Hierarchy,
    /// Cgroups whose children are pods.
    pub(super) roots: &'a [PathBuf],
    /// Whose services are pods, and whether sessions are,
    pub(super) services: &'a Services,
    /// and where these are kept, if not in the hierarchy.
    pub(super) kept_in: Option<&'a Hierarchy>,
}

/// Looks for all candidates of one hierarchy: those of the kubepods tree, the children of
/// the roots, the services and the pods of container runtimes, each once. A kubepods tree
/// does not have to be there; `skipped` takes what could not be listed.
pub(super) fn search(
    places: &Places<'_>,
    runtime: &[&[RuntimePod]],
    cgroups: &mut Cgroups,
    candidates: &mut Vec<Candidate>,
    skipped: &mut Vec<Skipped>,
) {
    candidates.clear();
    let search = Search {
        places: *places,
        runtime,
        cgroups,
        candidates,
        skipped,
    };
    search.run();
}

struct Search<'a> {
    places: Places<'a>,
    /// The pods of each container runtime.
    runtime: &'a [&'a [RuntimePod]],
    cgroups: &'a mut Cgroups,
    candidates: &'a mut Vec<Candidate>,
    skipped: &'a mut Vec<Skipped>,
}

impl Search<'_> {
    fn run(mut self) {
        let Places {
            hierarchy, roots, ..
        } = self.places;
        for (place, class) in KUBEPODS {
            let place = Path::new(place);
            match twice(|| self.add_children(hierarchy, place, Origin::Kubepods, Some(class))) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(errno) => self.fail(place, errno),
            }
        }
        for root in roots {
            // Its children may be candidates already: it may be a kubepods place.
            let added = twice(|| self.add_children(hierarchy, root, Origin::PodCgroupRoot, None));
            if let Err(errno) = added {
                self.fail(root, errno);
            }
        }
        let kept_in = self.places.kept_in.unwrap_or(hierarchy);
        let first = self.candidates.len();
        let &Services { of, sessions, .. } = self.places.services;
        let services = of.map_or(Ok(()), |of| self.add_services(of, kept_in));
        let sessions = sessions.then(|| self.add_sessions(kept_in));
        self.number_from(first);
        if let Err(errno) = services.and(sessions.unwrap_or(Ok(()))) {
            self.fail(Path::new("/"), errno);
        }
        self.add_runtime_pods();
        self.mark_holders(roots);
    }

    fn fail(&mut self, place: &Path, errno: Errno) {
        let (cgroup, _) = self.cgroups.meet(place, b"");
        let reason = SkipReason::Failed(errno);
        self.skipped.push(Skipped { cgroup, reason });
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
        let first = self.candidates.len();
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
        if let Err(errno) = listed {
            // A part of a list is none: it is tried again.
            self.candidates.truncate(first);
            return Err(errno);
        }
        let new = self.candidates.get_mut(first..).unwrap_or_default();
        new.sort_unstable_by(|one, other| one.path.as_os_str().cmp(other.path.as_os_str()));
        self.number_from(first);
        Ok(())
    }

    /// Adds a candidate, unless it was found elsewhere already.
    fn add(&mut self, parent: &Path, name: &[u8], origin: Origin, class: Option<QosClass>) {
        let (path, known) = self.cgroups.meet(parent, name);
        let is_found = matches!(origin, Origin::PodCgroupRoot | Origin::Service);
        if is_found && known.candidate.is_some() {
            return;
        }
        self.candidates.push(Candidate {
            path,
            origin,
            class,
            runtime: None,
        });
    }

    /// Notes which candidates the cgroups from the `first` of them on are.
    fn number_from(&mut self, first: usize) {
        for (at, candidate) in self.candidates.iter().enumerate().skip(first) {
            if let Some(known) = self.cgroups.get_mut(&candidate.path) {
                known.candidate.get_or_insert(at);
            }
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
    fn add_runtime_pods(&mut self) {
        for (index, pod) in self.runtime.iter().copied().flatten().enumerate() {
            let Some((first, more)) = pod.cgroups.split_first() else {
                continue;
            };
            let known = self.holder(pod, first);
            if let Some(known) = known.and_then(|known| self.candidates.get_mut(known)) {
                known.runtime.get_or_insert(index);
                if let Some(known) = self.cgroups.get_mut(first) {
                    known.is_runtimes = true;
                }
                continue;
            }
            // Two runtimes may list one container: the first that does has it.
            let is_anothers =
                |path: &Arc<Path>| self.cgroups.get(path).is_some_and(|of| of.is_runtimes);
            if pod.cgroups.iter().all(is_anothers) {
                continue;
            }
            let new = self.candidates.len();
            self.add(first, b"", Origin::Runtime, None);
            if let Some(added) = self.candidates.get_mut(new) {
                added.runtime = Some(index);
            }
            self.number_from(new);
            for cgroup in &pod.cgroups {
                let (_, known) = self.cgroups.meet(cgroup, b"");
                known.is_runtimes = true;
                known.is_part = !more.is_empty();
            }
        }
    }

    /// The candidate that is a runtime's pod: it holds its cgroups. A uid alone says nothing,
    /// as whoever starts a container may label it with another pod's.
    fn holder(&self, pod: &RuntimePod, first: &Path) -> Option<usize> {
        let holds = |at: &usize| self.candidates.get(*at).is_some_and(|one| holds(one, pod));
        let candidate = |path: &Path| self.cgroups.get(path)?.candidate;
        first.ancestors().filter_map(candidate).find(holds)
    }

    /// Marks what holds other pods or one of the roots.
    fn mark_holders(&mut self, roots: &[PathBuf]) {
        let Self {
            cgroups,
            candidates,
            runtime,
            ..
        } = self;
        let mut mark = |path: &Path| {
            if let Some(known) = cgroups.get_mut(path) {
                known.holds_pods = true;
            }
        };
        roots
            .iter()
            .flat_map(|root| root.ancestors())
            .for_each(&mut mark);
        let mut marked = None;
        for candidate in candidates.iter() {
            let above = candidate.path.parent();
            // Those before it were mostly below the same one.
            if above != marked {
                let all_above = above.into_iter().flat_map(Path::ancestors);
                all_above.for_each(&mut mark);
                marked = above;
            }
            let more = more_cgroups(candidate, runtime).iter();
            more.flat_map(|cgroup| cgroup.ancestors().skip(1))
                .for_each(&mut mark);
        }
    }
}

/// Whether a runtime's pod is in a candidate; where that may be one of several containers,
/// the whole of it.
fn holds(candidate: &Candidate, pod: &RuntimePod) -> bool {
    let path = &*candidate.path;
    if candidate.class.is_some() {
        return pod.cgroups.iter().all(|cgroup| cgroup.starts_with(path));
    }
    matches!(pod.cgroups.as_slice(), [only] if **only == *path)
}

/// What the name of a kubepods pod's cgroup says.
pub(super) fn kubepods_name(candidate: &Candidate) -> Option<KubepodsName<'_>> {
    candidate.class?;
    parse_kubepods_name(candidate.path.file_name()?.as_bytes())
}
