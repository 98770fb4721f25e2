//! Limits of a pod's own, of disk.

use evictd_node::pod::{Pod, VolumeSource};
use evictd_quantity::{Format, Quantity};

use super::amount::MIB;
use crate::feature::{Feature, Features};
use crate::random::Random;

pub(super) const fn quantity(bytes: u64) -> Quantity {
    Quantity::from_int(bytes.cast_signed(), Format::BinarySi)
}

/// Gives a pod limits of its own; some have none, or one of zero, which is none for some.
pub(super) fn limit(r: &mut Random, pod: &mut Pod, disk: u64) {
    let some = |r: &mut Random| {
        let bytes = r.within(1, disk / 8 / MIB) * MIB;
        (!r.one_in(3)).then(|| if r.one_in(12) { 0 } else { bytes })
    };
    if let Some(container) = pod.spec.containers.first_mut() {
        let limit = some(r).map(|bytes| Box::new(quantity(bytes)));
        container.resources.limits.ephemeral_storage = limit;
    }
    if let Some(volume) = pod.spec.volumes.first_mut()
        && let VolumeSource::EmptyDir { size_limit, .. } = &mut volume.source
    {
        *size_limit = some(r).map(quantity);
    }
}

/// As it begins.
pub(super) fn limit_at_first(seed: u64, number: u32, features: Features, pod: &mut Pod, disk: u64) {
    if features.has(Feature::Limits) {
        // A stream of its own: a world without limits stays what it is.
        let mut random = Random::new(seed, 4000 + u64::from(number));
        limit(&mut random, pod, disk);
    }
}
