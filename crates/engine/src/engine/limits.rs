//! What is done of a pod above its limit of disk before it is ended.

use alloc::sync::Arc;

use evictd_evict::Eviction;
use evictd_node::Mono;

use super::deciding::Deciding;
use super::turn::Loop;
use crate::own_log::Next;
use crate::ports::{Collect, Node, Pods, Reclaim};
use crate::timers::Timer;

impl<N: Node, P: Pods, R: Reclaim<P>> Loop<N, P, R> {
    /// Whether a pod above its limit of disk is not ended yet, as its log may be enough.
    pub(super) fn gives_up_its_log_first(&mut self, now: Mono, eviction: &Eviction) -> bool {
        let Deciding { evict, pods, .. } = &mut self.deciding;
        let candidate = pods.candidates().get(eviction.candidate);
        let Some((candidate, missing)) = candidate
            .filter(|_| !self.settings.dry_run)
            .and_then(|candidate| Some((candidate, evict.above_limit(eviction, candidate)?)))
        else {
            return false;
        };
        let uid: Arc<str> = candidate.pod.metadata.uid.as_str().into();
        match self.own_log.next(&uid, pods) {
            Next::Ask => {
                let (number, answers) = self.hand_over(Collect::OwnLog { uid, missing });
                if answers == 0 {
                    return false;
                }
                self.own_log.asked(number);
            }
            // Rounds that do not look at limits come between: a threshold is not kept waiting.
            Next::Wait => {}
            Next::LookAgain => self.timers.set(Timer::LimitsWait, now),
            Next::End => return false,
        }
        true
    }
}
