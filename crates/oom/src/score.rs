use evictd_node::pod::{Container, Pod, Requested, ResourceList};
use evictd_node::{Policy, QosClass};
use evictd_quantity::Quantity;

use crate::{GuaranteedScore, Reason};

/// The priority class of pods that the node itself needs.
const NODE_CRITICAL_CLASS: &str = "system-node-critical";

/// What scores are computed against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The bytes of memory that the machine has.
    pub memory_capacity_bytes: u64,
    /// The score of Guaranteed pods.
    pub guaranteed: GuaranteedScore,
    /// Whose rules count for pods that request something as a whole.
    pub policy: Policy,
}

/// A container of a pod, and in which of its lists it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerRef<'a> {
    /// One of `spec.containers`.
    Regular(&'a Container),
    /// One of `spec.initContainers`.
    Init(&'a Container),
}

impl<'a> ContainerRef<'a> {
    /// The container of that name in `pod`, among the init containers or among
    /// the regular ones.
    #[must_use]
    pub fn find(pod: &'a Pod, name: &str, init: bool) -> Option<Self> {
        let (list, kind): (_, fn(&'a Container) -> Self) = if init {
            (&*pod.spec.init_containers, Self::Init)
        } else {
            (&*pod.spec.containers, Self::Regular)
        };
        list.iter().find(|c| c.name == name).map(kind)
    }

    /// The container itself.
    #[must_use]
    pub const fn container(self) -> &'a Container {
        match self {
            Self::Regular(container) | Self::Init(container) => container,
        }
    }

    pub(crate) fn is_sidecar(self) -> bool {
        match self {
            Self::Regular(_) => false,
            Self::Init(container) => container.is_sidecar(),
        }
    }
}

/// The `oom_score_adj` of `container` in `pod` (K: `GetContainerOOMScoreAdjust`).
///
/// Node-critical and Guaranteed: the scale's `guaranteed`. BestEffort: 1000. Burstable:
/// 1000 less the thousandths of the memory that the container requests, at least
/// 1000 + `guaranteed`, and 999 instead of 1000; a sidecar gets no more than the regular
/// container that requests least would.
///
/// Memory that only the pod as a whole requests (`spec.resources`) is shared out equally,
/// to init containers too. A capacity of zero counts as one byte.
///
/// The kernel takes −1000 to 1000. Like the kubelet's, the score goes beyond
/// 1000 for pods that the API server would refuse: a negative request, or a pod
/// that as a whole requests less than its containers do. Write
/// 1000 then.
#[must_use]
pub fn score_adj(pod: &Pod, container: ContainerRef<'_>, scale: &Scale) -> i16 {
    reason(pod, container, scale).score(scale.guaranteed)
}

/// What [`score_adj`] depends on.
pub(crate) fn reason(pod: &Pod, container: ContainerRef<'_>, scale: &Scale) -> Reason {
    if is_node_critical(pod) {
        return Reason::NodeCritical;
    }
    match pod.qos_class(&scale.policy) {
        QosClass::Guaranteed => Reason::Guaranteed,
        QosClass::BestEffort => Reason::BestEffort,
        QosClass::Burstable => Reason::Burstable {
            request_bytes: counted_request(pod, container, &scale.policy),
            capacity_bytes: scale.memory_capacity_bytes,
        },
    }
}

fn is_node_critical(pod: &Pod) -> bool {
    pod.is_critical() && *pod.spec.priority_class_name == *NODE_CRITICAL_CLASS
}

/// The bytes of memory that count as the container's request.
fn counted_request(pod: &Pod, container: ContainerRef<'_>, policy: &Policy) -> i128 {
    let own = memory(&container.container().resources.requests);
    let least = pod
        .spec
        .containers
        .iter()
        .map(|regular| memory(&regular.resources.requests))
        .min();
    let counted = match least {
        Some(least) if container.is_sidecar() => own.max(least),
        _ => own,
    };
    let extra = if policy.pod_resources_are_ignored {
        0
    } else {
        unallocated_share(pod)
    };
    counted.saturating_add(extra)
}

/// What each container gets of the memory that only the pod as a whole requests
/// (K: `remainingPodMemReqPerContainer`).
fn unallocated_share(pod: &Pod) -> i128 {
    let whole = pod
        .spec
        .resources
        .as_ref()
        .map_or(0, |resources| memory(&resources.requests));
    let containers = i128::try_from(pod.all_containers().count()).unwrap_or(i128::MAX);
    if whole == 0 || containers == 0 {
        return 0;
    }
    let allocated = pod.aggregate_request(Requested::Memory);
    whole.saturating_sub(allocated.as_ref().map_or(0, bytes)) / containers
}

fn memory(list: &ResourceList) -> i128 {
    list.memory.as_deref().map_or(0, bytes)
}

fn bytes(quantity: &Quantity) -> i128 {
    i128::from(quantity.value())
}
