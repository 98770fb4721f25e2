use alloc::sync::Arc;
use core::ops::ControlFlow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_node::QosClass;
use evictd_stats::{Hierarchy, is_gone};
use rustix::fd::AsFd;
use rustix::io::Errno;

use super::merge::is_uid;
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
            for name in self.children(root, false) {
                let below = root.join(&name);
                match parse_kubepods_name(name.as_bytes()) {
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
        for name in self.children(dir, false) {
            if let Some(KubepodsName::Pod { uid, systemd }) = parse_kubepods_name(name.as_bytes()) {
                self.pod(dir.join(&name), uid, systemd, class);
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
        for (index, pod) in pods.iter().enumerate() {
            let Some((first, more)) = pod.cgroups.split_first() else {
                continue;
            };
            if let Some(known) = self.found.iter_mut().find(|known| known.is(pod)) {
                known.runtime.get_or_insert(index);
                continue;
            }
            self.found.push(Candidate {
                more: more.iter().map(|cgroup| cgroup.to_path_buf()).collect(),
                runtime: Some(index),
                ..Candidate::new(first.to_path_buf(), Origin::Runtime)
            });
        }
    }

    /// Every child of a configured root is a pod, unless it is one already or
    /// holds others.
    pub(super) fn pod_cgroup_root(&mut self, root: &Path) {
        for name in self.children(root, true) {
            let cgroup = root.join(name);
            if self.found.iter().all(|known| known.cgroup != cgroup) {
                self.found
                    .push(Candidate::new(cgroup, Origin::PodCgroupRoot));
            }
        }
    }

    /// Takes out what holds other pods or one of the roots.
    pub(super) fn drop_holders(&mut self, roots: &[PathBuf]) {
        let holds = |cgroup: &Path, other: &Path| other != cgroup && other.starts_with(cgroup);
        let holders: Vec<PathBuf> = self
            .found
            .iter()
            .map(|candidate| &candidate.cgroup)
            .filter(|cgroup| {
                let mut others = self.found.iter().flat_map(Candidate::cgroups);
                others.any(|other| holds(cgroup, other))
                    || roots.iter().any(|root| root.starts_with(cgroup))
            })
            .cloned()
            .collect();
        self.found
            .retain(|candidate| !holders.contains(&candidate.cgroup));
        let reason = SkipReason::HoldsPods;
        let skipped = holders.into_iter().map(|cgroup| Skipped { cgroup, reason });
        self.skipped.extend(skipped);
    }

    /// The names of a cgroup's children, sorted. One that is not there has
    /// none, and is told of when it was `asked_for`.
    fn children(&mut self, cgroup: &Path, asked_for: bool) -> Vec<OsString> {
        let mut names = Vec::new();
        let listed = match open_cgroup(self.hierarchy, cgroup) {
            Ok(Some(dir)) => each_child(dir.as_fd(), |name| {
                names.push(OsStr::from_bytes(name.to_bytes()).to_owned());
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
        names.sort_unstable();
        names
    }
}
