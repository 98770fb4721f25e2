use core::time::Duration;

use evictd_cgroup::{FoundPod, KillInFlight, KillReport, KillState};
use evictd_node::Mono;

use super::event::Victim;

/// A pod that is being killed.
pub(super) struct Flight {
    pub(super) found: FoundPod,
    pub(super) victim: Victim,
    pub(super) kill: Box<dyn KillInFlight>,
    until: Mono,
    /// By when its container runtime has to say that it is about to end the pod.
    unheard: Option<Mono>,
}

/// How long a runtime may be silent before the pod is asked to end from here.
const SILENCE: Duration = Duration::from_secs(2);

impl Flight {
    pub(super) fn new(found: FoundPod, victim: Victim, kill: Box<dyn KillInFlight>) -> Self {
        Self {
            found,
            victim,
            kill,
            until: Mono::ZERO,
            unheard: None,
        }
    }

    /// The runtime is to send the stop signal, and says before that it will.
    pub(super) fn left_to_runtime(mut self, now: Mono) -> Self {
        self.unheard = Some(now + SILENCE);
        self
    }

    /// It has said so.
    pub(super) const fn heard(&mut self) {
        self.unheard = None;
    }

    /// Sends SIGTERM from here where the runtime is silent; answers whether it was
    /// time for that.
    pub(super) fn ask_if_unheard(&mut self, now: Mono) -> bool {
        let is_time = self.unheard.is_some_and(|until| now >= until);
        if is_time {
            self.unheard = None;
            self.kill.ask();
        }
        is_time
    }

    pub(super) fn poll(&mut self, now: Mono) -> KillState {
        let state = self.kill.poll(now);
        if let KillState::Waiting { until } = state {
            self.until = until;
        }
        state
    }

    /// When to poll again at the latest.
    pub(super) fn until(&self) -> Mono {
        self.unheard
            .map_or(self.until, |unheard| unheard.min(self.until))
    }

    /// What is to be told of it once it has ended.
    pub(super) fn ended(&self) -> (Victim, KillReport) {
        (self.victim.clone(), self.kill.report().clone())
    }
}
