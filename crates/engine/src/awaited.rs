//! The step of relief that is under way.

use core::time::Duration;

use evictd_evict::{NodeReclaim, Step};
use evictd_node::{Mono, Reading};

/// A deletion is waited for as long as it frees something at least this often. The whole of it
/// may take as long as the pods chose that left the files.
const FREES_WITHIN: Duration = Duration::from_secs(10);

/// So much of a disk shows that it does.
const VISIBLE: i64 = 1000;

/// A step of relief that is waited for.
pub(crate) struct Awaited {
    step: Step,
    /// The job that was handed over for it.
    pub(crate) number: u64,
    /// How many answers to it are still to come.
    pub(crate) answers: usize,
    /// Since when nothing was freed, and what was left then.
    idle: Option<(Mono, Reading)>,
    /// Whether what dead pods left was seen to, which belongs to the call for containers.
    saw_to_leftovers: bool,
    /// Whether anything was deleted.
    pub(crate) gave: bool,
}

impl Awaited {
    pub(crate) const fn new(step: Step) -> Self {
        Self {
            step,
            number: 0,
            answers: 0,
            idle: None,
            saw_to_leftovers: false,
            gave: false,
        }
    }

    /// The job `number` was handed over, and `answers` runtimes will answer it.
    pub(crate) const fn is_handed_over(&mut self, number: u64, answers: usize) {
        (self.number, self.answers) = (number, answers);
        self.idle = None;
    }

    /// Whether what dead pods left is to be seen to now; from then on it was.
    pub(crate) fn sees_to_leftovers(&mut self) -> bool {
        self.is_of_containers() && !core::mem::replace(&mut self.saw_to_leftovers, true)
    }

    /// Whether the job under way deletes what pods have left, and has freed nothing of what is
    /// short for [`FREES_WITHIN`]. It is not waited for any more then. Pods cannot prolong the
    /// deletion of images or another step, so those are always waited for.
    pub(crate) fn is_idle(&mut self, now: Mono, left: Reading) -> bool {
        if !self.is_of_containers() {
            return false;
        }
        let (since, then) = *self.idle.get_or_insert((now, left));
        let visible = (left.capacity / VISIBLE).max(1);
        if left.available >= then.available.saturating_add(visible) {
            self.idle = Some((now, left));
            return false;
        }
        now.since(since) >= FREES_WITHIN
    }

    fn is_of_containers(&self) -> bool {
        self.step == Step::Reclaim(NodeReclaim::ContainerGc)
    }
}
