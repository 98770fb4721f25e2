//! What the node gives back is asked for by what was read lately.

use evictd_engine::ports::Collect;
use evictd_gc::ImageJob;
use evictd_node::{Mono, Signal};

use super::machine::World;
use crate::violation::Violation;

impl World {
    /// Nothing is given up by what was read of disks before the last victim was gone, or before
    /// the loop stood still.
    pub(super) fn judge_asked(&mut self, what: &Collect) {
        let is_for_a_threshold = match what {
            Collect::Containers { all_unused, .. } => *all_unused,
            Collect::Images(job) => *job != ImageJob::Watermark,
            Collect::Step(_) => true,
            Collect::OwnLog { .. } | Collect::Tidy => false,
        };
        // Between two steps it is measured again, and goes by that.
        if !is_for_a_threshold || !self.given.is_round {
            return;
        }
        let Some((_, readings)) = self.given.looks.last() else {
            return;
        };
        let of_disks = Signal::ALL.into_iter();
        let of_disks = of_disks.filter(|signal| signal.filesystem().is_some());
        let sampled = of_disks.filter_map(|signal| readings.get(signal)?.sampled);
        let Some(newest) = sampled.max() else {
            return;
        };
        let since: Option<Mono> = self.last_gone.max(self.given.stood_still_until);
        if let Some(since) = since.filter(|since| newest < *since) {
            let text =
                format!("{what:?} is asked for by what was read at {newest}, before {since}");
            let found = Violation::new("old-reason", self.now, text);
            self.violations.push(found);
        }
    }
}
