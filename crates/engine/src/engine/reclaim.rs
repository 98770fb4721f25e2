//! What the node gives back before a pod is evicted, what it collects anyway, and what the
//! container runtimes have to say of it and of pods.

use alloc::sync::Arc;
use core::time::Duration;

use evictd_evict::{NodeReclaim, Outcome, Plan, Relieved, Step};
use evictd_gc::ImageJob;
use evictd_node::{Condition, Mono, Readings, ReliefStep, Resource};

use super::turn::Loop;
use crate::awaited::Awaited;
use crate::event::Event;
use crate::pace::is_disk;
use crate::ports::{Collect, Collected, Job, News, Node, Pods, Reclaim, Relief};
use crate::timers::Timer;

/// How long the filesystems may take to say what a collection has freed: a pod's
/// life hangs on the answer.
const RECLAIMED_FS_WAIT: Duration = Duration::from_millis(100);

/// How soon the next round begins where the relief of a disk is over and was not enough.
const AFTER_RELIEF: Duration = Duration::from_millis(50);

/// Acceptance row 23.
const THIN_POOL: &str = "images lie in a devicemapper thin pool, which is no filesystem: imagefs \
     cannot be watched there; dockerd --storage-opt dm.basesize=50G bounds each layer";

impl<N: Node, P: Pods, R: Reclaim<P>> Loop<N, P, R> {
    /// Hands a step of relief over. The loop does not wait for it. Returns the next plan if there
    /// is no answer to come.
    pub(super) fn relieve(&mut self, now: Mono, step: Step) -> Option<Plan> {
        if self.reclaiming.is_under_way() {
            return None;
        }
        let evict = &self.deciding.evict;
        if let (Some(threshold), Some(calls)) = (evict.acting_on(), evict.begins_to_relieve()) {
            let resource = threshold.signal.resource();
            self.telling
                .tell(now, Event::Reclaiming { resource, calls });
        }
        let (number, answers) = match self.job_of(step) {
            Some(what) => self.hand_over(what),
            None => (self.reclaiming.next_number(), 0),
        };
        let step = Awaited::new(step);
        let answered = self.reclaiming.wait(step, number, answers)?;
        self.relieved(now, answered)
    }

    /// What is to be done for a step; nothing where it is not needed, or where that filesystem is
    /// not known.
    fn job_of(&self, step: Step) -> Option<Collect> {
        Some(match step {
            Step::Reclaim(NodeReclaim::ContainerGc) => Collect::Containers {
                all_unused: true,
                evicted: Arc::from(self.killing.gone()),
            },
            Step::Reclaim(NodeReclaim::ImageGc) => {
                let readings = &self.sampled.sample.readings;
                let until = self.settings.images_until_clear;
                let until = until.then(|| self.deciding.enough(step, readings));
                Collect::Images(ImageJob::DeleteUnused {
                    until: until.flatten(),
                })
            }
            Step::Relief(of) => Collect::Step(self.job_of_relief(step, of)?),
        })
    }

    /// What a relief step has to free of the filesystem that is short.
    fn job_of_relief(&self, step: Step, rung: ReliefStep) -> Option<Relief> {
        let sample = &self.sampled.sample;
        let (signal, wanted) = self.deciding.evict.target(step, &sample.readings)?;
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

    /// A step was answered, or is left behind. Begins to delete what dead pods left, which belongs
    /// to the step. Returns the next plan once that is done, too.
    pub(super) fn relieved(&mut self, now: Mono, mut step: Awaited) -> Option<Plan> {
        let may_delete = self.reclaim.has_leftovers() && !self.reclaiming.is_deleting();
        if may_delete && step.sees_to_leftovers() {
            match self.reclaim.begin_leftovers(self.killing.gone()) {
                Ok(()) => {
                    let number = self.reclaiming.next_number();
                    self.reclaiming.begin_deletion(number);
                    self.reclaiming.wait(step, number, 1);
                    return None;
                }
                Err(problem) => self.telling.tell(now, Event::problem("leftovers", problem)),
            }
        }
        let again = self.sampled.read(now, RECLAIMED_FS_WAIT);
        let is_read = again != Readings::default();
        let relieved = Relieved {
            gave: step.gave,
            again: is_read.then_some(&again),
        };
        let plan = self.outcome(now, Outcome::Relieved(relieved));
        if plan == Plan::Rest && self.is_still_short(&again) {
            // Another threshold is met, or the disk could not be read: decide again soon.
            self.timers.set_earlier(Timer::Round, now + AFTER_RELIEF);
        }
        Some(plan)
    }

    /// Whether a disk that was short may be so still.
    fn is_still_short(&self, again: &Readings) -> bool {
        let mut due = self.deciding.evict.due();
        due.any(|threshold| {
            let left = again.get(threshold.signal);
            let is_short = |left| threshold.is_unreclaimed(&left);
            is_disk(threshold.signal.resource()) && left.is_none_or(is_short)
        })
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
                self.deciding.evict.try_relief_again();
                self.timers.stop(Timer::Images); // so it is due
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
        if let Some(plan) = answered.and_then(|step| self.relieved(now, step)) {
            self.carry_out(now, plan);
        }
    }
}
