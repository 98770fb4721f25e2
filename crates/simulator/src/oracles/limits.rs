//! Limits of a pod's own: who is above one goes, within a while, and nobody else (docs/dev/decisions.md, D36).

use core::time::Duration;

use evictd_node::pod::{Pod, VolumeSource};
use evictd_node::{Layout, Mono, Resource};

use crate::feature::Feature;
use crate::strike::Rival;
use crate::violation::Violation;
use crate::world::World;
use crate::world::pod::{Held, WorldPod};

/// Limits are looked at every ten seconds, but in rounds that may be half a minute apart, of which
/// one asks a slow runtime and the next looks; what a pod holds is measured for one look and seen
/// by the next, and its log may come first.
const SEEN: Duration = Duration::from_secs(200);

/// Which limit of its own it is above, holding that.
fn is_above(pod: &Pod, held: &Held, (has_mount, layout): (bool, Layout)) -> Option<String> {
    let container = pod.spec.containers.first();
    let limit = container.and_then(|of| of.resources.limits.ephemeral_storage.as_deref());
    let limit = limit.map(|of| u64::try_from(of.value()).unwrap_or(0));
    let volume = pod.spec.volumes.first().and_then(|of| match &of.source {
        VolumeSource::EmptyDir { size_limit, .. } => size_limit.as_ref(),
        VolumeSource::HostPath { .. }
        | VolumeSource::ConfigMap
        | VolumeSource::GitRepo
        | VolumeSource::Other => None,
    });
    let volume = volume.map(|of| u64::try_from(of.value()).unwrap_or(0));
    let in_volume = if has_mount { 0 } else { held.volume };
    let layer = if layout == Layout::OneFilesystem {
        held.layer
    } else {
        0
    };
    if volume.is_some_and(|limit| limit > 0 && in_volume > limit) {
        return Some(format!("its volume holds {in_volume} of {volume:?}"));
    }
    let all = held.layer + held.logs + in_volume;
    if limit.is_some_and(|limit| all > limit) {
        return Some(format!("it holds {all} of {limit:?}"));
    }
    let own = held.logs + layer;
    let is_above = limit.is_some_and(|limit| limit > 0 && own > limit);
    is_above.then(|| format!("its container holds {own} of {limit:?}"))
}

/// Why a pod must not go for a limit of its own.
pub(super) fn keeps_to_its_limits(world: &World, victim: &Rival) -> Option<String> {
    let pod = world.pods.iter().find(|pod| pod.uid == victim.uid)?;
    if victim.looks_sacred || !victim.is_described {
        return Some(format!("{} is critical, or not described", victim.uid));
    }
    let (at, measured) = victim.measured.as_ref()?;
    // An operator may have changed them while it was being decided.
    let pod_of = (pod.has_mount, world.layout);
    let is_above = is_above(&pod.pod, measured, pod_of);
    let changes = world.plan.features.has(Feature::Updates) && !world.is_calm();
    (is_above.is_none() && !changes)
        .then(|| format!("{} is above no limit, as measured at {at}", victim.uid))
}

/// Since when pods are above a limit of their own, as nothing keeps evictd from seeing it.
#[derive(Debug, Default)]
pub(super) struct Above {
    since: Vec<(String, Mono)>,
}

impl Above {
    pub(super) fn judge(&mut self, world: &mut World) {
        if !world.plan.features.has(Feature::Limits) || !world.is_calm() {
            return;
        }
        let now = world.now;
        // While memory is short nobody looks, and a kill that goes on comes first.
        let last = world.given.looks.last();
        let is_short = world.things.thresholds.iter().any(|of| {
            let reading = last.and_then(|(_, readings)| readings.get(of.signal));
            let of_memory = of.signal.resource() == Resource::Memory;
            of_memory && reading.is_none_or(|reading| of.is_unreclaimed(&reading))
        });
        if is_short || world.in_flight.is_some() {
            self.since.clear();
            return;
        }
        let layout = world.layout;
        let goes = |pod: &&WorldPod| {
            let can = !pod.is_refused && pod.dies_after.is_some() && pod.described_at <= now;
            pod.runs() && can && !pod.is_sacred()
        };
        let above =
            |pod: &WorldPod| is_above(&pod.pod, &pod.held, (pod.has_mount, layout)).is_some();
        let pods = world.pods.iter().filter(goes).filter(|pod| above(pod));
        let uids: Vec<&str> = pods.map(|pod| pod.uid.as_str()).collect();
        // Of several one goes after the other.
        if uids.len() > 1 {
            self.since.clear();
            return;
        }
        self.since.retain(|(uid, _)| uids.contains(&uid.as_str()));
        for uid in uids {
            if !self.since.iter().any(|(of, _)| of == uid) {
                self.since.push((uid.to_owned(), now));
            }
        }
        let late = self.since.iter().find(|(_, at)| now.since(*at) > SEEN);
        if let Some((uid, at)) = late.filter(|_| world.heard_at <= now) {
            let text = format!("{uid} is above a limit of its own since {at}");
            world
                .violations
                .push(Violation::new("limit-kept", now, text));
        }
    }
}
