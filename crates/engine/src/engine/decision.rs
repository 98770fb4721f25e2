//! Which pod is evicted and why, in the words of the log and of the history. Made when its
//! kill has begun, as it asks for memory.

use evictd_evict::{Cause, Evict, Eviction};
use evictd_node::pod::Pod;
use evictd_node::{Amount, Mono, Signal};
use evictd_rank::Candidate;
use evictd_state::{self as state, Record};

use super::sampled::Sampled;
use crate::event::leftovers::{removal, written};
use crate::event::{Decision, Victim, Volume};
use crate::pace::is_disk;
use crate::ports::Node;
use crate::settings::Settings;

/// Which pod is evicted, why, and what is kept of that over a restart.
pub(super) fn decision<N: Node>(
    candidate: &Candidate,
    eviction: &Eviction,
    evict: &Evict,
    sampled: &Sampled<N>,
    settings: &Settings,
) -> Decision {
    let (threshold, passed_over) = match &eviction.cause {
        Cause::Threshold {
            threshold,
            passed_over,
            ..
        } => (evict.threshold(*threshold), *passed_over),
        Cause::EmptyDirLimit | Cause::PodLimit | Cause::ContainerLimit => (None, 0),
    };
    let (cause, reason) = in_words(&eviction.cause, candidate);
    let signal = threshold.map(|threshold| threshold.signal);
    let reading = signal.and_then(|signal| sampled.reading(signal));
    let disk = signal.and_then(|signal| sampled.sample.place(signal, &sampled.node));
    let message = evict.message(eviction, candidate);
    let mut victim = victim(&candidate.pod, signal, eviction.grace_seconds);
    if signal.is_some_and(|signal| is_disk(signal.resource())) {
        victim.volume = candidate.usage.as_ref().and_then(Volume::largest);
    }
    if is_for_files(&eviction.cause, signal) {
        victim.files_bytes = candidate.usage.as_ref().and_then(written);
        victim.removal = removal(&candidate.pod);
    }
    let record = Record {
        wall_seconds: (settings.wall_clock)(),
        signal,
        threshold: threshold.map(ToString::to_string).unwrap_or_default(),
        threshold_grace_nanos: threshold.map_or(0, |threshold| threshold.grace.nanos()),
        available: reading.map(|reading| reading.available),
        capacity: reading.map(|reading| reading.capacity),
        device: disk.as_ref().map(ToString::to_string),
        namespace: victim.namespace.clone(),
        name: victim.name.clone(),
        uid: victim.uid.clone(),
        reason,
        message: message.text,
        annotations: message
            .annotations
            .map(state::annotations_by_name)
            .unwrap_or_default(),
        grace_seconds: eviction.grace_seconds,
        restart_policy: victim.restart_policy.clone(),
        outcome: if settings.dry_run {
            state::Outcome::DryRun
        } else {
            state::Outcome::Begun
        },
        ..Record::default()
    };
    Decision {
        victim,
        cause,
        threshold: threshold.cloned(),
        reading,
        disk,
        passed_over,
        record,
        frees: frees(&eviction.cause),
        dry_run: settings.dry_run,
    }
}

/// Whether the pod is evicted for what its containers wrote: an emptyDir is freed with it.
fn is_for_files(cause: &Cause, signal: Option<Signal>) -> bool {
    match cause {
        Cause::Threshold { .. } => signal.is_some_and(|signal| is_disk(signal.resource())),
        Cause::PodLimit | Cause::ContainerLimit => true,
        Cause::EmptyDirLimit => false,
    }
}

/// How much the pod is known to hold of what is short.
const fn frees(cause: &Cause) -> Option<u64> {
    match cause {
        Cause::Threshold { place, .. } => place.used,
        Cause::EmptyDirLimit | Cause::PodLimit | Cause::ContainerLimit => None,
    }
}

/// The first that one of its containers has.
fn restart_policy(pod: &Pod) -> Option<String> {
    let mut containers = pod.spec.containers.iter();
    let policy = containers.find_map(|one| one.restart_policy.as_deref());
    policy.map(ToOwned::to_owned)
}

/// Why a pod is evicted: in one word, and in a sentence about it.
fn in_words(cause: &Cause, candidate: &Candidate) -> (&'static str, String) {
    let (word, sentence) = match cause {
        Cause::Threshold { place, .. } => return ("threshold", place.to_string()),
        Cause::EmptyDirLimit => (
            "emptyDirLimit",
            "above the size limit of an emptyDir volume",
        ),
        Cause::PodLimit => ("podLimit", "above its ephemeral-storage limit"),
        Cause::ContainerLimit => (
            "containerLimit",
            "a container above its ephemeral-storage limit",
        ),
    };
    let used = candidate.usage.as_ref();
    let used = used.and_then(|usage| usage.ephemeral_storage_bytes);
    match used.map(Amount::bytes) {
        Some(used) if !matches!(cause, Cause::EmptyDirLimit) => {
            (word, format!("{sentence}: it uses {used} of disks"))
        }
        _ => (word, sentence.to_owned()),
    }
}

/// How often the pod is evicted by now, this time included, and within how many seconds.
pub(super) fn times(
    evict: &Evict,
    now: Mono,
    victim: &Victim,
    signal: Option<Signal>,
) -> (u32, u64) {
    let former = evict.returns();
    former
        .of(&victim.namespace, &victim.name, signal)
        .map_or((1, 0), |former| {
            let times = former.times.saturating_add(1);
            (times, now.since(former.first).as_secs())
        })
}

fn victim(pod: &Pod, signal: Option<Signal>, grace_seconds: i64) -> Victim {
    Victim {
        namespace: pod.metadata.namespace.clone(),
        name: pod.metadata.name.clone(),
        uid: pod.metadata.uid.clone(),
        grace_seconds,
        resource: signal.map(Signal::resource),
        disk: signal.and_then(Signal::filesystem),
        restart_policy: restart_policy(pod),
        files_stay: false,
        files_bytes: None,
        removal: None,
        volume: None,
        times: 0,
        within_seconds: 0,
    }
}
