//! Which step of relief is awaited, and how the regular collections fare.
//!
//! The container runtimes do most of it, on threads of their own, and it may take minutes:
//! meanwhile the rounds go on, and a threshold of another resource acts.

use alloc::sync::Arc;
use core::time::Duration;

use evictd_gc::{Backoff, ImageJob};
use evictd_node::{Mono, Reading};

use crate::awaited::Awaited;
use crate::ports::{Collect, Collected};
use crate::timers::{Timer, Timers};

/// How often dead containers are collected (K: `ContainerGCPeriod`), and it is tidied up.
const CONTAINERS_EVERY: Duration = Duration::from_secs(60);

/// Deletions that went on by themselves, of which an answer is still to come; the oldest is
/// forgotten first.
const FEW: usize = 8;

/// What is collected, and what is awaited.
#[derive(Default)]
pub(crate) struct Reclaiming {
    /// The last job's number.
    number: u64,
    /// The step for a threshold that waits for the runtimes.
    awaited: Option<Awaited>,
    /// Jobs that are not waited for any more, and go on.
    left_behind: Vec<u64>,
    /// The number of the deletion of what dead pods left that is under way.
    deletion: Option<u64>,
    /// Regular collections of which no answer has come.
    regular: usize,
    /// The last regular job about images, and how its like have fared.
    images_job: u64,
    images_rest: Backoff,
    /// How the regular jobs about dead containers have fared, so that one failure is told once.
    containers_rest: Backoff,
    /// The last job that takes back and puts in order, and how its like have fared.
    tidy_job: u64,
    tidy_rest: Backoff,
    /// What a pod left in memory is being deleted.
    empties_memory: bool,
    /// Why the last container runtime that was lost cannot be reached.
    lost: Option<String>,
}

impl Reclaiming {
    pub(crate) const fn is_under_way(&self) -> bool {
        self.awaited.is_some()
    }

    /// What a pod left in memory is being deleted, which no reclaim waits for.
    pub(crate) const fn empties_memory(&mut self, begun: bool) {
        self.empties_memory = begun;
    }

    /// Whether that goes on.
    pub(crate) const fn is_emptying_memory(&self) -> bool {
        self.empties_memory
    }

    /// Whether the deletion that is over was one of those.
    pub(crate) const fn has_emptied_memory(&mut self) -> bool {
        core::mem::replace(&mut self.empties_memory, false)
    }

    /// A runtime cannot be reached.
    pub(crate) fn runtime_is_lost(&mut self, why: String) {
        self.lost = Some(why);
    }

    /// The number of the next job.
    pub(crate) const fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// The job `number` was handed over for this step, and `answers` runtimes will answer it. With
    /// no answer to wait for, the step comes back at once.
    pub(crate) fn wait(
        &mut self,
        mut step: Awaited,
        number: u64,
        answers: usize,
    ) -> Option<Awaited> {
        step.is_handed_over(number, answers);
        if answers == 0 {
            return Some(step);
        }
        self.awaited = Some(step);
        None
    }

    /// The step under way, where its job frees nothing of what is short: that goes on by
    /// itself, and no eviction waits for it.
    pub(crate) fn leave_idle(&mut self, now: Mono, left: Reading) -> Option<Awaited> {
        let step = self.awaited.take_if(|step| step.is_idle(now, left))?;
        if self.left_behind.len() >= FEW {
            self.left_behind.remove(0);
        }
        self.left_behind.push(step.number);
        Some(step)
    }

    /// The deletion of what dead pods left begins as that job.
    pub(crate) const fn begin_deletion(&mut self, number: u64) {
        self.deletion = Some(number);
    }

    /// Whether one is under way.
    pub(crate) const fn is_deleting(&self) -> bool {
        self.deletion.is_some()
    }

    /// The deletion is over. Its number, where it was one for a disk.
    pub(crate) const fn end_deletion(&mut self) -> Option<u64> {
        self.deletion.take()
    }

    /// What is to be collected now, whatever the pressure: nothing while an answer is
    /// awaited. `gone` are the uids of pods that are gone.
    pub(crate) fn due(
        &self,
        now: Mono,
        timers: &mut Timers,
        images_every: Duration,
        gone: &[String],
    ) -> Vec<Collect> {
        let mut due = Vec::new();
        if self.regular > 0 {
            return due;
        }
        if timers.is_due(Timer::Containers, now) {
            timers.set(Timer::Containers, now + CONTAINERS_EVERY);
            due.push(Collect::Containers {
                all_unused: false,
                evicted: Arc::from(gone),
            });
        }
        if timers.is_due(Timer::Images, now) {
            let pause = self.images_rest.pause(images_every);
            timers.set(Timer::Images, now + pause);
            due.push(Collect::Images(ImageJob::Watermark));
        }
        due
    }

    /// Whether it is time to tidy up; then the next time is later.
    pub(crate) fn may_tidy(&self, now: Mono, timers: &mut Timers) -> bool {
        let is_due = self.regular == 0 && timers.is_due(Timer::Tidy, now);
        if is_due {
            timers.set(Timer::Tidy, now + CONTAINERS_EVERY);
        }
        is_due
    }

    /// A regular collection was handed to so many runtimes as that job.
    pub(crate) const fn expect(&mut self, number: u64, is_of_images: bool, answers: usize) {
        self.regular += answers;
        if is_of_images {
            self.images_job = number;
        }
    }

    /// Notes the number of the job that tidies up, and how many answers to expect.
    pub(crate) const fn expect_tidy(&mut self, number: u64, answers: usize) {
        self.regular += answers;
        self.tidy_job = number;
    }

    /// One has answered the job with that number. Returns whether there is anything
    /// new in it to report, and the step under way once all have answered it.
    pub(crate) fn take_answer(
        &mut self,
        number: u64,
        result: &Result<Collected, String>,
    ) -> (bool, Option<Awaited>) {
        let has_given = result.as_ref().is_ok_and(|collected| collected.removed > 0);
        if let Some(step) = &mut self.awaited
            && step.number == number
        {
            step.gave |= has_given;
            step.answers = step.answers.saturating_sub(1);
            return (true, self.awaited.take_if(|step| step.answers == 0));
        }
        if self.left_behind.contains(&number) {
            return (true, None);
        }
        self.regular = self.regular.saturating_sub(1);
        // Of a dry run, what would be done counts as not done.
        let is_empty = |collected: &Collected| collected.text.is_empty();
        let reached = has_given || result.as_ref().is_ok_and(is_empty);
        let rest = if number == self.images_job {
            &mut self.images_rest
        } else if number == self.tidy_job {
            &mut self.tidy_rest
        } else {
            &mut self.containers_rest
        };
        // One that fails as the one before needs no other line, nor one whose runtime was
        // said not to be there.
        let is_lost = matches!(result, Err(problem) if Some(problem) == self.lost.as_ref());
        ((rest.ended(reached) && !is_lost) || has_given, None)
    }
}
