use alloc::sync::Arc;
use core::ops::ControlFlow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_node::QosClass;
use evictd_stats::{Hierarchy, is_gone};
use rustix::fd::AsFd;
use rustix::io::Errno;

use super::index::{equal, insert, sorted};
use super::merge::{compare_uids, is_uid};
use super::names::{KubepodsName, parse_kubepods_name};
use crate::dir::{each_child, open_cgroup};
use crate::{Origin, RuntimePod, SkipReason, Skipped};

/// The roots of the kubepods tree in the two drivers' spellings.
const KUBEPODS: [&str; 2] = ["kubepods", "kubepods.slice"];

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

    /// Whether a runtime's pod is this one: by its uid, or by its cgroup.
    fn is(&self, pod: &RuntimePod) -> bool {
        let uid = &pod.pod.metadata.uid;
        let same_uid =
            |(known, systemd, _): &(String, bool, QosClass)| is_uid(known, uid, *systemd);
        let within = |cgroup: &Arc<Path>| cgroup.starts_with(&self.cgroup);
        match &self.kubepods {
            Some(kubepods) => same_uid(kubepods) || pod.cgroups.iter().all(within),
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
        for root in KUBEPODS.map(Path::new) {
            for below in self.children(root, false) {
                match parse_kubepods_name(name(&below)) {
                    Some(KubepodsName::Class(class)) => self.class(&below, class),
                    // What stands beside the two classes is the third.
                    Some(KubepodsName::Pod { uid, systemd }) => {
                        self.pod(below, uid, systemd, QosClass::Guaranteed);
                    }
                    None => {}
                }
            }
        }
    }

    fn class(&mut self, dir: &Path, class: QosClass) {
        for cgroup in self.children(dir, false) {
            if let Some(KubepodsName::Pod { uid, systemd }) = parse_kubepods_name(name(&cgroup)) {
                self.pod(cgroup, uid, systemd, class);
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
        let by_uid = sorted(self.found.len(), &|a, b| {
            compare_uids(self.uid(a), self.uid(b))
        });
        for (index, pod) in pods.iter().enumerate() {
            let Some((first, more)) = pod.cgroups.split_first() else {
                continue;
            };
            let known = self.known(pod, first, &by_path, &by_uid);
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

    /// The first candidate that is a runtime's pod: it has its uid, or holds its
    /// cgroups.
    fn known(
        &self,
        pod: &RuntimePod,
        first: &Path,
        by_path: &[usize],
        by_uid: &[usize],
    ) -> Option<usize> {
        let uid = pod.pod.metadata.uid.as_str();
        let same_uid = equal(by_uid, &|at| compare_uids(self.uid(at), uid));
        let around = first.ancestors();
        let holders = around.flat_map(|path| equal(by_path, &|at| self.path(at).cmp(path)));
        let is = |at: &usize| self.found.get(*at).is_some_and(|known| known.is(pod));
        same_uid.iter().chain(holders).copied().filter(is).min()
    }

    /// Every child of a configured root is a pod, unless it is one already or
    /// holds others.
    pub(super) fn pod_cgroup_root(&mut self, root: &Path) {
        let by_path = self.by_path();
        for cgroup in self.children(root, true) {
            if equal(&by_path, &|at| self.path(at).cmp(&cgroup)).is_empty() {
                self.found
                    .push(Candidate::new(cgroup, Origin::PodCgroupRoot));
            }
        }
    }

    /// Takes out what holds other pods or one of the roots.
    pub(super) fn drop_holders(&mut self, roots: &[PathBuf]) {
        let all: Vec<(usize, &Path)> = self
            .found
            .iter()
            .enumerate()
            .flat_map(|(at, candidate)| candidate.cgroups().map(move |path| (at, path.as_path())))
            .collect();
        let path = |at: usize| all.get(at).map_or(Path::new(""), |(_, path)| path);
        let order = sorted(all.len(), &|a, b| path(a).cmp(path(b)));
        // What is below a cgroup stands right after it.
        let holds_the_next = |cgroup: &Path| {
            let after = order.partition_point(|at| path(*at) <= cgroup);
            let next = order.get(after).copied();
            next.is_some_and(|next| path(next).starts_with(cgroup))
        };
        let holds = |candidate: &Candidate| {
            let cgroup = &candidate.cgroup;
            holds_the_next(cgroup) || roots.iter().any(|root| root.starts_with(cgroup))
        };
        let holders: Vec<bool> = self.found.iter().map(holds).collect();
        let Self { found, skipped, .. } = self;
        let mut holders = holders.into_iter();
        found.retain_mut(|candidate| {
            let holds = holders.next().unwrap_or(false);
            if holds {
                let cgroup = core::mem::take(&mut candidate.cgroup);
                let reason = SkipReason::HoldsPods;
                skipped.push(Skipped { cgroup, reason });
            }
            !holds
        });
    }

    fn by_path(&self) -> Vec<usize> {
        sorted(self.found.len(), &|a, b| self.path(a).cmp(self.path(b)))
    }

    fn path(&self, at: usize) -> &Path {
        self.found
            .get(at)
            .map_or(Path::new(""), |found| &found.cgroup)
    }

    fn uid(&self, at: usize) -> &str {
        let kubepods = self.found.get(at).and_then(|found| found.kubepods.as_ref());
        kubepods.map_or("", |(uid, _, _)| uid)
    }

    /// A cgroup's children, sorted. One that is not there has none, and is told of when
    /// it was `asked_for`.
    fn children(&mut self, cgroup: &Path, asked_for: bool) -> Vec<PathBuf> {
        let mut children = Vec::new();
        let listed = match open_cgroup(self.hierarchy, cgroup) {
            Ok(Some(dir)) => each_child(dir.as_fd(), |name| {
                children.push(cgroup.join(OsStr::from_bytes(name.to_bytes())));
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
        children.sort_unstable();
        children
    }
}

fn name(cgroup: &Path) -> &[u8] {
    cgroup.file_name().unwrap_or_default().as_bytes()
}
