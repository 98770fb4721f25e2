//! What of the memory that pods request they keep
//! (`--memory-reservation-policy=TieredReservation`): as the kubelet has it, all of it, where
//! nobody takes it back from Guaranteed pods, and from Burstable ones last.

use alloc::sync::Arc;
use core::time::Duration;
use std::path::Path;

use evictd_cgroup::{FoundPod, KeptPod, KnobFile};
use evictd_config::Resolved;
use evictd_containers::ListedContainer;
use evictd_node::pod::Requested;
use evictd_node::{Mono, Policy, QosClass, Signal};

use crate::engine::Engine;
use crate::facts::read_meminfo;
use crate::oom_score::name;

/// How soon a pod that begins is seen: as soon as by the kubelet.
const EVERY: Duration = Duration::from_secs(10);

/// A pod of which something is to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    name: String,
    priority: i32,
    /// The pod's own cgroup, by which it is found again.
    cgroup: Arc<Path>,
    kept: Vec<KeptPod>,
}

/// What is kept of all of them, and what of it is not, in a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) kept: Vec<KeptPod>,
    pub(super) problem: Option<String>,
}

/// The pods, from the loop's side.
pub(super) struct Pods {
    policy: Policy,
    room_bytes: u64,
    next: Mono,
    asked: Vec<Asked>,
    granted: Granted,
}

impl Pods {
    pub(super) fn new(settings: &Resolved) -> Self {
        let mut pods = Self {
            policy: settings.evict.policy,
            room_bytes: 0,
            next: Mono::ZERO,
            asked: Vec::new(),
            granted: Granted::default(),
        };
        pods.follow(settings);
        pods
    }

    /// Goes on with other thresholds.
    pub(super) fn follow(&mut self, settings: &Resolved) {
        let total = read_meminfo().ok().and_then(|info| info.mem_total_bytes);
        self.room_bytes = room(settings, total.unwrap_or(0));
        self.next = Mono::ZERO;
    }

    /// What has changed since the last call, where it is time to look.
    pub(super) fn look_if_due(&mut self, now: Mono, engine: &mut Engine) -> Option<Granted> {
        // What is not described yet requests what nobody knows.
        if now < self.next || engine.awaits_picture() {
            return None;
        }
        self.next = now + EVERY;
        let all = engine.pods_mut().all_pods();
        let (found, is_silent) = (all.listing.pods, !all.unasked.is_empty());
        let pods = engine.pods();
        let asked = |found: &FoundPod| {
            let former = self.asked.iter();
            let mut former = former.filter(|of| is_silent && of.cgroup == found.cgroup);
            match former.next() {
                // As long as its runtime is silent it stays what it was.
                Some(former) if found.by_cgroup => Some(former.clone()),
                _ => asked(
                    found,
                    &pods.containers_of(found).collect::<Vec<_>>(),
                    &self.policy,
                ),
            }
        };
        self.asked = found.iter().filter_map(asked).collect();
        let granted = grant(self.asked.clone(), self.room_bytes);
        let has_changed = granted != self.granted;
        self.granted.clone_from(&granted);
        has_changed.then_some(granted)
    }
}

/// So much may be kept for all pods together: the rest is the system's.
pub(super) fn room(settings: &Resolved, total_bytes: u64) -> u64 {
    let total = i64::try_from(total_bytes).unwrap_or(i64::MAX);
    let thresholds = settings.evict.thresholds.iter();
    let hard = thresholds.filter(|of| of.is_hard() && of.signal == Signal::MemoryAvailable);
    let held_back = hard.map(|of| of.level(total)).max().unwrap_or(0);
    u64::try_from(total.saturating_sub(held_back)).unwrap_or(0)
}

/// What of a pod is to be kept: `None` where it requests nothing, and where it is not known
/// in which of its cgroups.
pub(super) fn asked(
    found: &FoundPod,
    containers: &[&ListedContainer],
    policy: &Policy,
) -> Option<Asked> {
    let pod = &found.pod;
    let bytes = positive(pod.request(Requested::Memory, policy).value())?;
    let class = pod.status.qos_class;
    let file = match class.unwrap_or_else(|| pod.qos_class(policy)) {
        QosClass::BestEffort => return None,
        QosClass::Burstable => KnobFile::MemoryLow,
        QosClass::Guaranteed => KnobFile::MemoryMin,
    };
    let kept_in = |cgroup: &Arc<Path>, bytes| KeptPod {
        cgroup: Arc::clone(cgroup),
        bytes,
        file,
        by_cgroup: found.by_cgroup,
    };
    // In the cgroups of its containers, where they have such, as pages are there.
    let of_container = |of: &&ListedContainer| {
        let all = pod.spec.init_containers.iter().chain(&pod.spec.containers);
        let mut named = all.filter(|container| container.name == of.name);
        let request = Requested::Memory.of(&named.next()?.resources.requests)?;
        Some(kept_in(of.cgroup.as_ref()?, positive(request.value())?))
    };
    let each: Vec<KeptPod> = containers.iter().filter_map(of_container).collect();
    let is_in_one = found.by_cgroup || found.more_cgroups.is_empty();
    let kept = match sum(&each) {
        in_each if in_each == bytes && !found.by_cgroup => each,
        _ if is_in_one => Vec::from([kept_in(&found.cgroup, bytes)]),
        in_each if in_each > bytes => return None,
        _ => each,
    };
    Some(Asked {
        name: name(found),
        priority: pod.priority(),
        cgroup: Arc::clone(&found.cgroup),
        kept,
    })
}

fn positive(bytes: i64) -> Option<u64> {
    u64::try_from(bytes).ok().filter(|bytes| *bytes > 0)
}

fn sum(kept: &[KeptPod]) -> u64 {
    let bytes = kept.iter().map(|of| of.bytes);
    bytes.fold(0, u64::saturating_add)
}

/// All that fits, by priority; of one priority Guaranteed pods first.
pub(super) fn grant(mut asked: Vec<Asked>, room_bytes: u64) -> Granted {
    let is_low = |of: &Asked| of.kept.iter().any(|kept| kept.file == KnobFile::MemoryLow);
    asked.sort_by_key(|of| (core::cmp::Reverse(of.priority), is_low(of)));
    let mut left = room_bytes;
    let mut granted = Granted::default();
    let mut without: Vec<String> = Vec::new();
    for pod in asked {
        match left.checked_sub(sum(&pod.kept)) {
            Some(rest) => {
                left = rest;
                granted.kept.extend(pod.kept);
            }
            None => without.push(pod.name),
        }
    }
    granted.problem = without.first().map(|first| {
        format!(
            "{} pods keep nothing (first is {first}): pods request more than this machine has \
             above its hard threshold of memory.available",
            without.len()
        )
    });
    granted
}
