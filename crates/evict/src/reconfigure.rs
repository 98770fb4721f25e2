//! Other thresholds for a machine that goes on.

use alloc::vec::Vec;

use evictd_node::Mono;
use evictd_threshold::{Threshold, derive_containerfs};

use crate::observe::Watch;
use crate::set::ThresholdSet;

impl Watch {
    /// Takes other thresholds over. Returns which of the former ones each of them is.
    pub(crate) fn rearrange(&mut self, configured: Vec<Threshold>) -> Vec<Option<usize>> {
        let mut thresholds = configured.clone();
        if let Some(layout) = self.layout {
            derive_containerfs(&mut thresholds, layout);
        }
        let former = |new: &Threshold| self.thresholds.iter().position(|old| is_same(old, new));
        let former: Vec<Option<usize>> = thresholds.iter().map(former).collect();
        let mut first_met = [None; ThresholdSet::CAPACITY];
        let mut unconfirmed = ThresholdSet::default();
        for ((index, former), first) in former.iter().enumerate().zip(&mut first_met) {
            let pressure = thresholds
                .get(index)
                .and_then(|new| self.under_pressure(new));
            match former {
                Some(former) => *first = self.first_met.get(*former).copied().flatten(),
                None if pressure.is_some() => *first = pressure,
                None => unconfirmed.insert(index),
            }
            if former.is_some_and(|former| self.unconfirmed.has(former)) {
                unconfirmed.insert(index);
            }
        }
        for set in [&mut self.due, &mut self.fresh, &mut self.passed] {
            *set = set.rearranged(&former);
        }
        (self.configured, self.thresholds) = (configured, thresholds);
        (self.first_met, self.unconfirmed) = (first_met, unconfirmed);
        former
    }

    /// Since when a hard threshold of the same signal is met, of a hard one.
    fn under_pressure(&self, new: &Threshold) -> Option<Mono> {
        let all = self.thresholds.iter().zip(self.first_met);
        let mut same = all.filter(|(old, _)| old.signal == new.signal);
        same.find_map(|(old, met)| met.filter(|_| old.is_hard() && new.is_hard()))
    }
}

/// Whether both are met by the same readings, after the same time.
fn is_same(one: &Threshold, other: &Threshold) -> bool {
    (one.signal, one.operator, one.grace) == (other.signal, other.operator, other.grace)
        && one.value == other.value
}
