use evictd_node::Signal;
use evictd_quantity::{Format, Quantity};
use evictd_threshold::Threshold;

use crate::Reserved;

/// What pods may have of a machine (K: `node_container_manager_linux.go`). The
/// amounts of each are by resource; process ids count for the cgroup alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocatable {
    /// What is kept back: both reservations and the hard eviction thresholds of
    /// memory and nodefs. What is zero is left out.
    pub reservation: Reserved,
    /// The capacity without it, never below zero: what a scheduler may place.
    pub allocatable: Reserved,
    /// The capacity without the two reservations: the thresholds are the pods'
    /// to use, until they are met.
    pub absolute: Reserved,
    /// The same with process ids: the limits of the cgroup of all pods.
    pub pods_cgroup: Reserved,
    /// Whether no more is kept back than there is.
    pub valid: bool,
}

/// What of `capacity` pods may have, by these reservations and by the hard ones
/// of these thresholds.
#[must_use]
pub fn allocatable(
    capacity: &Reserved,
    system: &Reserved,
    kube: &Reserved,
    thresholds: &[Threshold],
) -> Allocatable {
    let mut found = Allocatable {
        valid: true,
        ..Allocatable::default()
    };
    let evicted_at = evicted_at(capacity, thresholds);
    for name in Reserved::NAMES {
        let Some(all) = capacity.get(name) else {
            continue;
        };
        let kept = |amounts: &Reserved| amounts.get(name).cloned().unwrap_or(Quantity::ZERO);
        let left = at_least_zero(all.sub(&kept(system)).sub(&kept(kube)));
        found.pods_cgroup.put(name, left.clone());
        if name == "pid" {
            continue;
        }
        found.absolute.put(name, left);
        let reservation = kept(system).add(&kept(kube)).add(&kept(&evicted_at));
        found.valid &= reservation <= *all;
        let left = at_least_zero(all.sub(&reservation));
        found.allocatable.put(name, left);
        if !reservation.is_zero() {
            found.reservation.put(name, reservation);
        }
    }
    found
}

/// What the hard thresholds keep back; no other signal than these two does.
fn evicted_at(capacity: &Reserved, thresholds: &[Threshold]) -> Reserved {
    let mut amounts = Reserved::default();
    for threshold in thresholds.iter().filter(|threshold| threshold.is_hard()) {
        let name = threshold.signal.resource().name();
        let is_kept = matches!(
            threshold.signal,
            Signal::MemoryAvailable | Signal::NodefsAvailable
        );
        if let Some(all) = capacity.get(name).filter(|_| is_kept) {
            amounts.put(name, threshold.value.against(all.value()));
        }
    }
    amounts
}

fn at_least_zero(quantity: Quantity) -> Quantity {
    if quantity.signum() < 0 {
        return Quantity::from_int(0, Format::DecimalSi);
    }
    quantity
}
