//! Carrying out plans: pods are listed, killed, and what is left of them is awaited.

use core::time::Duration;

use evictd_evict::{Cause, Eviction, Outcome, Plan};
use evictd_node::{Mono, Resource, Signal};

use super::decision::times;
use super::sampled::FS_WAIT;
use super::turn::Loop;
use crate::event::Event;
use crate::killing::Polled;
use crate::pace::{is_disk, is_memory_unreclaimed, is_of_bytes};
use crate::ports::{Depth, Node, Pods, Reclaim};
use crate::timers::Timer;
use crate::timing::Stage;

impl<N: Node, P: Pods, R: Reclaim<P>> Loop<N, P, R> {
    /// Carries plans out until the round rests or waits for a kill.
    ///
    /// No event is noted before a kill has begun, as that asks for memory; what led to it
    /// is noted first all the same.
    pub(super) fn carry_out(&mut self, now: Mono, mut plan: Plan) {
        loop {
            plan = match plan {
                Plan::Rest => return,
                Plan::ReadPods => {
                    self.freshen();
                    self.deciding.list_for_plan(now);
                    self.timing.lap(Stage::List);
                    if self.deciding.acts_on_disk() {
                        self.telling.pod_problems(now, &self.deciding.pods);
                    }
                    if self.must_measure_disk(now) || self.waits_for_pages(now) {
                        return;
                    }
                    self.outcome(now, Outcome::PodsRead)
                }
                Plan::Relieve(step) => {
                    self.tell_changes(now);
                    match self.relieve(now, step) {
                        Some(plan) => plan,
                        None => return,
                    }
                }
                Plan::Evict(eviction) => {
                    // A proposal that is not taken up leaves nothing behind.
                    if self.killing.is_ending() || self.is_held_back(now, Some(&eviction)) {
                        return;
                    }
                    match self.begin_kill(now, &eviction) {
                        Some(plan) => plan,
                        None => return,
                    }
                }
                Plan::KillNow => return self.end_grace(now),
                Plan::NoCandidate(signal, why) => {
                    if self.is_held_back(now, None) {
                        return;
                    }
                    self.tell_changes(now);
                    if self.reclaiming.is_emptying_memory() {
                        self.telling.gives_back(now);
                    }
                    if self.telling.is_news(now, signal, why) {
                        let pods = self.deciding.pods.candidates();
                        let verdict = self.deciding.evict.verdict(now, signal, pods);
                        debug_assert_eq!(verdict.next, Err(why), "one decision");
                        self.telling.no_candidate(now, verdict);
                        if signal.resource() == Resource::Memory {
                            self.deciding.pods.ask_who_holds();
                        }
                    }
                    self.outcome(now, Outcome::Told)
                }
            }
        }
    }

    pub(super) fn tell_changes(&mut self, now: Mono) {
        let ports = (&self.sampled.node, &self.deciding.pods);
        let round = (&self.deciding.evict, &self.sampled.sample);
        self.telling.changes(now, ports, round);
    }

    /// Whether a pod would be chosen for disk by numbers that are not known well enough;
    /// then they are measured first.
    pub(super) fn must_measure_disk(&mut self, now: Mono) -> bool {
        self.deciding.acts_on_disk()
            && self
                .listings
                .must_measure(now, &mut self.deciding.pods, &mut self.timers)
    }

    /// Has container runtimes say what is new; before all is measured for a disk, also what
    /// only they can measure.
    pub(super) fn freshen(&mut self) {
        let begins = self.deciding.acts_on_disk() && !self.listings.is_measuring();
        self.deciding.pods.freshen(begins);
    }

    /// Begins to kill. Returns the next plan when that is over at once. Until SIGKILL is
    /// sent nothing is noted, and no memory asked for.
    fn begin_kill(&mut self, now: Mono, eviction: &Eviction) -> Option<Plan> {
        if let Cause::Threshold { place, .. } = &eviction.cause {
            self.telling.has_candidate(place.signal);
        }
        let index = eviction.candidate;
        let grace = Duration::from_secs(u64::try_from(eviction.grace_seconds).unwrap_or(0));
        let begun =
            (!self.settings.dry_run).then(|| self.deciding.pods.begin_kill(now, index, grace));
        if let Some(Ok(begun)) = &begun {
            self.timing.begun(begun.kill.report());
            self.outcome(now, Outcome::Begun);
        }
        if matches!(begun, Some(Err(_))) && self.deciding.pods.lacks_descriptors() {
            // No other pod is evicted in its place.
            self.is_held_back(now, None);
            return None;
        }
        self.deciding.pods.name_containers(index);
        let (sampled, settings) = (&self.sampled, &self.settings);
        let Some(mut decision) = self.deciding.decision(eviction, sampled, settings) else {
            let failed = match begun {
                Some(Ok(_)) => Outcome::KillFailed,
                Some(Err(_)) | None => Outcome::NotBegun,
            };
            return Some(self.outcome(now, failed));
        };
        let victim = &mut decision.victim;
        let is_of_disk = victim.resource.is_none_or(is_disk);
        victim.files_stay = is_of_disk && matches!(&begun, Some(Ok(begun)) if begun.files_stay);
        decision.record.leftovers = victim.leftovers();
        let signal = decision.threshold.as_ref().map(|of| of.signal);
        (victim.times, victim.within_seconds) = times(&self.deciding.evict, now, victim, signal);
        let victim = victim.clone();
        self.telling.evicts(now, signal, victim.times);
        self.tell_changes(now);
        self.telling.tell(now, Event::Evicting(Box::new(decision)));
        match begun {
            None => Some(self.outcome(now, Outcome::Pretended)),
            Some(Ok(begun)) => {
                if begun.told_runtime {
                    self.holding.begin(&victim, &mut self.deciding.pods);
                }
                self.killing.begin(now, victim, begun, &mut self.timers);
                self.deciding.note_others();
                self.advance_kill(now)
            }
            Some(Err(error)) => {
                self.telling.tell(now, Event::NotBegun { victim, error });
                Some(self.outcome(now, Outcome::NotBegun))
            }
        }
    }

    pub(super) fn go_on_killing(&mut self, now: Mono) {
        if let Some(plan) = self.advance_kill(now) {
            self.carry_out(now, plan);
        }
    }

    /// Polls the kill in flight. Returns the next plan once it has ended.
    fn advance_kill(&mut self, now: Mono) -> Option<Plan> {
        if self.killing.must_look_at_memory(now) {
            let memory = self.sampled.look_at_memory(now);
            let memory = memory.get(Signal::MemoryAvailable);
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
                self.telling.gives_back(now);
                self.timers.set(Timer::Round, now); // measure again at once (decision D31)
                self.empty_memory(now);
                if self.killing.last_was_for_a_limit() {
                    // Another one may be above a limit of its own, or have been: nobody goes
                    // by what was known before this kill.
                    self.deciding.list(now, Depth::Whole);
                }
                let plan = self.outcome(now, Outcome::Killed);
                if let Some((signal, left)) = self.killing.last_left() {
                    self.deciding.evict.note_left(signal, left);
                }
                self.telling.loops(now, &self.deciding.evict);
                self.clean_up(now);
                Some(plan)
            }
            Polled::Stuck { took_time } => {
                if took_time {
                    // Though it cannot end, the pod may have given back its memory: only
                    // what is short now takes another.
                    self.observe(now, FS_WAIT, false);
                }
                self.deciding.list_for_plan(now);
                self.telling.pod_problems(now, &self.deciding.pods);
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
        let deletes = self.reclaim.has_leftovers();
        let evict = &self.deciding.evict;
        if self.killing.awaits_clean_up(evict, is_open, deletes) && evict.is_busy() {
            return;
        }
        if self.killing.end_clean_up() {
            self.outcome(now, Outcome::CleanedUp);
        }
    }

    /// What runs again of the pods that were evicted is ended.
    pub(super) fn look_for_returned(&mut self, now: Mono) -> bool {
        let (pods, timers) = (&mut self.deciding.pods, &mut self.timers);
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

    /// Whether the kill of a pod for memory waits for what the kernel gives back; then it is
    /// measured again soon.
    fn waits_for_pages(&mut self, now: Mono) -> bool {
        if self.settings.dry_run || self.deciding.evict.policy().kill_comes_before_file_pages {
            return false;
        }
        let threshold = self.deciding.evict.acting_on().filter(|t| is_of_bytes(t));
        let Some((wanted, reading)) = threshold.and_then(|threshold| {
            let reading = self.sampled.reading(threshold.signal)?;
            let value = threshold.value.against(reading.capacity);
            let wanted = [threshold.clear_at(reading.capacity), value];
            Some((wanted.map(|wanted| wanted.value()), reading))
        }) else {
            return false;
        };
        if self.pages.is_waiting() && !self.sampled.memory_is_short(now, &self.deciding.evict) {
            // The kernel went on while the pods were listed; the next round tells.
            self.timers.set_earlier(Timer::Round, now);
            return true;
        }
        let missing = wanted.map(|wanted| wanted.saturating_sub(reading.available));
        let missing = missing.map(|missing| u64::try_from(missing).unwrap_or(0));
        let available = u64::try_from(reading.available).unwrap_or(0);
        let filling = self.pace.filling();
        let pods = &mut self.deciding.pods;
        let wait = self
            .pages
            .hold_back(now, (missing, available), filling, pods);
        let Some(after) = wait else {
            return false;
        };
        self.timers.set_earlier(Timer::Round, now + after);
        true
    }

    /// Tells that no pod had to be killed, once that is so.
    pub(super) fn tell_pages(&mut self, now: Mono) {
        if let Some(reading) = self.sampled.reading(Signal::MemoryAvailable) {
            let available = u64::try_from(reading.available).unwrap_or(0);
            self.pages.note(now, available);
        }
        if is_memory_unreclaimed(&self.deciding.evict, &self.sampled.sample.readings) {
            return;
        }
        let given = self.deciding.pods.pages_given();
        if let Some(collected) = self.pages.clear(now, given) {
            self.telling.tell(now, Event::Reclaimed(collected));
        }
    }
}
