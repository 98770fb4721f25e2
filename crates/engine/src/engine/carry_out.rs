//! Carrying out plans: pods are listed, killed, and what is left of them is awaited.

use core::time::Duration;

use evictd_evict::{Cause, Evict, Eviction, Outcome, Plan};
use evictd_node::pod::Pod;
use evictd_node::{Mono, Resource, Signal};
use evictd_rank::Candidate;
use evictd_state::{self as state, Record};

use super::postponing::HELD_BACK;
use super::{Engine, FS_WAIT};
use crate::event::{Decision, Event, Victim, Volume};
use crate::killing::Polled;
use crate::picture::SOON;
use crate::ports::{Depth, Node, Pods, Reclaim};
use crate::timers::Timer;
use crate::timing::Stage;

/// How soon to look again where a decision was outdated.
const AGAIN: Duration = Duration::from_millis(50);

impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// Carries plans out until the round rests or waits for a kill.
    ///
    /// No event is noted before a kill has begun, as that asks for memory; what led to it
    /// is noted first all the same.
    pub(super) fn carry_out(&mut self, now: Mono, mut plan: Plan) {
        loop {
            plan = match plan {
                Plan::Evict(_) if self.killing.is_ending() => return,
                Plan::Evict(_) | Plan::NoCandidate(..) if self.is_too_early() => {
                    self.timers.set_earlier(Timer::Round, now + SOON);
                    self.outcome(now, Outcome::Outdated)
                }
                // It is told with the other problems of the pods.
                Plan::Evict(_) | Plan::NoCandidate(..) if self.pods.lacks_descriptors() => {
                    self.timers.set_earlier(Timer::Round, now + AGAIN);
                    self.outcome(now, Outcome::Outdated)
                }
                Plan::Evict(eviction) if self.is_outdated(&eviction) => {
                    self.timers.set(Timer::Round, now + AGAIN);
                    self.outcome(now, Outcome::Outdated)
                }
                Plan::Evict(eviction) if self.is_held_back(now, &eviction) => {
                    self.timers.set(Timer::Round, now + HELD_BACK);
                    self.outcome(now, Outcome::Outdated)
                }
                Plan::Evict(eviction) if self.must_choose_again(now, &eviction) => {
                    self.timers.set(Timer::Round, now + AGAIN);
                    self.outcome(now, Outcome::Outdated)
                }
                Plan::Rest => return,
                Plan::ReadPods => {
                    self.freshen();
                    self.list_pods(now, self.depth());
                    self.timing.lap(Stage::List);
                    if self.must_measure_disk(now) || self.waits_for_pages(now) {
                        return;
                    }
                    self.outcome(now, Outcome::PodsRead)
                }
                Plan::Reclaim(calls) => {
                    self.tell_changes(now);
                    self.reclaim_for(now, calls)
                }
                Plan::Evict(eviction) => match self.begin_kill(now, &eviction) {
                    Some(plan) => plan,
                    None => return,
                },
                Plan::KillNow => return self.end_grace(now),
                Plan::NoCandidate(signal, why) => {
                    self.tell_changes(now);
                    let pods = self.with_candidates(|_, _, pods| pods.len());
                    if self.reclaiming.is_emptying_memory() {
                        self.telling.gives_back(now);
                    }
                    let is_new = self.telling.no_candidate(now, (signal, why), pods);
                    if is_new && signal.resource() == Resource::Memory {
                        self.pods.ask_who_holds();
                    }
                    self.outcome(now, Outcome::Told)
                }
            }
        }
    }

    pub(super) fn tell_changes(&mut self, now: Mono) {
        let ports = (&self.node, &self.pods);
        let round = (&self.evict, &self.sample);
        self.telling.changes(now, ports, round);
    }

    /// How much of each pod is to be read for the plan that is carried out.
    pub(super) fn depth(&self) -> Depth {
        if self.evict.takes_bounds() {
            Depth::Bounds
        } else {
            Depth::Whole
        }
    }

    /// Whether a pod would be chosen for disk by numbers that are not known well enough;
    /// then they are measured first.
    pub(super) fn must_measure_disk(&mut self, now: Mono) -> bool {
        self.acts_on_disk()
            && self
                .census
                .must_measure(now, &mut self.pods, &mut self.timers)
    }

    /// Has container runtimes say what is new; before all is measured for a disk, also what
    /// only they can measure.
    pub(super) fn freshen(&mut self) {
        let begins = self.acts_on_disk() && !self.census.is_measuring();
        self.pods.freshen(begins);
    }

    fn acts_on_disk(&self) -> bool {
        let acting = self.evict.acting_on();
        acting.is_some_and(|threshold| is_disk(threshold.signal.resource()))
    }

    /// Whether a pod was chosen for a disk by numbers of different age.
    fn must_choose_again(&mut self, now: Mono, eviction: &Eviction) -> bool {
        let Cause::Threshold { place, .. } = &eviction.cause else {
            return false;
        };
        is_disk(place.signal.resource())
            && self
                .census
                .must_choose_again(now, &mut self.pods, &mut self.timers)
    }

    pub(super) fn outcome(&mut self, now: Mono, outcome: Outcome<'_>) -> Plan {
        self.timing.begin();
        if !matches!(outcome, Outcome::Killed | Outcome::CleanedUp) {
            self.read_what_counts();
        }
        let plan = self.with_candidates(|evict, _, pods| evict.outcome(now, outcome, Some(pods)));
        self.timing.lap(Stage::Decide);
        plan
    }

    /// Reads what some pods use exactly, until no other one can rank first.
    fn read_what_counts(&mut self) {
        let next = |evict: &mut Evict, pods: &P, candidates: &[Candidate<'_>]| {
            evict.to_read_exactly(candidates, |index| pods.is_exact(index))
        };
        while let Some(next) = self.with_candidates(next) {
            self.pods.read_exactly(next);
        }
    }

    /// Begins to kill. Returns the next plan when that is over at once. Until SIGKILL is
    /// sent nothing is noted, and no memory asked for.
    fn begin_kill(&mut self, now: Mono, eviction: &Eviction) -> Option<Plan> {
        self.telling.has_candidate();
        let index = eviction.candidate;
        let grace = Duration::from_secs(u64::try_from(eviction.grace_seconds).unwrap_or(0));
        let begun = (!self.settings.dry_run).then(|| self.pods.begin_kill(now, index, grace));
        if let Some(Ok(begun)) = &begun {
            self.timing.begun(&begun.kill.report());
        }
        if matches!(begun, Some(Err(_))) && self.pods.lacks_descriptors() {
            // No other pod is evicted in its place.
            self.timers.set_earlier(Timer::Round, now + AGAIN);
            return Some(self.outcome(now, Outcome::Outdated));
        }
        self.pods.name_containers(index);
        let Some(mut decision) = self.decision(eviction) else {
            return Some(self.outcome(now, Outcome::KillFailed));
        };
        let victim = &mut decision.victim;
        let is_of_disk = victim.resource.is_none_or(is_disk);
        victim.files_stay = is_of_disk && matches!(&begun, Some(Ok(begun)) if begun.files_stay);
        let signal = decision.threshold.as_ref().map(|of| of.signal);
        (victim.times, victim.within_seconds) = times(&self.evict, now, victim, signal);
        let victim = victim.clone();
        self.telling.evicts(now, signal, victim.times);
        self.tell_changes(now);
        self.telling.tell(now, Event::Evicting(Box::new(decision)));
        match begun {
            None => Some(self.outcome(now, Outcome::Pretended)),
            Some(Ok(begun)) => {
                if begun.told_runtime {
                    self.holding.begin(&victim, &mut self.pods);
                }
                self.killing.begin(now, victim, begun, &mut self.timers);
                self.advance_kill(now)
            }
            Some(Err(error)) => {
                self.telling.tell(now, Event::NotBegun { victim, error });
                Some(self.outcome(now, Outcome::KillFailed))
            }
        }
    }

    /// Which pod is evicted, why, and what is kept of that over a restart.
    fn decision(&self, eviction: &Eviction) -> Option<Decision> {
        let candidates = self.pods.candidates(Vec::new());
        let candidate = candidates.get(eviction.candidate)?;
        let (threshold, passed_over) = match &eviction.cause {
            Cause::Threshold {
                threshold,
                passed_over,
                ..
            } => (self.evict.thresholds().get(*threshold), *passed_over),
            Cause::EmptyDirLimit | Cause::PodLimit | Cause::ContainerLimit => (None, 0),
        };
        let (cause, reason) = in_words(&eviction.cause);
        let signal = threshold.map(|threshold| threshold.signal);
        let reading = signal.and_then(|signal| self.sample.readings.get(signal));
        let disk = signal.and_then(|signal| self.sample.place(signal, &self.node));
        let message = self.evict.message(eviction, candidate);
        let mut victim = victim(candidate.pod, signal, eviction.grace_seconds);
        if signal.is_some_and(|signal| is_disk(signal.resource())) {
            victim.volume = candidate.usage.and_then(Volume::largest);
        }
        let record = Record {
            wall_seconds: (self.settings.wall_clock)(),
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
            outcome: if self.settings.dry_run {
                state::Outcome::DryRun
            } else {
                state::Outcome::Begun
            },
            ..Record::default()
        };
        Some(Decision {
            victim,
            cause,
            threshold: threshold.cloned(),
            reading,
            disk,
            passed_over,
            record,
            frees: frees(&eviction.cause),
            dry_run: self.settings.dry_run,
        })
    }

    pub(super) fn go_on_killing(&mut self, now: Mono) {
        if let Some(plan) = self.advance_kill(now) {
            self.carry_out(now, plan);
        }
    }

    /// Polls the kill in flight. Returns the next plan once it has ended.
    fn advance_kill(&mut self, now: Mono) -> Option<Plan> {
        if self.killing.must_look_at_memory(now) {
            let memory = self
                .node
                .read_memory(now, Depth::Whole)
                .get(Signal::MemoryAvailable);
            let available = memory.map(|memory| memory.available);
            self.killing.note_memory(now, available);
        }
        match self.killing.poll(
            now,
            &mut self.timers,
            &mut self.timing,
            &mut self.telling.events,
        ) {
            Polled::Nothing => None,
            Polled::Gone => {
                if let Some(uid) = self.killing.gone().first() {
                    self.holding.is_gone(now, uid, &mut self.timers);
                }
                self.reclaiming.pod_is_gone();
                self.telling.gives_back(now);
                self.timers.set(Timer::Round, now); // measure again at once (decision D31)
                self.empty_memory(now);
                let plan = self.outcome(now, Outcome::Killed);
                self.telling.loops(now, &self.evict);
                self.clean_up(now);
                Some(plan)
            }
            Polled::Stuck { took_time } => {
                if took_time {
                    // Though it cannot end, the pod may have given back its memory: only
                    // what is short now takes another.
                    self.observe(now, FS_WAIT, false);
                }
                self.list_pods(now, self.depth());
                self.telling.pod_problems(now, &self.pods);
                Some(self.outcome(now, Outcome::KillFailed))
            }
        }
    }

    /// The next pod is evicted only when what the last one left is out of the way, or the
    /// state machine has waited long enough. For a disk also not before its runtime keeps it
    /// down, as it might go on writing.
    pub(super) fn clean_up(&mut self, now: Mono) {
        let last = self.killing.gone().first();
        let is_open = last.is_some_and(|uid| self.holding.awaits(uid));
        let deletes = self.reclaim.has_leftovers() && !is_open;
        if self.killing.awaits_remains(&self.evict, deletes) && self.evict.is_busy() {
            return;
        }
        if self.killing.forget_remains() {
            self.outcome(now, Outcome::CleanedUp);
        }
    }

    /// What runs again of the pods that were evicted is ended.
    pub(super) fn look_for_returned(&mut self, now: Mono) -> bool {
        let (pods, timers) = (&mut self.pods, &mut self.timers);
        self.holding
            .look(now, pods, timers, &mut self.telling.events)
    }

    /// The pod in flight gets no more grace.
    fn end_grace(&mut self, now: Mono) {
        let (timers, timing) = (&mut self.timers, &mut self.timing);
        if let Some(victim) = self.killing.end_grace(now, timers, timing) {
            self.tell_changes(now);
            self.telling.tell(now, Event::GraceCut(victim));
            self.go_on_killing(now);
        }
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

const fn is_disk(resource: Resource) -> bool {
    matches!(resource, Resource::EphemeralStorage | Resource::Inodes)
}

/// Why a pod is evicted: in one word, and in a sentence about it.
fn in_words(cause: &Cause) -> (&'static str, String) {
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
    (word, sentence.to_owned())
}

/// How often the pod is evicted by now, this time included, and within how many seconds.
fn times(evict: &Evict, now: Mono, victim: &Victim, signal: Option<Signal>) -> (u32, u64) {
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
        restart_policy: restart_policy(pod),
        files_stay: false,
        volume: None,
        times: 0,
        within_seconds: 0,
    }
}
