use alloc::vec::Vec;
use core::cmp::Reverse;

/// How much more than what is kept may stay: a log is cut at whole blocks of its filesystem,
/// and where a record begins.
pub const LOG_SLACK: u64 = 512 << 10;

/// A container's log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContainerLog {
    /// What it takes of its disk, in bytes.
    pub allocated: u64,
    /// Whether its container has ended.
    pub has_ended: bool,
    /// Why it is left alone, whatever it takes.
    pub stays: Option<Stays>,
}

/// Why a log is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// Its container's label or annotation says so.
    Wished,
    /// Its runtime bounds it.
    Bounded,
    /// It lies on another disk than the one that is short.
    Elsewhere,
}

/// The logs whose old part is given up, one after the other, until that is enough: first
/// those of containers that have ended, then those that give most.
#[derive(Clone, Debug)]
pub struct LogPlan {
    /// The last comes first.
    left: Vec<(usize, u64)>,
    gives: u64,
    missing: Option<u64>,
    is_enough: bool,
}

impl LogPlan {
    /// The plan that keeps so much of each log. It is empty where all of them together do not
    /// give back what is missing: then nothing would be won by it. `others_can_give` is what
    /// will be given back beside them. `None` is missing where all is to be given back.
    #[must_use]
    pub fn new(
        logs: &[ContainerLog],
        keep: u64,
        missing: Option<u64>,
        others_can_give: u64,
    ) -> Self {
        let mut left: Vec<(usize, u64)> = logs
            .iter()
            .enumerate()
            .filter(|(_, log)| log.stays.is_none())
            .map(|(index, log)| (index, gain(log, keep)))
            .filter(|(_, gain)| *gain > 0)
            .collect();
        let has_ended = |index: usize| logs.get(index).is_some_and(|log| log.has_ended);
        left.sort_by_key(|(index, gain)| (has_ended(*index), *gain, Reverse(*index)));
        let sum = |sum: u64, (_, gain): &(usize, u64)| sum.saturating_add(*gain);
        let gives = left.iter().fold(0, sum);
        Self {
            left,
            gives,
            missing,
            is_enough: missing.is_none_or(|it| gives.saturating_add(others_can_give) >= it),
        }
    }

    /// What all of them would give back, in bytes.
    #[must_use]
    pub const fn gives(&self) -> u64 {
        self.gives
    }

    /// Whether that is enough.
    #[must_use]
    pub const fn is_enough(&self) -> bool {
        self.is_enough
    }

    /// The next log, by its place, and what it would give back; `None` when so much was
    /// given back that it is enough, or there is no other.
    pub fn next(&mut self, freed: u64) -> Option<(usize, u64)> {
        if !self.is_enough || self.missing.is_some_and(|missing| freed >= missing) {
            return None;
        }
        self.left.pop()
    }
}

/// What a log gives back at least.
const fn gain(log: &ContainerLog, keep: u64) -> u64 {
    log.allocated.saturating_sub(keep).saturating_sub(LOG_SLACK)
}
