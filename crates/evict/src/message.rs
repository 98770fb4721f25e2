//! What is said of an eviction, in the kubelet's words (K: `evictionMessage`;
//! decisions D49 and D57).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use evictd_node::pod::usage::{ContainerUsage, PodUsage};
use evictd_node::pod::{Container, Pod};
use evictd_node::{Policy, Reading, Resource, Signal, Unit};
use evictd_quantity::{Format, Quantity};
use evictd_rank::Candidate;

use crate::observe::Watch;
use crate::{Annotations, Message};

/// For a pod that is evicted because a threshold of `signal` is met.
pub(crate) fn of(
    signal: Signal,
    candidate: &Candidate,
    watch: &Watch,
    first: usize,
    policy: &Policy,
) -> Message {
    let resource = signal.resource();
    let mut text = format!("The node was low on resource: {}. ", signal.message());
    if signal.grows_with_trouble() {
        text.push_str(&lost(watch, first));
    } else if let Some((threshold, available)) = threshold_met(resource, watch, first) {
        let _ = write!(
            text,
            "Threshold quantity: {threshold}, available: {available}. "
        );
    }
    let Some(usage) = &candidate.usage else {
        return Message {
            text,
            annotations: None,
        };
    };
    let whole = whole_pod(resource, &candidate.pod, usage, policy);
    if let Some((used, request)) = &whole {
        let name = &candidate.pod.metadata.name;
        let _ = write!(
            text,
            "Pod {name} was using {used}, request is {request}, \
             has larger consumption of {resource}. "
        );
    }
    let (mut names, mut usages) = (Vec::new(), Vec::new());
    for (container, used) in offenders(resource, &candidate.pod, usage) {
        let (name, request) = (&container.name, request(container, resource));
        let _ = write!(
            text,
            "Container {name} was using {used}, request is {request}, \
             has larger consumption of {resource}. "
        );
        names.push(name.as_str());
        usages.push(used.to_string());
    }
    if resource == Resource::EphemeralStorage && !policy.message_omits_volumes {
        add_volumes(&mut text, &candidate.pod, usage);
    }
    Message {
        text,
        annotations: Some(Annotations {
            offending_pod: whole.map(|(used, _)| (candidate.pod.metadata.name.clone(), used)),
            offending_containers: names.join(","),
            offending_containers_usage: usages.join(","),
            starved_resource: resource,
        }),
    }
}

/// What is said of lost time, for which the kubelet has no words.
fn lost(watch: &Watch, first: usize) -> String {
    let threshold = watch.get(first);
    let both = threshold.and_then(|t| Some((t, watch.readings.get(t.signal)?.available)));
    both.map_or_else(String::new, |(threshold, lost)| {
        let most = threshold.written();
        format!("All tasks waited for memory in {lost}% of the time, more than {most}. ")
    })
}

/// What the pod uses and requests of memory, where it requests some as a whole.
///
/// The kubelet's words say that it uses more, whether or not it does.
fn whole_pod(
    resource: Resource,
    pod: &Pod,
    usage: &PodUsage,
    policy: &Policy,
) -> Option<(Quantity, Quantity)> {
    if resource != Resource::Memory || policy.pod_resources_are_ignored {
        return None;
    }
    let whole = pod.spec.resources.as_deref()?;
    let request = whole.requests.memory.as_deref()?;
    Some((quantity(usage.memory_working_set_bytes?), request.clone()))
}

/// Quantity and availability of the first threshold of the resource that acts:
/// the one acted on stands before the others.
fn threshold_met(resource: Resource, watch: &Watch, first: usize) -> Option<(Quantity, Quantity)> {
    let fresh = watch.thresholds.iter().filter(|watched| watched.is_fresh);
    let fresh = fresh.map(|watched| &watched.threshold);
    watch
        .get(first)
        .into_iter()
        .chain(fresh)
        .find_map(|threshold| {
            if threshold.signal.resource() != resource || threshold.signal.grows_with_trouble() {
                return None;
            }
            let reading = watch.readings.get(threshold.signal)?;
            let available = available(threshold.signal, &reading);
            Some((threshold.value.against(reading.capacity), available))
        })
}

/// How much is left: bytes are printed in powers of 1024, counts in powers of 1000 (K:
/// `makeSignalObservations`).
pub(crate) fn available(signal: Signal, reading: &Reading) -> Quantity {
    let format = match signal.unit() {
        Unit::Bytes => Format::BinarySi,
        Unit::Inodes | Unit::ProcessIds | Unit::Percent => Format::DecimalSi,
    };
    Quantity::from_int(reading.available, format)
}

/// The containers that use more than they requested, in the order of the stats.
/// Only memory and ephemeral storage name containers.
fn offenders<'a>(
    resource: Resource,
    pod: &'a Pod,
    usage: &'a PodUsage,
) -> impl Iterator<Item = (&'a Container, Quantity)> {
    usage.containers.iter().flat_map(move |stats| {
        let used = used(resource, stats);
        let all = pod.spec.containers.iter().chain(&pod.spec.init_containers);
        let named = all.filter(|container| container.name == stats.name);
        named.filter_map(move |container| {
            let used = used.clone()?;
            (used > request(container, resource)).then_some((container, used))
        })
    })
}

fn used(resource: Resource, stats: &ContainerUsage) -> Option<Quantity> {
    let bytes = match resource {
        Resource::Memory => stats.memory_working_set_bytes?,
        Resource::EphemeralStorage => stats.rootfs_bytes?.saturating_add(stats.logs_bytes?),
        Resource::Inodes | Resource::Pids => return None,
    };
    Some(quantity(bytes))
}

fn request(container: &Container, resource: Resource) -> Quantity {
    let requests = &container.resources.requests;
    let request = match resource {
        Resource::Memory => requests.memory.as_deref(),
        Resource::EphemeralStorage => requests.ephemeral_storage.as_deref(),
        Resource::Inodes | Resource::Pids => None,
    };
    request.cloned().unwrap_or(Quantity::ZERO)
}

/// The kubelet's message names only writable layers and logs, which reads as a
/// riddle when a volume holds the bytes (k/k#130439).
fn add_volumes(message: &mut String, pod: &Pod, usage: &PodUsage) {
    for volume in pod.spec.volumes.iter().filter(|volume| volume.is_local()) {
        let stats = usage.volumes.iter().find(|stats| stats.name == volume.name);
        if let Some(bytes) = stats
            .and_then(|stats| stats.used_bytes)
            .filter(|bytes| *bytes > 0)
        {
            let (name, used) = (&volume.name, quantity(bytes));
            let _ = write!(message, "Volume {name} was using {used}. ");
        }
    }
    for mount in &usage.mounts {
        if let Some(bytes) = mount.used_bytes.filter(|bytes| *bytes > 0) {
            let (path, used) = (&mount.path, quantity(bytes));
            let _ = write!(message, "Volume {path} was using {used}. ");
        }
    }
}

fn quantity(bytes: u64) -> Quantity {
    Quantity::from_int(i64::try_from(bytes).unwrap_or(i64::MAX), Format::BinarySi)
}
