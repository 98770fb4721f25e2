//! What is told of the kernel's own OOM killer, and what there is to do about it.

use core::fmt::{self, Formatter};

use evictd_node::{Reading, Signal};
use evictd_state::{Outcome, Record};
use evictd_threshold::Threshold;

use super::name::{cut, full_name};
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
    /// Memory was seen to be above that threshold all the time: the machine was not short of it.
    pub was_plentiful: bool,
    /// When: seconds since 1970.
    pub wall_seconds: u64,
}

impl OomKilled {
    /// `least` is what was left of memory when there was least of it since the last look for
    /// such kills.
    pub(crate) fn new<'a>(
        kill: OomKill,
        thresholds: impl IntoIterator<Item = &'a Threshold>,
        least: Option<Reading>,
        wall_seconds: u64,
    ) -> Self {
        let is_it = |t: &&Threshold| t.signal == Signal::MemoryAvailable && t.is_hard();
        let threshold = thresholds.into_iter().find(is_it).cloned();
        let was_plentiful = threshold
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

    /// What ran out, as far as that is known.
    fn ran_out(&self) -> RanOut<'_> {
        let kill = &self.kill;
        let limit = match &kill.limit_above {
            _ if kill.at_limit => RanOut::OwnLimit,
            Some(above) => RanOut::LimitOf(above),
            // Its cgroup is gone, and what that said with it.
            None if kill.name.is_empty() && self.was_plentiful => RanOut::SomeLimit,
            None => return RanOut::Machine,
        };
        if kill.at_any_time && !self.was_plentiful {
            return RanOut::Untold;
        }
        limit
    }

    pub(crate) fn fields(&self) -> Fields {
        let threshold = self.threshold.as_ref().map(ToString::to_string);
        let (at_limit, limit_of) = match self.ran_out() {
            RanOut::OwnLimit => (Some(true), None),
            RanOut::LimitOf(above) => (Some(false), Some(above)),
            RanOut::Machine => (Some(false), None),
            RanOut::SomeLimit | RanOut::Untold => (None, None),
        };
        Fields::default()
            .with("pod", self.kill.name.as_str())
            .with("namespace", self.kill.namespace.as_str())
            .with("uid", self.kill.uid.as_str())
            .with("processes", self.kill.kills)
            .with("atLimit", at_limit)
            .with("limitOf", limit_of)
            .with("threshold", threshold)
    }
}

/// `the kernel's OOM killer killed 1 process of pod a/b: memory ran out …; raise …`
impl fmt::Display for OomKilled {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kill = &self.kill;
        let processes = match kill.kills {
            1 => "1 process".to_owned(),
            count => format!("{count} processes"),
        };
        write!(f, "the kernel's OOM killer killed {processes} ")?;
        match kill.name.as_str() {
            "" => f.write_str("of no pod, or of one that is gone: ")?,
            name => write!(f, "of pod {}: ", full_name(&kill.namespace, name))?,
        }
        match self.ran_out() {
            RanOut::OwnLimit => f.write_str(
                "it reached its own memory limit; no threshold helps, a higher limit does",
            ),
            RanOut::LimitOf(above) => {
                let above = cut(above);
                write!(
                    f,
                    "it reached the limit of {above}, in which it was; raise it, or have evictd \
                     keep below it: --pod-cgroup-root={above}"
                )
            }
            RanOut::SomeLimit => f.write_str(
                "the machine had memory left, so it reached a limit, its own or that of a cgroup \
                 above it; a higher limit helps",
            ),
            RanOut::Untold => {
                let whose = match &kill.limit_above {
                    Some(above) if !kill.at_limit => format!("the limit of {}", cut(above)),
                    _ => String::from("its own limit"),
                };
                write!(
                    f,
                    "memory ran out on the machine, or below a limit ({whose} was reached once): \
                     cgroup v1 does not tell which; in the kernel's log (dmesg | grep oom-kill) \
                     oom_memcg names whose limit it was, and global_oom is the machine"
                )
            }
            RanOut::Machine => match &self.threshold {
                Some(threshold) => write!(
                    f,
                    "memory ran out before an eviction gave it back; raise the threshold \
                     {threshold}"
                ),
                None => f.write_str(
                    "memory ran out, and no threshold of memory.available is set; set one",
                ),
            },
        }
    }
}

/// What was short, that the kernel had to kill.
#[derive(Clone, Copy)]
enum RanOut<'a> {
    OwnLimit,
    /// That of a cgroup above the pod.
    LimitOf(&'a str),
    /// The pod's own, or that of a cgroup above it.
    SomeLimit,
    Machine,
    /// The machine was short, and a limit was reached once.
    Untold,
}
