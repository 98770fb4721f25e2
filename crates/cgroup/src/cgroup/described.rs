use alloc::sync::Arc;
use alloc::vec::Vec;

use evictd_node::kubepods::{compare_uids, is_uid};
use evictd_node::pod::Pod;

/// What systemd adds to the name of a unit.
const UNIT_KINDS: [&str; 3] = [".service", ".scope", ".slice"];

/// The order of manifests by what they are looked for by; used again for the next list.
#[derive(Debug, Default)]
pub(super) struct Orders {
    by_uid: Vec<usize>,
    by_name: Vec<usize>,
}

/// The manifests, to find the one that describes a pod.
#[derive(Clone, Copy, Debug)]
pub(super) struct Described<'a> {
    pods: &'a [Arc<Pod>],
    orders: &'a Orders,
}

impl<'a> Described<'a> {
    pub(super) fn new(pods: &'a [Arc<Pod>], orders: &'a mut Orders) -> Self {
        for order in [&mut orders.by_uid, &mut orders.by_name] {
            order.clear();
            order.extend(0..pods.len());
        }
        let (uid, name) = (uid_in(pods), name_in(pods));
        let by_uid = |one: &usize, other: &usize| compare_uids(uid(*one), uid(*other));
        let by_name = |one: &usize, other: &usize| name(*one).cmp(name(*other));
        // Of several the first manifest counts.
        let first = |one: &usize, other: &usize| one.cmp(other);
        orders
            .by_uid
            .sort_unstable_by(|a, b| by_uid(a, b).then(first(a, b)));
        orders
            .by_name
            .sort_unstable_by(|a, b| by_name(a, b).then(first(a, b)));
        Self { pods, orders }
    }

    pub(super) fn get(self, index: usize) -> Option<&'a Arc<Pod>> {
        self.pods.get(index)
    }

    /// The one of the kubepods pod with this uid.
    ///
    /// With `systemd` the uid went through that driver, which writes `-` as `_`, so
    /// the two count as equal.
    pub(super) fn by_uid(self, uid: &str, systemd: bool) -> Option<usize> {
        let (known, order) = (uid_in(self.pods), &self.orders.by_uid);
        let first = order.partition_point(|at| compare_uids(known(*at), uid).is_lt());
        let rest = order.get(first..)?.iter().copied();
        let mut alike = rest.take_while(|at| compare_uids(known(*at), uid).is_eq());
        alike.find(|at| is_uid(uid, known(*at), systemd))
    }

    /// The one of a pod of a container runtime: that of its uid, else that of its
    /// namespace and name.
    pub(super) fn by_runtime(self, pod: &Pod) -> Option<usize> {
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
    pub(super) fn by_name(self, name: &str) -> Option<usize> {
        let bare = UNIT_KINDS.iter().find_map(|kind| name.strip_suffix(kind));
        self.by_exact_name(name)
            .or_else(|| self.by_exact_name(bare?))
    }

    fn by_exact_name(self, name: &str) -> Option<usize> {
        let full = || {
            let (within, name) = name.split_once('_')?;
            self.named(name).find(|at| self.is_in(*at, within))
        };
        self.by_uid(name, false).or_else(full).or_else(|| {
            let mut named = self.named(name).filter(|_| !name.is_empty());
            named.next().filter(|_| named.next().is_none())
        })
    }

    fn named(self, name: &str) -> impl Iterator<Item = usize> {
        let (known, order) = (name_in(self.pods), &self.orders.by_name);
        let first = order.partition_point(|at| known(*at) < name);
        let rest = order.get(first..).unwrap_or_default().iter().copied();
        rest.take_while(move |at| known(*at) == name)
    }

    fn is_in(self, index: usize, wanted: &str) -> bool {
        self.get(index).is_some_and(|pod| namespace(pod) == wanted)
    }
}

fn uid_in<'a>(pods: &'a [Arc<Pod>]) -> impl Fn(usize) -> &'a str {
    move |index| pods.get(index).map_or("", |pod| &pod.metadata.uid)
}

fn name_in<'a>(pods: &'a [Arc<Pod>]) -> impl Fn(usize) -> &'a str {
    move |index| pods.get(index).map_or("", |pod| &pod.metadata.name)
}

fn namespace(pod: &Pod) -> &str {
    match pod.metadata.namespace.as_str() {
        "" => "default",
        namespace => namespace,
    }
}
