//! One thing that the kernel is asked to tell.

use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_node::{Amount, Mono, Signal};
use evictd_sys::{Error, Token, Trigger, Watch};

use super::level::Wanted;

/// Levels are set anew at most so often, as in the kubelet: each time the kernel
/// keeps the caller waiting for some milliseconds.
const ANEW: Duration = Duration::from_secs(10);

/// What stalls are told, as stall and window: the shortest window there is, and the
/// shortest that is open to everybody (failure F4; Linux 6.4).
const STALLS: [(Duration, Duration); 2] = [
    (Duration::from_millis(20), Duration::from_millis(500)),
    (Duration::from_millis(80), Duration::from_secs(2)),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The usage of a v1 cgroup, for the thresholds of this signal.
    Usage(Signal),
    /// Tasks that wait for memory.
    Pressure,
    /// A v2 cgroup at a limit.
    Events,
}

pub(super) struct Source {
    pub(super) token: Token,
    pub(super) what: What,
    /// Of the pods' cgroup, else of the machine.
    pub(super) of_pods: bool,
    /// It told, and was not armed again since.
    pub(super) fired: bool,
    path: PathBuf,
    trigger: Option<Trigger>,
    set: Wanted,
    next_set: Mono,
    refused: bool,
}

impl Source {
    pub(super) fn new(token: Token, what: What, of_pods: bool, path: &Path) -> Self {
        Self {
            token,
            what,
            of_pods,
            fired: false,
            path: path.to_owned(),
            trigger: None,
            set: Wanted::default(),
            next_set: Mono::ZERO,
            refused: false,
        }
    }

    /// Sets what is wanted where it differs, and arms it again where it fired. Returns
    /// whether anything was done. What has no levels only has to be there.
    pub(super) fn follow(
        &mut self,
        (is_there, wanted): (bool, Wanted),
        now: Mono,
        watch: &mut Watch,
    ) -> bool {
        if !is_there {
            self.drop_trigger();
            return false;
        }
        let near = self.trigger.is_some() && wanted.is_near(&self.set);
        if near && (!self.fired || self.arm_again(watch)) {
            return false;
        }
        if now < self.next_set || self.refused {
            return false;
        }
        self.set = wanted;
        let made = match self.what {
            What::Usage(_) => {
                self.next_set = now + ANEW;
                Trigger::usage(&self.path, wanted.levels())
            }
            What::Pressure => self.pressure(),
            What::Events => Trigger::events(&self.path),
        };
        self.take(made, watch);
        true
    }

    fn pressure(&self) -> Result<Trigger, Error> {
        let [(stall, window), (for_all, for_all_window)] = STALLS;
        Trigger::pressure(&self.path, stall, window)
            .or_else(|_| Trigger::pressure(&self.path, for_all, for_all_window))
    }

    /// `false` when what it watched is gone.
    fn arm_again(&mut self, watch: &mut Watch) -> bool {
        let Some(trigger) = &self.trigger else {
            return false;
        };
        let armed = trigger
            .take()
            .and_then(|()| watch.arm(trigger, self.token))
            .is_ok();
        self.fired = !armed;
        if !armed {
            self.drop_trigger();
        }
        armed
    }

    fn take(&mut self, made: Result<Trigger, Error>, watch: &mut Watch) {
        let armed = made.and_then(|trigger| watch.arm(&trigger, self.token).map(|()| trigger));
        self.fired = false;
        self.trigger = match armed {
            Ok(trigger) => Some(trigger),
            // It may come again, and then it will be asked for again.
            Err(error) if self.of_pods && error.is_gone() => None,
            Err(error) => {
                self.refused = true;
                let path = self.path.display();
                log::info!(
                    event = "no_notice", path = path.to_string().as_str();
                    "{path}: {error}; evictd looks at memory by itself"
                );
                None
            }
        };
    }

    fn drop_trigger(&mut self) {
        self.trigger = None;
        self.fired = false;
    }

    /// Whether it tells before a threshold can be met, with that usage now.
    pub(super) fn guards(&self, usage: Option<u64>) -> bool {
        let below = |level: &u64| usage.is_some_and(|usage| usage < *level);
        self.trigger.is_some()
            && !self.fired
            && self.set.guards
            && self.set.levels().iter().all(below)
    }

    /// Whether it tells when anything on the machine waits for memory.
    pub(super) fn tells_of_stalls(&self) -> bool {
        self.what == What::Pressure && !self.of_pods && self.trigger.is_some() && !self.fired
    }

    /// What it tells, for the log.
    pub(super) fn told(&self) -> Option<String> {
        self.trigger.as_ref()?;
        let whose = if self.of_pods { " of the pods" } else { "" };
        Some(match self.what {
            What::Usage(_) => {
                let levels: Vec<String> = self
                    .set
                    .levels()
                    .iter()
                    .map(|level| Amount::bytes(*level).to_string())
                    .collect();
                format!("a memory usage{whose} of {}", levels.join(" and "))
            }
            What::Pressure => format!("memory pressure{whose}"),
            What::Events => format!("the memory limits{whose}"),
        })
    }
}
