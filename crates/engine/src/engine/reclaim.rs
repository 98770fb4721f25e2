//! What the node gives back before a pod is evicted, what it collects anyway, and what the
//! container runtimes have to say of it and of pods.

use alloc::sync::Arc;
use core::time::Duration;

use evictd_evict::{NodeReclaim, Outcome, Plan};
use evictd_gc::ImageJob;
use evictd_node::{Condition, Mono, Readings, ReliefStep, Resource};

use super::turn::Loop;
use crate::awaited::{Awaited, Step};
use crate::event::Event;
use crate::ports::{Collect, Collected, Job, News, Node, Pods, Reclaim, Relief};
use crate::timers::Timer;

/// How long the filesystems may take to say what a collection has freed: a pod's
/// life hangs on the answer.
const RECLAIMED_FS_WAIT: Duration = Duration::from_millis(100);

/// Acceptance row 23.
const THIN_POOL: &str = "images lie in a devicemapper thin pool, which is no filesystem: imagefs \
     cannot be watched there; dockerd --storage-opt dm.basesize=50G bounds each layer";

impl<N: Node, P: Pods, R: Reclaim<P>> Loop<N, P, R> {
    /// The node gives back what it can, in that order; a call that the runtimes carry out
    /// is waited for without blocking. Then it is measured again.
    pub(super) fn reclaim_for(&mut self, now: Mono, calls: &'static [NodeReclaim]) -> Plan {
        if self.reclaiming.is_under_way() {
            return Plan::Rest;
        }
        let rungs = self.deciding.evict.rungs();
        if self.reclaiming.rests(now, (calls, rungs), &self.timers) {
            return self.reclaimed(now);
        }
        if let Some(threshold) = self.deciding.evict.acting_on() {
            let resource = threshold.signal.resource();
            self.telling
                .tell(now, Event::Reclaiming { resource, calls });
        }
        self.take_steps(now, Awaited::new(calls, rungs))
    }

    /// Takes the step that is due, and those after it that nobody waits for.
    pub(super) fn take_steps(&mut self, now: Mono, mut reclaim: Awaited) -> Plan {
        while let Some(step) = reclaim.step() {
            let (number, answers) = match self.job_of(step) {
                Some(what) => self.hand_over(what),
                None => (self.reclaiming.next_number(), 0),
            };
            let answered = self.reclaiming.wait(reclaim, number, answers);
            let done = answered.and_then(|reclaim| self.after_call(now, reclaim));
            reclaim = match done {
                Some(reclaim) => reclaim,
                None => return Plan::Rest,
            };
        }
        if reclaim.is_blind() {
            // No pod is chosen by what was read before it, nor because a step is left out.
            return self.outcome(now, Outcome::Reclaimed(Some(&Readings::default())));
        }
        self.reclaiming.end(now, &reclaim, &mut self.timers);
        // Rounds went on meanwhile: what is short by now may have other steps.
        let evict = &self.deciding.evict;
        let (calls, rungs) = (evict.calls(), evict.rungs());
        let is_enough = evict.may_stop_reclaiming(&self.sampled.sample.readings);
        if !is_enough && !reclaim.has_covered((calls, rungs)) {
            return self.reclaim_for(now, calls);
        }
        self.reclaimed(now)
    }

    /// What is to be done for a step; nothing where that filesystem is not known.
    fn job_of(&self, step: Step) -> Option<Collect> {
        Some(match step {
            Step::Call(NodeReclaim::ContainerGc) => Collect::Containers {
                all_unused: true,
                evicted: Arc::from(self.killing.gone()),
            },
            Step::Call(NodeReclaim::ImageGc) => {
                let readings = &self.sampled.sample.readings;
                let until = self.settings.images_until_clear;
                let until = until.then(|| self.deciding.enough(readings)).flatten();
                Collect::Images(ImageJob::DeleteUnused { until })
            }
            Step::Climb(rung) => Collect::Step(self.relief(rung)?),
        })
    }

    /// What a relief step has to free of the filesystem that is short.
    fn relief(&self, rung: ReliefStep) -> Option<Relief> {
        let sample = &self.sampled.sample;
        let (signal, wanted) = self.deciding.evict.rung_target(rung, &sample.readings)?;
        // What has no filesystem of its own lies on the next one.
        let disk = sample.disk(signal).or(sample.imagefs).or(sample.nodefs);
        let available = sample.readings.get(signal)?.available;
        let missing = wanted.saturating_sub(available);
        Some(Relief {
            rung,
            device: disk?.device,
            missing: Some(u64::try_from(missing).ok().filter(|missing| *missing > 0)?),
            unit: signal.unit(),
        })
    }

    /// What follows an answered call: what dead pods left, which is waited for without
    /// blocking too; then no other call where that is enough.
    pub(super) fn after_call(&mut self, now: Mono, mut reclaim: Awaited) -> Option<Awaited> {
        let may_delete = self.reclaim.has_leftovers() && !self.reclaiming.is_deleting();
        if may_delete && reclaim.sees_to_leftovers() {
            match self.reclaim.begin_leftovers(self.killing.gone()) {
                Ok(()) => {
                    let number = self.reclaiming.next_number();
                    self.reclaiming.begin_deletion(number);
                    return self.reclaiming.wait(reclaim, number, 1);
                }
                Err(problem) => self.telling.tell(now, Event::problem("leftovers", problem)),
            }
        }
        reclaim.go_on();
        let again = self.measure_again(now);
        if !self.deciding.evict.is_reclaiming() || self.is_unread(&again) {
            // Memory came between, or nobody can say whether more is needed.
            reclaim.go_blind();
        } else if self.deciding.evict.may_stop_reclaiming(&again) {
            reclaim.stop();
        }
        Some(reclaim)
    }

    fn reclaimed(&mut self, now: Mono) -> Plan {
        self.freshen();
        self.deciding.list_for_plan(now);
        self.telling.pod_problems(now, &self.deciding.pods);
        let again = self.measure_again(now);
        if !self.deciding.evict.may_stop_reclaiming(&again) && self.must_measure_disk(now) {
            return Plan::Rest;
        }
        // Where nothing can be read now, a kubelet goes by what was read before.
        let evict = &self.deciding.evict;
        let goes_on = again == Readings::default() && evict.policy().evicts_without_evidence;
        self.outcome(now, Outcome::Reclaimed((!goes_on).then_some(&again)))
    }

    /// Whether what is short cannot be read, which is no reason to evict a pod.
    fn is_unread(&self, again: &Readings) -> bool {
        let evict = &self.deciding.evict;
        let acting = evict.acting_on().map(|threshold| threshold.signal);
        !evict.policy().evicts_without_evidence
            && acting.is_some_and(|signal| again.get(signal).is_none())
    }

    fn measure_again(&mut self, now: Mono) -> Readings {
        self.sampled.read(now, RECLAIMED_FS_WAIT)
    }

    /// The pod that was evicted for memory is gone; what it left in a tmpfs is not.
    pub(super) fn empty_memory(&mut self, now: Mono) {
        let victim = self.killing.last_gone_for(Resource::Memory);
        let Some(uid) = victim.filter(|_| self.reclaim.has_leftovers()) else {
            return;
        };
        if self.reclaiming.is_under_way() {
            return; // a disk is short too: its deletion comes first
        }
        match self.reclaim.begin_emptying(uid) {
            Ok(()) => self.reclaiming.empties_memory(true),
            Err(problem) => self.telling.tell(now, Event::problem("leftovers", problem)),
        }
    }

    /// Hands a job to the container runtimes. Returns its number, and how many will answer.
    pub(super) fn hand_over(&mut self, what: Collect) -> (u64, usize) {
        let number = self.reclaiming.next_number();
        let job = Job {
            number,
            what,
            dry_run: self.settings.dry_run,
        };
        (number, self.reclaim.begin(&mut self.deciding.pods, job))
    }

    /// The regular collections, whatever the pressure.
    pub(super) fn collect_regularly(&mut self, now: Mono) {
        if !self.deciding.pods.has_runtimes() {
            return;
        }
        let (timers, gone) = (&mut self.timers, self.killing.gone());
        let images_every = self.settings.images_every;
        for what in self.reclaiming.due(now, timers, images_every, gone) {
            let is_of_images = matches!(what, Collect::Images(_));
            let (number, answers) = self.hand_over(what);
            self.reclaiming.expect(number, is_of_images, answers);
        }
    }

    /// What was given up for a disk is taken back now and then, as long as none is short.
    pub(super) fn tidy_up(&mut self, now: Mono) {
        let is_short = self
            .deciding
            .evict
            .conditions()
            .has(Condition::DiskPressure);
        if !is_short && self.reclaiming.may_tidy(now, &mut self.timers) {
            let (number, answers) = self.hand_over(Collect::Tidy);
            self.reclaiming.expect_tidy(number, answers);
        }
    }

    /// Takes in what relief steps have freed. Returns whether there was anything.
    pub(super) fn take_relief(&mut self, now: Mono) -> bool {
        let relieved = self.reclaim.take_relief(now);
        let any = !relieved.is_empty();
        for (number, result) in relieved {
            self.take_collected(now, number, result);
        }
        any
    }

    /// Takes in what the container runtimes have to say. Returns whether there was anything.
    pub(super) fn take_news(&mut self, now: Mono) -> bool {
        if !self.deciding.pods.has_runtimes() {
            return false;
        }
        let all = self.deciding.pods.take_news();
        let any = !all.is_empty();
        for news in all {
            self.take_one(now, news);
        }
        any
    }

    fn take_one(&mut self, now: Mono, news: News) {
        match news {
            News::Reached {
                endpoint,
                version,
                in_thin_pool,
            } => {
                self.telling.tell(now, Event::Runtime { version, endpoint });
                if in_thin_pool {
                    self.telling.tell(now, Event::problem("imagefs", THIN_POOL));
                }
                self.reclaiming.runtime_is_back(&mut self.timers);
                // One that was started after evictd says it late (decision D55).
                match self.sampled.node.follow(self.deciding.pods.places()) {
                    Ok(true) => self.round_now(),
                    Ok(false) => {}
                    Err(error) => self.telling.tell(now, Event::problem("filesystem", error)),
                }
            }
            News::Listed => {
                let waits = self.listings.runtime_has_listed(&self.timers);
                if waits || self.deciding.picture.is_awaited() {
                    self.round_now();
                }
            }
            News::Lost(problem) => {
                self.telling
                    .tell(now, Event::problem("runtime", problem.as_str()));
                self.reclaiming.runtime_is_lost(problem);
            }
            News::Ending(uid) => self.killing.heard(&uid, &mut self.timers),
            News::Ended(uid) => self.holding.is_down(&uid),
            News::NotEnded { uid, error } => self.end_without_runtime(now, &uid, &error),
            News::Collected { number, result } => self.take_collected(now, number, result),
        }
    }

    /// The runtime cannot end a pod: it is ended through its cgroup alone.
    fn end_without_runtime(&mut self, now: Mono, uid: &str, error: &str) {
        let what = if self.killing.ask_instead(uid) {
            "its processes are ended through its cgroup"
        } else {
            "its processes are gone already"
        };
        let text = format!(
            "{error}; pod uid {uid}: {what}, and the runtime is asked again when it is back, \
             as it might start the pod anew"
        );
        self.telling.tell(now, Event::problem("kill", text));
        self.go_on_killing(now);
    }

    pub(super) fn take_collected(
        &mut self,
        now: Mono,
        number: u64,
        result: Result<Collected, String>,
    ) {
        let (is_news, answered) = if self.own_log.take_answer(now, number, &result) {
            if self.own_log.is_kept() {
                self.timers.set(Timer::LimitsWait, now);
                self.round_now();
            }
            (true, None)
        } else {
            self.reclaiming.take_answer(number, &result)
        };
        match result {
            Ok(collected) if is_news && !collected.text.is_empty() => {
                self.telling.tell(now, Event::Reclaimed(collected));
            }
            Err(problem) if is_news => self.telling.tell(now, Event::problem("runtime", problem)),
            Ok(_) | Err(_) => {}
        }
        let answered = answered.and_then(|reclaim| self.after_call(now, reclaim));
        if let Some(reclaim) = answered {
            let plan = self.take_steps(now, reclaim);
            self.carry_out(now, plan);
        }
    }
}
