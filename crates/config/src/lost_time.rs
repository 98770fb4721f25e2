//! The default threshold of lost time, where the kernel does not count it.

use evictd_node::Signal;
use evictd_threshold::Threshold;

use crate::relief::storm_is_seen;
use crate::thresholds::default_hard;
use crate::{Origin, Resolved, Warning};

impl Resolved {
    /// The hard thresholds that hold on this machine where none are given.
    #[must_use]
    pub fn default_hard(&self) -> Vec<(Signal, &'static str)> {
        let mut defaults = default_hard(self.compat);
        defaults
            .retain(|(signal, _)| *signal != Signal::MemoryStall || !self.lost_time_is_left_out);
        defaults
    }

    /// Takes the default threshold of `memory.stall` away, and says so: for machines whose
    /// kernel does not count lost time. By an estimate nobody is evicted who did not ask for it.
    pub fn leave_lost_time_out(&mut self) {
        let is_meant = |threshold: &Threshold, origin: Origin| {
            threshold.signal == Signal::MemoryStall && origin == Origin::Default
        };
        let thresholds = core::mem::take(&mut self.evict.thresholds);
        let origins = core::mem::take(&mut self.threshold_origins);
        let before = thresholds.len();
        (self.evict.thresholds, self.threshold_origins) = thresholds
            .into_iter()
            .zip(origins)
            .filter(|(threshold, origin)| !is_meant(threshold, *origin))
            .unzip();
        if self.evict.thresholds.len() < before {
            self.lost_time_is_left_out = true;
            self.warnings.push(Warning(
                "the default memory.stall>40% is left out: this kernel does not count the time \
                 that is lost waiting for memory (Linux 4.20, psi=1 on its command line)"
                    .to_owned(),
            ));
            let storm = storm_is_seen(self.memory_relief, &self.evict.thresholds);
            self.warnings.extend(storm);
        }
    }
}
