use evictd_node::Signal;
use evictd_quantity::{Format, Quantity};
use evictd_threshold::Threshold;

use crate::{Compat, Machine, NodeAllocatable, Reserved, Resolved, Warning};

/// What pods may have of a machine (K: `node_container_manager_linux.go`). The
/// amounts of each are by resource; process ids count for the cgroup alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allocatable {
    /// What is kept back: both reservations and the hard eviction thresholds of
    /// memory and nodefs. What is zero is left out.
    pub reservation: Reserved,
    /// The capacity without it, never below zero: what a scheduler may place.
    pub allocatable: Reserved,
    /// The capacity without the two reservations: the thresholds are the pods'
    /// to use, until they are met.
    pub absolute: Reserved,
    /// The absolute limits of memory, with process ids: the limits of the cgroup of all pods.
    pub pods_cgroup: Reserved,
    /// Whether no more is kept back than there is.
    pub valid: bool,
}

/// How much there is of a resource, and how much of that pods may have; amounts as
/// Kubernetes writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Share {
    /// Its name.
    pub resource: &'static str,
    /// All there is.
    pub capacity: String,
    /// What pods may have.
    pub allocatable: String,
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
        let left = at_least_zero(all - &(kept(system) + kept(kube)));
        found.pods_cgroup.put(name, left.clone());
        if name == "pid" {
            continue;
        }
        found.absolute.put(name, left);
        let reservation = kept(system) + kept(kube) + kept(&evicted_at);
        found.valid &= reservation <= *all;
        let left = at_least_zero(all - &reservation);
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

/// A reservation includes the thresholds; the kubelet keeps them back beside it
/// (docs/thresholds.md).
fn allocatable_of(capacity: &Reserved, resolved: &Resolved) -> Allocatable {
    let (system, kube) = (
        &resolved.node_allocatable.system_reserved,
        &resolved.node_allocatable.kube_reserved,
    );
    let beside = match resolved.compat {
        Compat::Evictd => &[][..],
        Compat::Kubelet(_) => &resolved.evict.thresholds,
    };
    allocatable(capacity, system, kube, beside)
}

/// Memory in bytes that reservations keep from the cgroup of all pods, on a machine with so much
/// of it: with the hard threshold of `allocatableMemory.available` pods are evicted once they
/// have more than is allocatable. That threshold is in an evictd's reservation already; the
/// kubelet's limit of the cgroup is without it.
#[must_use]
pub fn memory_kept_from_pods(resolved: &Resolved, total_bytes: i64) -> u64 {
    if !resolved.node_allocatable.enforce_pods {
        return 0;
    }
    let reserves = [
        &resolved.node_allocatable.system_reserved,
        &resolved.node_allocatable.kube_reserved,
    ];
    let memory = reserves.into_iter().filter_map(|of| of.get("memory"));
    let reserved = memory.fold(0, |sum: i64, amount| sum.saturating_add(amount.value()));
    let thresholds = resolved.evict.thresholds.iter();
    let of_pods = thresholds
        .filter(|of| of.is_hard() && of.signal == Signal::AllocatableMemoryAvailable)
        .map(|of| of.level(total_bytes));
    let included = match resolved.compat {
        Compat::Evictd => of_pods.max().unwrap_or(0),
        Compat::Kubelet(_) => 0,
    };
    u64::try_from(reserved.saturating_sub(included)).unwrap_or(0)
}

/// Of each resource how much that machine has, and what of it pods may have.
pub(crate) fn shares(resolved: &Resolved, machine: &Machine) -> Vec<Share> {
    let capacity = machine.capacity_by_resource();
    let found = allocatable_of(&capacity, resolved);
    let share = |name| {
        let left = found.allocatable.get(name).or(found.pods_cgroup.get(name));
        Some(Share {
            resource: name,
            capacity: capacity.get(name)?.to_string(),
            allocatable: left?.to_string(),
        })
    };
    Reserved::NAMES.into_iter().filter_map(share).collect()
}

/// Refuses reservations that are larger than the machine.
///
/// # Errors
/// One line, about the first such resource.
pub fn check_reserves(resolved: &Resolved, machine: &Machine) -> Result<(), String> {
    let capacity = machine.capacity_by_resource();
    let found = allocatable_of(&capacity, resolved);
    for name in Reserved::NAMES {
        let kept = found.reservation.get(name).zip(capacity.get(name));
        if let (Some((kept, all)), Some(flags)) =
            (kept, reserved_by(&resolved.node_allocatable, name))
            && kept > all
        {
            return Err(format!(
                "{flags}: {kept} of {name} are kept back, and the machine has {all}; reserve less"
            ));
        }
    }
    Ok(())
}

/// Reservations that do not include the hard threshold, as they should (docs/thresholds.md).
pub(crate) fn below_thresholds(resolved: &Resolved, machine: &Machine) -> Vec<Warning> {
    let evicted_at = evicted_at(&machine.capacity_by_resource(), &resolved.evict.thresholds);
    let kept = |reserved: &Reserved, name| reserved.get(name).cloned().unwrap_or(Quantity::ZERO);
    let warning = |name| {
        let flags = reserved_by(&resolved.node_allocatable, name)?;
        let threshold = evicted_at.get(name)?;
        let reserved = kept(&resolved.node_allocatable.system_reserved, name)
            + kept(&resolved.node_allocatable.kube_reserved, name);
        (reserved < *threshold).then(|| {
            Warning(format!(
                "{flags}: {name}={reserved} is below the hard threshold of {threshold}; a \
                 reservation should include the threshold"
            ))
        })
    };
    Reserved::NAMES.into_iter().filter_map(warning).collect()
}

/// The flags that reserve something of the resource, where any does.
fn reserved_by(kept: &NodeAllocatable, name: &str) -> Option<&'static str> {
    let says = |reserved: &Reserved| reserved.get(name).is_some_and(|amount| !amount.is_zero());
    match (says(&kept.system_reserved), says(&kept.kube_reserved)) {
        (true, true) => Some("--system-reserved and --kube-reserved"),
        (true, false) => Some("--system-reserved"),
        (false, true) => Some("--kube-reserved"),
        (false, false) => None,
    }
}
