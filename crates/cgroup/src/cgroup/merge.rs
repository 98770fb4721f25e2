use alloc::sync::Arc;
use alloc::vec::Vec;
use evictd_containers::{compare_uids, is_uid};
use std::path::Path;

use evictd_node::pod::Pod;

use crate::FoundPod;
use crate::index::{equal, sorted};

/// What systemd adds to the name of a unit.
const UNIT_KINDS: [&str; 3] = [".service", ".scope", ".slice"];

/// The manifests, to find the one that describes a pod.
#[derive(Debug)]
pub(super) struct Described<'a> {
    pub(super) pods: &'a [Pod],
    by_uid: Vec<usize>,
    by_name: Vec<usize>,
}

impl<'a> Described<'a> {
    pub(super) fn new(pods: &'a [Pod]) -> Self {
        let pod = |index: usize| pods.get(index).map(|pod| &pod.metadata);
        let uid = |index| pod(index).map_or("", |of| &of.uid);
        let name = |index| pod(index).map_or("", |of| &of.name);
        Self {
            pods,
            by_uid: sorted(pods.len(), &|a, b| compare_uids(uid(a), uid(b))),
            by_name: sorted(pods.len(), &|a, b| name(a).cmp(name(b))),
        }
    }

    fn pod(&self, index: usize) -> Option<&'a Pod> {
        self.pods.get(index)
    }

    /// The one of the kubepods pod with this uid.
    ///
    /// With `systemd` the uid went through that driver, which writes `-` as `_`, so
    /// the two count as equal.
    pub(super) fn by_uid(&self, uid: &str, systemd: bool) -> Option<usize> {
        let known = |index: usize| self.pod(index).map_or("", |pod| &pod.metadata.uid);
        let alike = equal(&self.by_uid, &|index| compare_uids(known(index), uid));
        let mut alike = alike.iter().copied();
        alike.find(|index| is_uid(uid, known(*index), systemd))
    }

    /// The one of a pod of a container runtime: that of its uid, else that of its
    /// namespace and name.
    pub(super) fn by_runtime(&self, pod: &Pod) -> Option<usize> {
        let of = &pod.metadata;
        let in_namespace = || {
            self.named(&of.name)
                .find(|at| self.is_in(*at, namespace(pod)))
        };
        self.by_uid(&of.uid, false).or_else(in_namespace)
    }

    /// The one of a child of a `--pod-cgroup-root` with this name: the one with that
    /// uid; else the one of that `NAMESPACE_NAME`; else the one of that `NAME`, unless
    /// several namespaces have it. If there is none, the same without what systemd adds
    /// to a unit's name.
    pub(super) fn by_name(&self, name: &str) -> Option<usize> {
        let bare = UNIT_KINDS.iter().find_map(|kind| name.strip_suffix(kind));
        self.by_exact_name(name)
            .or_else(|| self.by_exact_name(bare?))
    }

    fn by_exact_name(&self, name: &str) -> Option<usize> {
        let full = || {
            let (within, name) = name.split_once('_')?;
            self.named(name).find(|at| self.is_in(*at, within))
        };
        self.by_uid(name, false).or_else(full).or_else(|| {
            let mut named = self.named(name).filter(|_| !name.is_empty());
            named.next().filter(|_| named.next().is_none())
        })
    }

    fn named(&self, name: &str) -> impl Iterator<Item = usize> {
        let known = |index: usize| self.pod(index).map_or("", |pod| &pod.metadata.name);
        let named = equal(&self.by_name, &|index| known(index).cmp(name));
        named.iter().copied()
    }

    fn is_in(&self, index: usize, wanted: &str) -> bool {
        self.pod(index).is_some_and(|pod| namespace(pod) == wanted)
    }
}

/// The pods of the list from before, which is mostly the same in the same order.
#[derive(Debug)]
pub(super) struct Former {
    pods: Vec<FoundPod>,
    next: usize,
}

/// Pods that may have gone between one that is still there and the next.
const GONE_AT_ONCE: usize = 32;

impl Former {
    pub(super) const fn new(pods: Vec<FoundPod>) -> Self {
        Self { pods, next: 0 }
    }

    /// The pod of a cgroup of which nobody but the cgroup told anything.
    pub(super) fn of(&mut self, cgroup: &Path) -> Option<Arc<Pod>> {
        let rest = self.pods.get(self.next..)?.iter().take(GONE_AT_ONCE);
        let (gone, found) = rest
            .enumerate()
            .find(|(_, found)| found.cgroup == *cgroup)?;
        self.next = self.next.saturating_add(gone).saturating_add(1);
        let is_alone = found.manifest.is_none() && found.runtime.is_none();
        is_alone.then(|| Arc::clone(&found.pod))
    }
}

fn namespace(pod: &Pod) -> &str {
    match pod.metadata.namespace.as_str() {
        "" => "default",
        namespace => namespace,
    }
}
