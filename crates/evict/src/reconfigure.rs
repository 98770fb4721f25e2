//! Other thresholds for a machine that goes on.

use alloc::vec::Vec;

use evictd_node::Mono;
use evictd_threshold::Threshold;

use crate::observe::Watch;
use crate::watched::{Watched, watch};

impl Watch {
    /// Takes other thresholds over. Returns where each of the former ones stands now.
    pub(crate) fn rearrange(&mut self, configured: Vec<Threshold>) -> Vec<Option<usize>> {
        let thresholds = watch(&configured, self.layout, &self.thresholds, |threshold| {
            let pressure = self.under_pressure(&threshold);
            Watched {
                first_met: pressure,
                is_unconfirmed: pressure.is_none(),
                ..Watched::new(threshold)
            }
        });
        let place = |former: &Watched| {
            let mut all = thresholds.iter();
            all.position(|new| new.is_same_as(&former.threshold))
        };
        let places = self.thresholds.iter().map(place).collect();
        (self.configured, self.thresholds) = (configured, thresholds);
        places
    }

    /// Since when a hard threshold of the same signal is met, of a hard one.
    fn under_pressure(&self, new: &Threshold) -> Option<Mono> {
        let all = self.thresholds.iter();
        let mut same = all.filter(|old| old.signal() == new.signal);
        let both_are_hard = |old: &Watched| old.threshold.is_hard() && new.is_hard();
        same.find_map(|old| old.first_met.filter(|_| both_are_hard(old)))
    }
}
