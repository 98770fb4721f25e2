//! What is done for memory before a pod is killed for it: which rung, of which pod, for how
//! long. No rung delays a kill: while a hard threshold is met none begins.
//!
//! Whatever is set has a deadline of its own, and is lifted by then however short memory is.

mod need;
mod pod;
mod said;
mod steps;
#[cfg(test)]
mod storm_tests;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::time::Duration;

use evictd_node::{MemoryRung, MemoryRungs, Mono};

pub use need::{need, stalls};
pub use pod::LadderPod;
use pod::{Held, stops};
pub use said::{Known, Said, Saying};
pub use steps::{Act, Lift, Lifted, Need, Steps};

/// A pod is asked for a hundredth of its memory at a time,
const SHARE: u64 = 100;
/// that often at most, and while it waits for memory no longer than so many thousandths of
/// the time.
const RECLAIM_EVERY: Duration = Duration::from_secs(1);
const MOST_WAITING: u64 = 10;

/// A container is told that often at most.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// A pod that gains so much in a second grows.
const GROWS: u64 = 4 << 20;
/// One that is braked reads back so much of its memory in a second at most, in parts of it.
const MOST_REFAULTS: u64 = 16;

/// How long a brake holds.
const BRAKE_FOR: Duration = Duration::from_secs(30);

/// The same of a pod that stands still.
const FREEZE_FOR: Duration = Duration::from_secs(60);
/// Memory is short for so long before one is frozen.
const FREEZE_AFTER: Duration = Duration::from_secs(2);

/// A pod has just begun for so long.
pub const NEWCOMER: Duration = Duration::from_secs(120);

/// A frozen pod gives up so much at a time.
const PAGE_OUT: u64 = 32 << 20;

/// There has to be room for so long before anything is lifted for it, and a second between
/// two pods that are thawed.
const CALM_FOR: Duration = Duration::from_secs(2);

/// The ladder between two looks.
#[derive(Debug, Default)]
pub struct Ladder {
    pods: Vec<Held>,
    /// Since when memory is short, and since when it is not.
    short_since: Option<Mono>,
    calm_since: Option<Mono>,
    thawed_at: Option<Mono>,
    /// Time is lost waiting for memory.
    stalls: bool,
}

impl Ladder {
    /// Whether anything is set.
    #[must_use]
    pub fn holds_any(&self) -> bool {
        self.pods.iter().any(Held::is_set)
    }

    /// Whether that is set of a pod.
    #[must_use]
    pub fn is_set(&self, uid: &str, rung: MemoryRung) -> bool {
        let held = self.held(uid);
        held.is_some_and(|held| match rung {
            MemoryRung::Brake => held.braked.is_some(),
            MemoryRung::Freeze | MemoryRung::StartStorm => held.frozen.is_some(),
            MemoryRung::Reclaim | MemoryRung::Tell => false,
        })
    }

    /// What could not be done is not set, and is not tried again for a while.
    pub fn failed(&mut self, uid: &str, rung: MemoryRung, now: Mono) {
        if let Some(held) = self.pods.iter_mut().find(|held| held.uid == uid) {
            held.end(rung, now);
        }
    }

    /// Whether memory stalls, as of the next step.
    pub const fn note_stall(&mut self, stalls: bool) {
        self.stalls = stalls;
    }

    /// What is to be done, by what was just measured of the pods, about once a second.
    /// `allowed` are the rungs that there may be.
    pub fn step(
        &mut self,
        now: Mono,
        need: Need,
        allowed: MemoryRungs,
        pods: &[LadderPod<'_>],
    ) -> Steps {
        self.note(now, need);
        let mut steps = Steps::default();
        self.lift(now, allowed, pods, &mut steps.over);
        self.take_in(now, pods);
        if need == Need::Near {
            self.begin(now, allowed, pods, &mut steps.begun);
        }
        if self.stalls && need != Need::Hard && allowed.has(MemoryRung::StartStorm) {
            self.make_wait(now, pods, &mut steps.begun);
        }
        steps
    }

    /// Lifts all that is set: evictd ends, or nothing is wanted any more.
    pub fn end(&mut self, now: Mono) -> Vec<Lift> {
        let mut over = Vec::new();
        for held in &mut self.pods {
            held.lift(now, |_, _| Some(Lifted::Ended), &mut over);
        }
        over
    }

    fn note(&mut self, now: Mono, need: Need) {
        if need == Need::None && !self.stalls {
            self.calm_since.get_or_insert(now);
        } else {
            self.calm_since = None;
        }
        if need == Need::Near || need == Need::Hard {
            self.short_since.get_or_insert(now);
        } else {
            self.short_since = None;
        }
    }

    fn is_calm(&self, now: Mono) -> bool {
        let since = |since: Option<Mono>| since.is_some_and(|at| now.since(at) >= CALM_FOR);
        since(self.calm_since)
    }

    fn lift(
        &mut self,
        now: Mono,
        allowed: MemoryRungs,
        pods: &[LadderPod<'_>],
        over: &mut Vec<Lift>,
    ) {
        let is_calm = self.is_calm(now);
        // One at a time, the highest priority first: what is thawed takes memory again.
        let next = self.next_to_thaw(now, pods).filter(|_| is_calm);
        let mut has_thawed = false;
        for held in &mut self.pods {
            let seen = pods.iter().find(|pod| held.is(pod));
            let why = |rung: MemoryRung, since: Mono| {
                let at_most = if stops(rung) { FREEZE_FOR } else { BRAKE_FOR };
                let thrashes =
                    |pod: &LadderPod<'_>| pod.refaulted_bytes > pod.usage_bytes / MOST_REFAULTS;
                match seen {
                    None => Some(Lifted::Gone),
                    Some(_) if !allowed.has(rung) => Some(Lifted::Ended),
                    Some(_) if now.since(since) >= at_most => Some(Lifted::Deadline),
                    Some(pod) if !pod.may_stay(rung) => Some(Lifted::NotMeant),
                    Some(pod) if stops(rung) && pod.is_ending => Some(Lifted::Ending),
                    Some(pod) if rung == MemoryRung::Brake && thrashes(pod) => {
                        Some(Lifted::Thrashes)
                    }
                    Some(pod) => {
                        let is_next = rung == MemoryRung::Brake || next == Some(pod.uid);
                        (is_calm && is_next).then_some(Lifted::Room)
                    }
                }
            };
            has_thawed |= held.frozen.is_some() && next == Some(held.uid.as_str());
            held.lift(now, why, over);
        }
        if has_thawed {
            self.thawed_at = Some(now);
        }
    }

    fn next_to_thaw<'a>(&self, now: Mono, pods: &[LadderPod<'a>]) -> Option<&'a str> {
        let is_soon = self
            .thawed_at
            .is_some_and(|at| now.since(at) < RECLAIM_EVERY);
        let frozen =
            |pod: &&LadderPod<'_>| self.held(pod.uid).is_some_and(|of| of.frozen.is_some());
        let frozen = pods.iter().filter(frozen).filter(|_| !is_soon);
        frozen
            .max_by_key(|pod| (pod.priority, pod.age))
            .map(|pod| pod.uid)
    }

    fn held(&self, uid: &str) -> Option<&Held> {
        self.pods.iter().find(|held| held.uid == uid)
    }

    /// Forgets pods that are gone, and notes what the others use.
    fn take_in(&mut self, now: Mono, pods: &[LadderPod<'_>]) {
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

    fn begin(
        &mut self,
        now: Mono,
        allowed: MemoryRungs,
        pods: &[LadderPod<'_>],
        begun: &mut Vec<Act>,
    ) {
        if allowed.has(MemoryRung::Tell) {
            self.tell(now, pods, begun);
        }
        if allowed.has(MemoryRung::Reclaim) {
            self.reclaim(now, pods, begun);
        }
        if allowed.has(MemoryRung::Brake) {
            begun.extend(self.brake(now, pods));
        }
        if allowed.has(MemoryRung::Freeze) {
            self.page_out(pods, begun);
            begun.extend(self.freeze(now, pods));
        }
    }

    /// Each pod with the place that it has in the list.
    fn each<'a>(
        &'a mut self,
        pods: &'a [LadderPod<'a>],
    ) -> impl Iterator<Item = (usize, &'a LadderPod<'a>, &'a mut Held)> {
        self.pods.iter_mut().filter_map(|held| {
            let place = pods.iter().position(|pod| pod.uid == held.uid)?;
            Some((place, pods.get(place)?, held))
        })
    }

    fn tell(&mut self, now: Mono, pods: &[LadderPod<'_>], begun: &mut Vec<Act>) {
        for (pod, seen, held) in self.each(pods) {
            let is_due = held.told_at.is_none_or(|at| now.since(at) >= TELL_EVERY);
            if seen.listens && is_due {
                held.told_at = Some(now);
                begun.push(Act::Tell { pod });
            }
        }
    }

    fn reclaim(&mut self, now: Mono, pods: &[LadderPod<'_>], begun: &mut Vec<Act>) {
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
    fn brake(&mut self, now: Mono, pods: &[LadderPod<'_>]) -> Option<Act> {
        if self.pods.iter().any(|held| held.braked.is_some()) {
            return None;
        }
        let growing = self.each(pods).filter(|(_, seen, held)| {
            let may_be = !seen.is_critical && held.may(MemoryRung::Brake, now);
            may_be && held.frozen.is_none() && held.gained >= GROWS
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

    fn freeze(&mut self, now: Mono, pods: &[LadderPod<'_>]) -> Option<Act> {
        let is_late = |since: Mono| now.since(since) >= FREEZE_AFTER;
        if !self.short_since.is_some_and(is_late) {
            return None;
        }
        let may_be = self.each(pods).filter(|(_, seen, held)| {
            let is_free = held.frozen.is_none() && held.may(MemoryRung::Freeze, now);
            seen.may_stay(MemoryRung::Freeze) && !seen.is_ending && is_free
        });
        let (pod, _, held) = may_be.min_by_key(|(_, seen, _)| seen.priority)?;
        let rung = MemoryRung::Freeze;
        held.frozen = Some((now, rung));
        Some(Act::Freeze { pod, rung })
    }

    /// Of the pods that have just begun the first by priority goes on, and of several such the
    /// one that began first. The others wait for their turn.
    fn make_wait(&mut self, now: Mono, pods: &[LadderPod<'_>], begun: &mut Vec<Act>) {
        let has_begun = |pod: &LadderPod<'_>| pod.age.is_some_and(|age| age < NEWCOMER);
        let rung = MemoryRung::StartStorm;
        let going_on = self.each(pods).filter(|(_, _, held)| held.frozen.is_none());
        let newcomers = going_on.filter(|(_, seen, _)| has_begun(seen));
        let first = newcomers.max_by_key(|(_, seen, _)| (seen.priority, seen.age));
        let Some(first) = first.map(|(pod, _, _)| pod) else {
            return;
        };
        for (pod, seen, held) in self.each(pods) {
            let may_be = seen.may_stay(rung) && !seen.is_ending && held.frozen.is_none();
            if has_begun(seen) && pod != first && may_be && held.may(rung, now) {
                held.frozen = Some((now, rung));
                begun.push(Act::Freeze { pod, rung });
            }
        }
    }

    fn page_out(&mut self, pods: &[LadderPod<'_>], begun: &mut Vec<Act>) {
        for (pod, seen, held) in self.each(pods) {
            let bytes = seen.usage_bytes.min(PAGE_OUT);
            let sleeps = held
                .frozen
                .is_some_and(|(_, rung)| rung == MemoryRung::Freeze);
            if sleeps && bytes > 0 {
                begun.push(Act::Reclaim { pod, bytes });
            }
        }
    }
}
