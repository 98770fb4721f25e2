//! What is done for memory before a pod is killed for it: the kernel is asked for a little of
//! each pod's memory, then the pod that grows is slowed down. Neither delays a kill: while a
//! hard threshold is met none begins.
//!
//! Whatever is set has a deadline of its own, and is lifted by then even if memory is still
//! short.

mod need;
mod pod;
mod said;
mod steps;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::time::Duration;

use evictd_node::Mono;

pub use need::need;
use pod::Held;
pub use pod::ReliefPod;
pub use said::{Known, Said, Saying};
pub use steps::{Act, Lift, Lifted, Need, Steps};

/// One reclaim asks a pod for a hundredth of its memory.
const SHARE: u64 = 100;
/// The shortest time between two reclaims of one pod.
const RECLAIM_EVERY: Duration = Duration::from_secs(1);
/// A pod that waits for memory longer than this is left alone, in thousandths of the time.
const MOST_WAITING: u64 = 10;

/// A pod that gains so much in a second grows.
const GROWS: u64 = 4 << 20;
/// One that is braked reads back so much of its memory in a second at most, in parts of it.
const MOST_REFAULTS: u64 = 16;

/// How long a brake holds.
const BRAKE_FOR: Duration = Duration::from_secs(30);

/// There has to be room for so long before anything is lifted for it.
const CALM_FOR: Duration = Duration::from_secs(2);

/// Memory relief between two looks.
#[derive(Debug, Default)]
pub struct Relief {
    pods: Vec<Held>,
    /// Since when memory is not short.
    calm_since: Option<Mono>,
}

impl Relief {
    /// Whether anything is set.
    #[must_use]
    pub fn holds_any(&self) -> bool {
        self.pods.iter().any(Held::is_set)
    }

    /// Whether a pod is braked.
    #[must_use]
    pub fn is_braked(&self, uid: &str) -> bool {
        let held = self.pods.iter().find(|held| held.uid == uid);
        held.is_some_and(Held::is_set)
    }

    /// A brake that could not be set is not, and is not tried again for a while.
    pub fn failed(&mut self, uid: &str, now: Mono) {
        if let Some(held) = self.pods.iter_mut().find(|held| held.uid == uid) {
            held.end(now);
        }
    }

    /// What is to be done, by what was just measured of the pods, about once a second, while
    /// relief is on.
    pub fn step(&mut self, now: Mono, need: Need, is_on: bool, pods: &[ReliefPod<'_>]) -> Steps {
        if need == Need::None {
            self.calm_since.get_or_insert(now);
        } else {
            self.calm_since = None;
        }
        let mut steps = Steps::default();
        self.lift(now, is_on, pods, &mut steps.over);
        self.take_in(now, pods);
        if need == Need::Near && is_on {
            self.reclaim(now, pods, &mut steps.begun);
            steps.begun.extend(self.brake(now, pods));
        }
        steps
    }

    /// Lifts all that is set: evictd ends, or nothing is wanted any more.
    pub fn end(&mut self, now: Mono) -> Vec<Lift> {
        let mut over = Vec::new();
        for held in &mut self.pods {
            over.extend(held.lift(now, |_| Some(Lifted::Ended)));
        }
        over
    }

    fn is_calm(&self, now: Mono) -> bool {
        let since = self.calm_since;
        since.is_some_and(|at| now.since(at) >= CALM_FOR)
    }

    fn lift(&mut self, now: Mono, is_on: bool, pods: &[ReliefPod<'_>], over: &mut Vec<Lift>) {
        let is_calm = self.is_calm(now);
        for held in &mut self.pods {
            let seen = pods.iter().find(|pod| held.is(pod));
            let why = |since: Mono| {
                let thrashes =
                    |pod: &ReliefPod<'_>| pod.refaulted_bytes > pod.usage_bytes / MOST_REFAULTS;
                match seen {
                    None => Some(Lifted::Gone),
                    Some(_) if !is_on => Some(Lifted::Ended),
                    Some(_) if now.since(since) >= BRAKE_FOR => Some(Lifted::Deadline),
                    Some(pod) if pod.is_critical => Some(Lifted::Critical),
                    Some(pod) if thrashes(pod) => Some(Lifted::Thrashes),
                    Some(_) => is_calm.then_some(Lifted::Room),
                }
            };
            over.extend(held.lift(now, why));
        }
    }

    /// Forgets pods that are gone, and notes what the others use.
    fn take_in(&mut self, now: Mono, pods: &[ReliefPod<'_>]) {
        for held in &mut self.pods {
            let is_there = pods.iter().any(|pod| pod.uid == held.uid);
            held.look_for(is_there);
        }
        self.pods.retain(|held| held.is_remembered());
        for pod in pods {
            match self.pods.iter_mut().find(|held| held.uid == pod.uid) {
                Some(held) if held.is(pod) => held.note(now, pod),
                Some(held) => *held = Held::new(now, pod),
                None => self.pods.push(Held::new(now, pod)),
            }
        }
    }

    /// Each pod with the place that it has in the list.
    fn each<'a>(
        &'a mut self,
        pods: &'a [ReliefPod<'a>],
    ) -> impl Iterator<Item = (usize, &'a ReliefPod<'a>, &'a mut Held)> {
        self.pods.iter_mut().filter_map(|held| {
            let place = pods.iter().position(|pod| pod.uid == held.uid)?;
            Some((place, pods.get(place)?, held))
        })
    }

    fn reclaim(&mut self, now: Mono, pods: &[ReliefPod<'_>], begun: &mut Vec<Act>) {
        for (pod, seen, held) in self.each(pods) {
            let is_due = held
                .asked_at
                .is_none_or(|at| now.since(at) >= RECLAIM_EVERY);
            let waits_little = seen.waited_permille.is_some_and(|of| of <= MOST_WAITING);
            let bytes = seen.usage_bytes / SHARE;
            if is_due && waits_little && !seen.is_critical && bytes > 0 && !held.is_set() {
                held.asked_at = Some(now);
                begun.push(Act::Reclaim { pod, bytes });
            }
        }
    }

    /// The one that grows fastest, one at a time.
    fn brake(&mut self, now: Mono, pods: &[ReliefPod<'_>]) -> Option<Act> {
        if self.holds_any() {
            return None;
        }
        let growing = self.each(pods).filter(|(_, seen, held)| {
            let may_be = !seen.is_critical && held.may_be_braked(now);
            may_be && held.gained >= GROWS
        });
        let (pod, seen, held) = growing.max_by_key(|(_, _, held)| held.gained)?;
        held.braked = Some(now);
        Some(Act::Brake {
            pod,
            // What it has it keeps: it is only to get no more.
            high: seen.usage_bytes,
            gained: held.gained,
        })
    }
}
