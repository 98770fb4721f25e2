//! What the node gives back before a pod has to go, and what it collects anyway.
//!
//! The container runtimes do most of it, on threads of their own, and it may take
//! minutes: meanwhile the rounds go on, and a threshold of another resource acts.

use alloc::sync::Arc;
use core::time::Duration;

use evictd_evict::{NodeReclaim, Outcome, Plan};
use evictd_gc::Backoff;
use evictd_node::{Mono, Readings, Signal};

use super::{Engine, Event, Tell};
use crate::gc::Collection;
use crate::runtimes::{Collect, CollectJob, Enough};

/// How often dead containers are collected (K: `ContainerGCPeriod`).
const CONTAINERS_EVERY: Duration = Duration::from_secs(60);

/// How often images are looked at (K: `ImageGCPeriod`).
const IMAGES_EVERY: Duration = Duration::from_secs(5 * 60);

/// Where nothing could be given back, it is not tried again for so long at first,
/// then for twice as long each time, up to the longest.
const FIRST_REST: Duration = Duration::from_secs(10);
const LONGEST_REST: Duration = Duration::from_secs(60);

/// How long the filesystems may take to say what a collection has freed: a pod's
/// life hangs on the answer.
const RECLAIMED_FS_WAIT: Duration = Duration::from_millis(100);

/// The most files and directories that one collection of leftovers deletes.
const MOST_DELETED: u64 = 10_000;

/// What is collected, and what is awaited.
#[derive(Default)]
pub(super) struct Reclaiming {
    /// The last job's number.
    number: u64,
    /// The reclaim for a threshold that waits for the runtimes.
    pub(super) awaited: Option<Awaited>,
    /// Regular collections of which no answer has come.
    pub(super) regular: usize,
    next_containers: Mono,
    next_images: Mono,
    /// The last regular job about images, and how its like have fared.
    pub(super) images_job: u64,
    pub(super) images_rest: Backoff,
    /// The same of dead containers, only so that one failure is told once.
    pub(super) containers_rest: Backoff,
    /// Where nothing was given back: until when it is not tried again.
    rest: Option<(Mono, Duration)>,
}

impl Reclaiming {
    /// A pod has gone: what it left was not there when nothing could be given back.
    pub(super) const fn pod_has_gone(&mut self) {
        self.rest = None;
    }

    /// A runtime is back: what it could not give it may give now.
    pub(super) const fn runtime_is_back(&mut self) {
        self.rest = None;
        self.next_images = Mono::ZERO;
    }
}

/// A reclaim under way.
pub(super) struct Awaited {
    calls: &'static [NodeReclaim],
    /// The place of the call under way.
    at: usize,
    pub(super) number: u64,
    /// Runtimes that have not answered.
    pub(super) answers: usize,
    /// Whether anything was deleted at all.
    pub(super) gave: bool,
}

impl Engine {
    /// The node gives back what it can, in that order; a call that the runtimes
    /// carry out is waited for without blocking. Then it is measured again.
    pub(super) fn reclaim(
        &mut self,
        now: Mono,
        calls: &'static [NodeReclaim],
        tell: Tell<'_>,
    ) -> Plan {
        if self.reclaiming.awaited.is_some() {
            return Plan::Rest;
        }
        if self.reclaiming.rest.is_some_and(|(until, _)| now < until) {
            return self.reclaimed(now, tell);
        }
        if let Some(threshold) = self.evict.acting_on() {
            let resource = threshold.signal.resource();
            tell(now, &Event::Reclaiming { resource, calls });
        }
        let begun = Awaited {
            calls,
            at: 0,
            number: 0,
            answers: 0,
            gave: false,
        };
        self.call(now, begun, tell)
    }

    /// Makes the call that is due, and those after it that nobody waits for.
    fn call(&mut self, now: Mono, mut reclaim: Awaited, tell: Tell<'_>) -> Plan {
        loop {
            let Some(call) = reclaim.calls.get(reclaim.at) else {
                return self.end_reclaim(now, &reclaim, tell);
            };
            let what = match call {
                NodeReclaim::ContainerGc => Collect::Containers {
                    all_unused: true,
                    evicted: Arc::from(self.gone.as_slice()),
                },
                NodeReclaim::ImageGc => Collect::UnusedImages {
                    until: self.enough(),
                },
            };
            (reclaim.number, reclaim.answers) = self.hand_over(what);
            if reclaim.answers > 0 {
                self.reclaiming.awaited = Some(reclaim);
                return Plan::Rest;
            }
            if self.after_call(now, &mut reclaim, tell) {
                return self.end_reclaim(now, &reclaim, tell);
            }
        }
    }

    /// What follows a call; answers whether that is enough.
    fn after_call(&mut self, now: Mono, reclaim: &mut Awaited, tell: Tell<'_>) -> bool {
        if reclaim.calls.get(reclaim.at) == Some(&NodeReclaim::ContainerGc) {
            reclaim.gave |= self.collect_leftovers(now, tell);
        }
        reclaim.at += 1;
        let again = self.measure_again(now);
        !self.evict.is_reclaiming() || self.evict.may_stop_reclaiming(&again)
    }

    fn end_reclaim(&mut self, now: Mono, reclaim: &Awaited, tell: Tell<'_>) -> Plan {
        self.reclaiming.rest = if reclaim.gave {
            None
        } else {
            let last = self.reclaiming.rest.map(|(_, last)| last.saturating_mul(2));
            let rest = last.unwrap_or(FIRST_REST).min(LONGEST_REST);
            Some((now + rest, rest))
        };
        self.reclaimed(now, tell)
    }

    fn reclaimed(&mut self, now: Mono, tell: Tell<'_>) -> Plan {
        self.refresh_pods(now, self.depth(), tell);
        let again = self.measure_again(now);
        if !self.evict.may_stop_reclaiming(&again) && self.must_measure_disk(now) {
            return Plan::Rest;
        }
        self.outcome(now, Outcome::Reclaimed(Some(&again)))
    }

    fn measure_again(&mut self, now: Mono) -> Readings {
        self.sample = self.reader.read_within(now, RECLAIMED_FS_WAIT);
        self.sample.readings()
    }

    /// How much is enough, where images are deleted only until it is.
    fn enough(&self) -> Option<Enough> {
        if !self.images_until_clear {
            return None;
        }
        let (signal, wanted) = self.evict.reclaim_target(&self.sample.readings())?;
        let wanted = u64::try_from(wanted).ok()?;
        match signal {
            Signal::NodefsAvailable | Signal::ImagefsAvailable | Signal::ContainerfsAvailable => {
                Some(Enough::Bytes(wanted))
            }
            Signal::NodefsInodesFree
            | Signal::ImagefsInodesFree
            | Signal::ContainerfsInodesFree => Some(Enough::Inodes(wanted)),
            Signal::MemoryAvailable | Signal::AllocatableMemoryAvailable | Signal::PidAvailable => {
                None
            }
        }
    }

    /// Deletes what dead pods left in the directories that were named; answers
    /// whether there was any.
    fn collect_leftovers(&mut self, now: Mono, tell: Tell<'_>) -> bool {
        let Some(collector) = &self.collector else {
            return false;
        };
        let ended: Vec<&str> = self.gone.iter().map(String::as_str).collect();
        let how = Collection {
            ended: &ended,
            most: MOST_DELETED,
            dry_run: self.dry_run,
        };
        let (event, gave) = match collector.collect(&mut self.pods, &how) {
            Ok(collected) if collected.is_empty() => (Event::NothingReclaimed, false),
            Ok(collected) => (Event::reclaimed_leftovers(&collected), true),
            Err(problem) => (Event::problem("leftovers", &problem), false),
        };
        tell(now, &event);
        gave
    }

    fn hand_over(&mut self, what: Collect) -> (u64, usize) {
        self.reclaiming.number += 1;
        let job = CollectJob {
            number: self.reclaiming.number,
            what,
            dry_run: self.dry_run,
        };
        (job.number, self.pods.runtimes.collect(&job))
    }

    /// The regular collections, whatever the pressure.
    pub(super) fn collect_regularly(&mut self, now: Mono) {
        if self.pods.runtimes.is_empty() || self.reclaiming.regular > 0 {
            return;
        }
        if now >= self.reclaiming.next_containers {
            self.reclaiming.next_containers = now + CONTAINERS_EVERY;
            let evicted = Arc::from(self.gone.as_slice());
            let (_, asked) = self.hand_over(Collect::Containers {
                all_unused: false,
                evicted,
            });
            self.reclaiming.regular += asked;
        }
        if now >= self.reclaiming.next_images {
            let pause = self.reclaiming.images_rest.pause(IMAGES_EVERY);
            self.reclaiming.next_images = now + pause;
            let (number, asked) = self.hand_over(Collect::ImagesByUsage);
            self.reclaiming.images_job = number;
            self.reclaiming.regular += asked;
        }
    }

    pub(super) fn go_on_reclaiming(&mut self, now: Mono, mut reclaim: Awaited, tell: Tell<'_>) {
        if reclaim.answers > 0 {
            self.reclaiming.awaited = Some(reclaim);
            return;
        }
        let plan = if self.after_call(now, &mut reclaim, tell) {
            self.end_reclaim(now, &reclaim, tell)
        } else {
            self.call(now, reclaim, tell)
        };
        self.carry_out(now, plan, tell);
    }
}
