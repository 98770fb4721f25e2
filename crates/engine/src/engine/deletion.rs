//! The deletion of what dead pods left, which the pods can prolong.

use evictd_evict::Met;
use evictd_node::{Mono, Resource};

use super::turn::Loop;
use crate::event::Event;
use crate::ports::{Collected, Deletion, Node, Pods, Reclaim};

impl<N: Node, P: Pods, R: Reclaim<P>> Loop<N, P, R> {
    /// Takes in how the deletion of what dead pods left goes. Returns whether it is over.
    pub(super) fn take_deletion(&mut self, now: Mono) -> bool {
        let result = match self.reclaim.poll_leftovers(now, &mut self.deciding.pods) {
            Deletion::Nothing => return false,
            Deletion::GoesOn(deleted) => {
                self.telling.tell(now, Event::Deleting { deleted });
                return false;
            }
            Deletion::Done(Ok(collected)) => collected,
            Deletion::Done(Err(problem)) => {
                self.telling.tell(now, Event::problem("leftovers", problem));
                Collected::default()
            }
        };
        if self.reclaiming.has_emptied_memory() {
            if !result.text.is_empty() {
                self.telling.tell(now, Event::Reclaimed(result));
            }
            self.round_now();
        } else if let Some(number) = self.reclaiming.end_deletion() {
            self.take_collected(now, number, Ok(result));
            self.round_now();
        }
        true
    }

    /// A deletion takes as long as the pods choose that left what is deleted: the next step is
    /// taken once it frees nothing of what is short any more.
    pub(super) fn leave_idle_deletion(&mut self, now: Mono) {
        let evict = &self.deciding.evict;
        // Nothing is asked of a disk while memory is short.
        let resources = |met: Met<'_>| met.threshold.signal.resource();
        let is_of_memory = evict.met().map(resources).any(|of| of == Resource::Memory);
        if !evict.is_relieving() || is_of_memory {
            return;
        }
        let acting = evict.acting_on();
        let readings = &self.sampled.sample.readings;
        let left = acting.and_then(|threshold| readings.get(threshold.signal));
        let idle = left.and_then(|left| self.reclaiming.leave_idle(now, left));
        if let Some(plan) = idle.and_then(|step| self.relieved(now, step)) {
            self.carry_out(now, plan);
        }
    }
}
