//! Carrying out plans: pods are listed, killed, and what is left of them is awaited.

use core::time::Duration;

use evictd_evict::{Cause, Eviction, Outcome, Plan};
use evictd_node::{Mono, Resource, Signal};

use super::deciding::SECOND_LOOK;
use super::decision::times;
use super::sampled::FS_WAIT;
use super::turn::Loop;
use crate::event::Event;
use crate::killing::Polled;
use crate::pace::{is_disk, is_memory_unreclaimed, is_of_bytes};
use crate::picture::SOON;
use crate::ports::{Depth, Node, Pods, Reclaim};
use crate::timers::Timer;
use crate::timing::Stage;

/// How soon to look again where a decision was outdated.
const AGAIN: Duration = Duration::from_millis(50);

/// How soon to decide again where an eviction was held back.
const HELD_BACK: Duration = Duration::from_millis(200);

impl<N: Node, P: Pods, R: Reclaim<P>> Loop<N, P, R> {
    /// Carries plans out until the round rests or waits for a kill.
    ///
    /// No event is noted before a kill has begun, as that asks for memory; what led to it
    /// is noted first all the same.
    pub(super) fn carry_out(&mut self, now: Mono, mut plan: Plan) {
        loop {
            if matches!(plan, Plan::Evict(_)) && self.killing.is_ending() {
                return;
            }
            if self.is_postponed(now, &plan) {
                plan = self.outcome(now, Outcome::Outdated);
                continue;
            }
            plan = match plan {
                Plan::Rest => return,
                Plan::ReadPods => {
                    self.freshen();
                    self.deciding.list_for_plan(now);
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
                    let pods = self.deciding.pods.candidates().len();
                    if self.reclaiming.is_emptying_memory() {
                        self.telling.gives_back(now);
                    }
                    let is_new = self.telling.no_candidate(now, (signal, why), pods);
                    if is_new && signal.resource() == Resource::Memory {
                        self.deciding.pods.ask_who_holds();
                    }
                    self.outcome(now, Outcome::Told)
                }
            }
        }
    }

    /// Whether an eviction that was decided is not begun, and is decided again in a moment.
    fn is_postponed(&mut self, now: Mono, plan: &Plan) -> bool {
        let eviction = match plan {
            Plan::Evict(eviction) => Some(eviction),
            Plan::NoCandidate(..) => None,
            Plan::Rest | Plan::ReadPods | Plan::Reclaim(_) | Plan::KillNow => return false,
        };
        if self.is_too_early() {
            self.timers.set_earlier(Timer::Round, now + SOON);
            return true;
        }
        // It is told with the other problems of the pods.
        if self.deciding.pods.lacks_descriptors() {
            self.timers.set_earlier(Timer::Round, now + AGAIN);
            return true;
        }
        let Some(eviction) = eviction else {
            return false;
        };
        let after = if self.is_outdated(eviction) {
            AGAIN
        } else if !self.settings.dry_run && self.deciding.is_held_back(now, eviction) {
            HELD_BACK
        } else if self.must_choose_again(now, eviction) {
            AGAIN
        } else if self.deciding.awaits_who_stalls(now, eviction) {
            SECOND_LOOK
        } else if self.gives_up_its_log_first(now, eviction) {
            HELD_BACK
        } else {
            return false;
        };
        self.timers.set(Timer::Round, now + after);
        true
    }

    /// Whether an eviction was decided by an old reading, and a fresh one does not bear it out.
    fn is_outdated(&mut self, eviction: &Eviction) -> bool {
        let Cause::Threshold { threshold, .. } = &eviction.cause else {
            return false;
        };
        let now = (self.settings.clock)();
        let Some(again) = self.sampled.read_where_old(now) else {
            return false;
        };
        self.deciding.evict.read_again(&again);
        let threshold = self.deciding.evict.thresholds().get(*threshold);
        !threshold.is_some_and(|threshold| self.sampled.bears_out(now, threshold))
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

    /// Whether a pod was chosen for a disk by numbers of different age.
    fn must_choose_again(&mut self, now: Mono, eviction: &Eviction) -> bool {
        let Cause::Threshold { place, .. } = &eviction.cause else {
            return false;
        };
        is_disk(place.signal.resource())
            && self
                .listings
                .must_choose_again(now, &mut self.deciding.pods, &mut self.timers)
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
        }
        if matches!(begun, Some(Err(_))) && self.deciding.pods.lacks_descriptors() {
            // No other pod is evicted in its place.
            self.timers.set_earlier(Timer::Round, now + AGAIN);
            return Some(self.outcome(now, Outcome::Outdated));
        }
        self.deciding.pods.name_containers(index);
        let (sampled, settings) = (&self.sampled, &self.settings);
        let Some(mut decision) = self.deciding.decision(eviction, sampled, settings) else {
            return Some(self.outcome(now, Outcome::KillFailed));
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
                let plan = self.advance_kill(now);
                self.deciding.note_others();
                plan
            }
            Some(Err(error)) => {
                self.telling.tell(now, Event::NotBegun { victim, error });
                Some(self.outcome(now, Outcome::KillFailed))
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
                self.reclaiming.pod_is_gone();
                self.telling.gives_back(now);
                self.timers.set(Timer::Round, now); // measure again at once (decision D31)
                self.empty_memory(now);
                if self.killing.last_was_for_a_limit() {
                    // Another one may be above a limit of its own, or have been: nobody goes
                    // by what was known before this kill.
                    self.deciding.list(now, Depth::Whole);
                }
                let plan = self.outcome(now, Outcome::Killed);
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

    /// Whether a decision was made before all that describes pods was heard, and can wait for
    /// it a little: a critical pod may look like any other, and a pod may be missing.
    pub(super) fn is_too_early(&self) -> bool {
        self.deciding.picture.is_awaited() && !self.sampled.node.is_near_oom()
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
