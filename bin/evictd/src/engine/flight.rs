use evictd_node::Mono;
use evictd_runtime::{FoundPod, KillInFlight, KillReport, KillState};

use super::event::Victim;

/// A pod that is being killed.
pub(super) struct Flight {
    pub(super) found: FoundPod,
    pub(super) victim: Victim,
    pub(super) kill: Box<dyn KillInFlight>,
    until: Mono,
}

impl Flight {
    pub(super) fn new(found: FoundPod, victim: Victim, kill: Box<dyn KillInFlight>) -> Self {
        Self {
            found,
            victim,
            kill,
            until: Mono::ZERO,
        }
    }

    pub(super) fn poll(&mut self, now: Mono) -> KillState {
        let state = self.kill.poll(now);
        if let KillState::Waiting { until } = state {
            self.until = until;
        }
        state
    }

    /// When to poll again at the latest.
    pub(super) const fn until(&self) -> Mono {
        self.until
    }

    /// What is to be told of it once it has ended.
    pub(super) fn ended(&self) -> (Victim, KillReport) {
        (self.victim.clone(), self.kill.report().clone())
    }
}
