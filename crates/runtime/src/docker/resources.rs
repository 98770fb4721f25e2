//! Requests, limits and QoS class of a pod, from what its containers were given.

use evictd_docker::ContainerDetail;
use evictd_node::QosClass;
use evictd_pod::{Container, ResourceList, Resources, Spec};
use evictd_quantity::{Format, Quantity};

/// What a container requests and is limited to. `memory_request` is what a label
/// asks for.
pub(super) fn resources(detail: &ContainerDetail, memory_request: Option<Quantity>) -> Resources {
    let bytes = |bytes: u64| Quantity::from_int(whole(bytes), Format::BinarySi);
    let reserved = detail.memory_reservation_bytes.map(bytes);
    Resources {
        requests: ResourceList {
            cpu: detail.cpu_shares.map(|shares| cpu(thousandths(shares))),
            memory: memory_request.or(reserved),
            ..ResourceList::default()
        },
        limits: ResourceList {
            cpu: detail.nano_cpus.map(|nanos| cpu(nanos.div_ceil(1_000_000))),
            memory: detail.memory_bytes.map(bytes),
            ..ResourceList::default()
        },
    }
}

/// 1024 shares stand for a processor.
const fn thousandths(shares: u64) -> u64 {
    shares.saturating_mul(1000).div_ceil(1024)
}

/// Thousandths of a processor as a quantity.
fn cpu(thousandths: u64) -> Quantity {
    let text = alloc::format!("{}m", whole(thousandths));
    Quantity::parse(text.as_bytes()).unwrap_or_default()
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The class by the place in a kubepods tree (`/kubepods/burstable/pod…`,
/// `kubepods-besteffort-pod….slice`), where the containers are in one.
pub(super) fn kubepods_class(cgroup_parent: &str) -> Option<QosClass> {
    if !cgroup_parent.contains("kubepods") {
        return None;
    }
    Some(if cgroup_parent.contains("besteffort") {
        QosClass::BestEffort
    } else if cgroup_parent.contains("burstable") {
        QosClass::Burstable
    } else {
        QosClass::Guaranteed
    })
}

/// The class by what the containers state; of the guarantees only memory's
/// counts, see [`DockerRuntime`](crate::DockerRuntime).
pub(super) fn class_of(spec: &Spec) -> QosClass {
    let states_nothing = |container: &Container| container.resources == Resources::default();
    let is_guaranteed = |container: &Container| {
        let Resources { requests, limits } = &container.resources;
        limits.memory.is_some() && requests.memory == limits.memory
    };
    if spec.containers.iter().all(states_nothing) {
        QosClass::BestEffort
    } else if spec.containers.iter().all(is_guaranteed) {
        QosClass::Guaranteed
    } else {
        QosClass::Burstable
    }
}
