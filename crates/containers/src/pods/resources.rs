//! Requests, limits and QoS class of what container runtimes run.

use core::num::NonZeroU64;
use std::path::Path;

use evictd_node::QosClass;
use evictd_node::pod::{Container, ResourceList, Resources, Spec};
use evictd_quantity::{Format, Quantity};

use super::Limits;
use super::wishes::Wishes;

/// What a container requests and is limited to, by its runtime and by its labels. As in
/// Kubernetes, where only a limit is given, so much is requested.
pub(super) fn resources(limits: &Limits, wishes: Wishes) -> Resources {
    let disk = wishes.disk_limit.map(Box::new);
    Resources {
        requests: ResourceList {
            cpu: limits.cpu_request_millis.map(cpu),
            memory: wishes
                .memory_request
                .or_else(|| limits.memory_request_bytes.map(bytes))
                .map(Box::new),
            ephemeral_storage: disk.clone(),
            ..ResourceList::default()
        },
        limits: ResourceList {
            cpu: limits.cpu_limit_millis.map(cpu),
            memory: limits.memory_limit_bytes.map(bytes).map(Box::new),
            ephemeral_storage: disk,
            ..ResourceList::default()
        },
    }
}

fn bytes(count: NonZeroU64) -> Quantity {
    Quantity::from_int(whole(count), Format::BinarySi)
}

fn cpu(millis: NonZeroU64) -> Box<Quantity> {
    let text = format!("{}m", whole(millis));
    Box::new(Quantity::parse(&text).unwrap_or_default())
}

fn whole(number: NonZeroU64) -> i64 {
    i64::try_from(number.get()).unwrap_or(i64::MAX)
}

/// The class by the place in a kubepods tree (`/kubepods/burstable/pod…`,
/// `kubepods-besteffort-pod….slice`), where the containers are in one.
pub(crate) fn kubepods_class(cgroup_parent: &str) -> Option<QosClass> {
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

/// The class by the place of a container's own cgroup.
pub(crate) fn class_by_cgroup(cgroup: &Path) -> Option<QosClass> {
    kubepods_class(&cgroup.parent()?.to_string_lossy())
}

/// The class by what the containers state; of the guarantees only memory's
/// counts, as hardly anyone states a request of cpu beside Kubernetes.
pub(super) fn class_of(spec: &Spec) -> QosClass {
    // Disks decide no class.
    let states_nothing = |container: &Container| {
        let Resources { requests, limits } = &container.resources;
        let is_empty = |list: &ResourceList| list.cpu.is_none() && list.memory.is_none();
        is_empty(requests) && is_empty(limits)
    };
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
