//! Requests, limits and QoS class of what container runtimes run.

use alloc::boxed::Box;

use evictd_node::QosClass;
use evictd_node::pod::{Container, Resources, Spec};
use evictd_quantity::{Format, Quantity};

use super::holds;

/// So many bytes.
pub(crate) fn bytes(count: u64) -> Quantity {
    Quantity::from_int(whole(count), Format::BinarySi)
}

/// 1024 shares stand for a processor.
pub(crate) const fn thousandths(shares: u64) -> u64 {
    shares.saturating_mul(1000).div_ceil(1024)
}

/// Thousandths of a processor as a quantity.
pub(crate) fn cpu(thousandths: u64) -> Box<Quantity> {
    let text = alloc::format!("{}m", whole(thousandths));
    Box::new(Quantity::parse(text.as_bytes()).unwrap_or_default())
}

pub(crate) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The class by the place in a kubepods tree (`/kubepods/burstable/pod…`,
/// `kubepods-besteffort-pod….slice`), where the containers are in one.
pub(crate) fn kubepods_class(cgroup_parent: &str) -> Option<QosClass> {
    if !holds(cgroup_parent, "kubepods") {
        return None;
    }
    Some(if holds(cgroup_parent, "besteffort") {
        QosClass::BestEffort
    } else if holds(cgroup_parent, "burstable") {
        QosClass::Burstable
    } else {
        QosClass::Guaranteed
    })
}

/// The class by what the containers state; of the guarantees only memory's
/// counts, as hardly anyone states a request of cpu beside Kubernetes.
pub(crate) fn class_of(spec: &Spec) -> QosClass {
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
