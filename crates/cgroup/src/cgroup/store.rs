//! What one list of pods leaves to the next.
//!
//! Pods are listed when memory is short, and then none may be asked for. So what a list is
//! made of is kept here, by the path of its cgroup: only a cgroup that is new, or one that
//! is described otherwise now, takes memory.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use evictd_node::QosClass;
use evictd_node::pod::Pod;
use rustix::process::Pid;

use super::described::Orders;
use crate::{FoundPod, Origin};

/// Candidates for which there is room from the start.
const USUAL: usize = 1024;

/// All that is kept.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) cgroups: Cgroups,
    /// The cgroups that may be pods, in the order of the list.
    pub(super) candidates: Vec<Candidate>,
    pub(super) manifests: Orders,
    /// Of which manifests something runs.
    pub(super) runs: Vec<bool>,
    /// The numbers of the pods of the list, in the order of their uids.
    pub(super) by_uid: Vec<usize>,
    /// A file of the kernel's.
    pub(super) text: Vec<u8>,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            cgroups: Cgroups::default(),
            candidates: Vec::with_capacity(USUAL),
            manifests: Orders::default(),
            runs: Vec::new(),
            by_uid: Vec::with_capacity(USUAL),
            text: Vec::new(),
        }
    }
}

/// A cgroup that may be a pod.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) path: Arc<Path>,
    pub(super) origin: Origin,
    /// Of a kubepods pod: the class that its place says.
    pub(super) class: Option<QosClass>,
    /// Which of the container runtimes' pods it is.
    pub(super) runtime: Option<usize>,
}

/// The cgroups that matter to the list, by their paths.
#[derive(Debug, Default)]
pub(super) struct Cgroups {
    known: BTreeMap<Key, Known>,
    /// Where the path of one is put together.
    path: Vec<u8>,
}

/// What is known of a cgroup.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Whether this list has met it.
    is_there: bool,
    /// Which of the candidates it is; of several that begin in it, the first.
    pub(super) candidate: Option<usize>,
    /// Other candidates, or a pod cgroup root, are below it.
    pub(super) holds_pods: bool,
    /// A container runtime's pod has it,
    pub(super) is_runtimes: bool,
    /// as one of several.
    pub(super) is_part: bool,
    /// The first protected process that is in it or below.
    pub(super) protected: Option<Pid>,
    /// The pod that was listed with it, and
    pod: Option<Listed>,
    /// the one of a runtime's that begins in it, without being the whole of it.
    runtimes_pod: Option<Listed>,
}

/// A pod as it was listed.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) found: FoundPod,
    /// What its container runtime said of it then.
    pub(super) of_runtime: Option<Arc<Pod>>,
}

impl Listed {
    /// Whether it was this candidate, in the cgroup with this inode.
    pub(super) fn is(&self, candidate: &Candidate, more: &[Arc<Path>], inode: Option<u64>) -> bool {
        let found = &self.found;
        (found.origin, found.runtime, found.inode) == (candidate.origin, candidate.runtime, inode)
            && *found.more_cgroups == *more
    }
}

impl Cgroups {
    /// Begins a list.
    pub(super) fn begin(&mut self) {
        for known in self.known.values_mut() {
            known.is_there = false;
            known.candidate = None;
            known.holds_pods = false;
            known.is_runtimes = false;
            known.is_part = false;
            known.protected = None;
        }
    }

    /// Ends it: what it has not met is gone.
    pub(super) fn end(&mut self) {
        self.known.retain(|_, known| known.is_there);
    }

    /// Meets a child of a cgroup, or that cgroup itself where it has no name, and says
    /// what is known of it.
    pub(super) fn meet(&mut self, parent: &Path, name: &[u8]) -> (Arc<Path>, &mut Known) {
        let Self { known, path } = self;
        let parent = parent.as_os_str().as_bytes();
        path.clear();
        path.extend_from_slice(parent);
        if !parent.is_empty() && !name.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        let path = OsStr::from_bytes(path);
        let key = known.get_key_value(path).map(|(key, _)| key.clone());
        let key = key.unwrap_or_else(|| Key(Path::new(path).into()));
        let path = Arc::clone(&key.0);
        let met = known.entry(key).or_default();
        met.is_there = true;
        (path, met)
    }

    pub(super) fn get(&self, path: &Path) -> Option<&Known> {
        self.known.get(path.as_os_str())
    }

    pub(super) fn get_mut(&mut self, path: &Path) -> Option<&mut Known> {
        self.known.get_mut(path.as_os_str())
    }

    /// Takes out what was listed as this candidate before.
    pub(super) fn take(&mut self, candidate: &Candidate) -> Option<Listed> {
        self.listed(candidate)?.take()
    }

    /// Keeps what is listed as this candidate now.
    pub(super) fn keep(&mut self, candidate: &Candidate, listed: Listed) {
        if let Some(place) = self.listed(candidate) {
            *place = Some(listed);
        }
    }

    fn listed(&mut self, candidate: &Candidate) -> Option<&mut Option<Listed>> {
        let known = self.get_mut(&candidate.path)?;
        Some(if candidate.origin == Origin::Runtime {
            &mut known.runtimes_pod
        } else {
            &mut known.pod
        })
    }
}

/// A path in the order of its bytes: a path would be compared part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key(Arc<Path>);

impl Borrow<OsStr> for Key {
    fn borrow(&self) -> &OsStr {
        self.0.as_os_str()
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.as_os_str().cmp(other.0.as_os_str())
    }
}
