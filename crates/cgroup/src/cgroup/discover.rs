use alloc::sync::Arc;
use core::ops::ControlFlow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_node::QosClass;
use evictd_stats::{Hierarchy, is_gone};
use rustix::fd::AsFd;
use rustix::io::Errno;

use crate::dir::{each_child, open_cgroup};
use crate::index::{equal, insert, sorted};
use crate::{Origin, RuntimePod, SkipReason, Skipped};
use evictd_containers::{KubepodsName, is_uid, parse_kubepods_name};

/// The roots of the kubepods tree in the two drivers' spellings.
pub(super) const KUBEPODS: [&str; 2] = ["kubepods", "kubepods.slice"];

/// A cgroup that may be a pod.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) cgroup: PathBuf,
    /// Further cgroups of the same pod.
    pub(super) more: Vec<PathBuf>,
    pub(super) origin: Origin,
    /// Of a kubepods pod: its uid, whether the systemd driver wrote it, and the
    /// class that its place says.
    pub(super) kubepods: Option<(String, bool, QosClass)>,
    /// Which of the container runtimes' pods it is.
    pub(super) runtime: Option<usize>,
}

impl Candidate {
    const fn new(cgroup: PathBuf, origin: Origin) -> Self {
        Self {
            cgroup,
            more: Vec::new(),
            origin,
            kubepods: None,
            runtime: None,
        }
    }

    pub(super) fn cgroups(&self) -> impl Iterator<Item = &PathBuf> {
        core::iter::once(&self.cgroup).chain(&self.more)
    }

    /// Whether it has the uid of a runtime's pod.
    fn has_uid_of(&self, pod: &RuntimePod) -> bool {
        let known = self.kubepods.as_ref();
        known.is_some_and(|(uid, systemd, _)| is_uid(uid, &pod.pod.metadata.uid, *systemd))
    }

    /// Whether a runtime's pod is in it; where it may be one of several containers, the
    /// whole of it.
    fn holds(&self, pod: &RuntimePod) -> bool {
        let within = |cgroup: &Arc<Path>| cgroup.starts_with(&self.cgroup);
        match &self.kubepods {
            Some(_) => pod.cgroups.iter().all(within),
            None => matches!(pod.cgroups.as_slice(), [only] if **only == *self.cgroup),
        }
    }
}

/// Collects candidates from one hierarchy.
#[derive(Debug)]
pub(super) struct Search<'a> {
    hierarchy: &'a Hierarchy,
    pub(super) found: Vec<Candidate>,
    pub(super) skipped: Vec<Skipped>,
}

impl<'a> Search<'a> {
    pub(super) const fn new(hierarchy: &'a Hierarchy) -> Self {
        Self {
            hierarchy,
            found: Vec::new(),
            skipped: Vec::new(),
        }
    }

    pub(super) fn kubepods(&mut self) {
        for root in KUBEPODS {
            // What stands beside the two classes is the third.
            self.pods_of(Path::new(root), QosClass::Guaranteed, true);
        }
    }

    fn pods_of(&mut self, dir: &Path, class: QosClass, is_root: bool) {
        for cgroup in self.children(dir, false) {
            match parse_kubepods_name(name(&cgroup)) {
                Some(KubepodsName::Class(class)) if is_root => self.pods_of(&cgroup, class, false),
                Some(KubepodsName::Pod { uid, systemd }) => self.pod(cgroup, uid, systemd, class),
                Some(KubepodsName::Class(_)) | None => {}
            }
        }
    }

    fn pod(&mut self, cgroup: PathBuf, uid: String, systemd: bool, class: QosClass) {
        self.found.push(Candidate {
            kubepods: Some((uid, systemd, class)),
            ..Candidate::new(cgroup, Origin::Kubepods)
        });
    }

    /// What container runtimes run: known already by their cgroups, or new.
    pub(super) fn runtime_pods(&mut self, pods: &[&RuntimePod]) {
        if pods.is_empty() {
            return;
        }
        let mut by_path = self.by_path();
        for (index, pod) in pods.iter().enumerate() {
            let Some((first, more)) = pod.cgroups.split_first() else {
                continue;
            };
            let known = self.known(pod, first, &by_path);
            if let Some(known) = known.and_then(|known| self.found.get_mut(known)) {
                known.runtime.get_or_insert(index);
                continue;
            }
            let compare = |other| self.path(other).cmp(first);
            insert(&mut by_path, self.found.len(), &compare);
            self.found.push(Candidate {
                more: more.iter().map(|cgroup| cgroup.to_path_buf()).collect(),
                runtime: Some(index),
                ..Candidate::new(first.to_path_buf(), Origin::Runtime)
            });
        }
    }

    /// The candidate that is a runtime's pod: it holds its cgroups, or has its uid.
    fn known(&self, pod: &RuntimePod, first: &Path, by_path: &[usize]) -> Option<usize> {
        let holds = |at: &usize| self.found.get(*at).is_some_and(|known| known.holds(pod));
        let holder = |path| self.at(by_path, path).iter().copied().find(holds);
        // A kubepods pod's containers are hardly ever elsewhere.
        let namesake = || self.found.iter().position(|known| known.has_uid_of(pod));
        first.ancestors().find_map(holder).or_else(namesake)
    }

    /// Every child of a configured root is a pod, unless it is one already or
    /// holds others.
    pub(super) fn pod_cgroup_root(&mut self, root: &Path) {
        let by_path = self.by_path();
        for cgroup in self.children(root, true) {
            if self.at(&by_path, &cgroup).is_empty() {
                self.found
                    .push(Candidate::new(cgroup, Origin::PodCgroupRoot));
            }
        }
    }

    /// Takes out what holds other pods or one of the roots.
    pub(super) fn drop_holders(&mut self, roots: &[PathBuf]) {
        let by_path = self.by_path();
        let mut holds = vec![false; self.found.len()];
        let mut mark = |path: &Path| {
            for at in self.at(&by_path, path) {
                holds
                    .get_mut(*at)
                    .into_iter()
                    .for_each(|holds| *holds = true);
            }
        };
        for cgroup in self.found.iter().flat_map(Candidate::cgroups) {
            cgroup.ancestors().skip(1).for_each(&mut mark);
        }
        for root in roots {
            root.ancestors().for_each(&mut mark);
        }
        let Self { found, skipped, .. } = self;
        let mut holds = holds.into_iter();
        found.retain_mut(|candidate| {
            let holds = holds.next().unwrap_or(false);
            if holds {
                let cgroup = core::mem::take(&mut candidate.cgroup);
                let reason = SkipReason::HoldsPods;
                skipped.push(Skipped { cgroup, reason });
            }
            !holds
        });
    }

    /// The candidates whose first cgroup this is.
    fn at<'b>(&self, by_path: &'b [usize], path: &Path) -> &'b [usize] {
        equal(by_path, &|at| self.path(at).cmp(path))
    }

    fn by_path(&self) -> Vec<usize> {
        sorted(self.found.len(), &|a, b| self.path(a).cmp(self.path(b)))
    }

    fn path(&self, at: usize) -> &Path {
        self.found
            .get(at)
            .map_or(Path::new(""), |found| &found.cgroup)
    }

    /// A cgroup's children, sorted. One that is not there has none, and is told of when
    /// it was `asked_for`.
    fn children(&mut self, cgroup: &Path, asked_for: bool) -> Vec<PathBuf> {
        let mut children = Vec::new();
        let listed = match open_cgroup(self.hierarchy, cgroup) {
            Ok(Some(dir)) => each_child(dir.as_fd(), &mut |name| {
                children.push(below(cgroup, name.to_bytes()));
                Ok(ControlFlow::Continue(()))
            })
            .map(drop),
            Ok(None) => Err(Errno::NOENT),
            Err(errno) => Err(errno),
        };
        match listed {
            Err(errno) if asked_for || !is_gone(errno) => self.skipped.push(Skipped {
                cgroup: cgroup.to_path_buf(),
                reason: SkipReason::Failed(errno),
            }),
            _ => {}
        }
        let path = |at: usize| children.get(at);
        let order = sorted(children.len(), &|a, b| path(a).cmp(&path(b)));
        let mut take = |at| {
            children
                .get_mut(at)
                .map(core::mem::take)
                .unwrap_or_default()
        };
        order.into_iter().map(&mut take).collect()
    }
}

/// As `join`, with no more room than it takes: there may be thousands.
fn below(cgroup: &Path, name: &[u8]) -> PathBuf {
    let length = cgroup.as_os_str().len().saturating_add(name.len());
    let mut path = PathBuf::with_capacity(length.saturating_add(1));
    path.push(cgroup);
    path.push(OsStr::from_bytes(name));
    path
}

fn name(cgroup: &Path) -> &[u8] {
    cgroup.file_name().unwrap_or_default().as_bytes()
}
