//! What is told of the kernel's own OOM killer, and what there is to do about it.

use evictd_node::{Reading, Signal};
use evictd_state::{Outcome, Record};
use evictd_threshold::Threshold;

use crate::fields::Fields;
use crate::ports::OomKill;

/// The kernel's OOM killer has struck before evictd did, or for a limit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OomKilled {
    /// Whom.
    pub kill: OomKill,
    /// The hard threshold of `memory.available`; `None` where there is none.
    pub threshold: Option<Threshold>,
    /// The cgroup is gone that would say whether it had reached its limit, and memory was seen
    /// to be above that threshold all the time: the machine was not short of it.
    pub was_plentiful: bool,
    /// When: seconds since 1970.
    pub wall_seconds: u64,
}

impl OomKilled {
    /// `least` is what was left of memory when there was least of it since the last look for
    /// such kills.
    pub(crate) fn new(
        kill: OomKill,
        thresholds: &[Threshold],
        least: Option<Reading>,
        wall_seconds: u64,
    ) -> Self {
        let is_it = |t: &&Threshold| t.signal == Signal::MemoryAvailable && t.is_hard();
        let threshold = thresholds.iter().find(is_it).cloned();
        let was_plentiful = kill.name.is_empty()
            && threshold
                .as_ref()
                .zip(least)
                .is_some_and(|(threshold, least)| !threshold.is_met(&least));
        Self {
            kill,
            threshold,
            was_plentiful,
            wall_seconds,
        }
    }

    /// What is kept of it over a restart.
    #[must_use]
    pub fn record(&self) -> Record {
        Record {
            wall_seconds: self.wall_seconds,
            signal: Some(Signal::MemoryAvailable),
            namespace: self.kill.namespace.clone(),
            name: match self.kill.name.as_str() {
                "" => String::from("(no pod)"),
                name => name.to_owned(),
            },
            uid: self.kill.uid.clone(),
            message: self.to_string(),
            outcome: Outcome::OomKilled,
            method: String::from("the kernel's OOM killer"),
            ..Record::default()
        }
    }

    pub(crate) fn fields(&self) -> Fields {
        let threshold = self.threshold.as_ref().map(ToString::to_string);
        Fields::default()
            .with("pod", self.kill.name.as_str())
            .with("namespace", self.kill.namespace.as_str())
            .with("uid", self.kill.uid.as_str())
            .with("processes", self.kill.kills)
            .with("atLimit", self.kill.at_limit)
            .with("threshold", threshold)
    }
}
