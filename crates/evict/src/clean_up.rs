//! What a killed pod still holds is awaited before the next goes for the same, also while
//! something else runs short.

use evictd_node::{Mono, Resource};
use evictd_threshold::Threshold;

use crate::stage::{CleanUp, Stage};
use crate::{Evict, Plan};

impl Evict {
    /// A round begins: whether it is over, as what the last pod holds is awaited and nothing
    /// else is short. What an evicted pod leaves on the disk does not delay an eviction for
    /// memory; nor does memory that is short, and that nobody can be evicted for, end the wait.
    pub(crate) fn waits_for_clean_up(&mut self, now: Mono) -> bool {
        let (until, resource) = match (&self.stage, self.beside.take()) {
            (Stage::CleaningUp { until, resource }, _) => (*until, *resource),
            (_, Some(beside)) => (beside.until, Some(beside.resource)),
            (_, None) => return false,
        };
        if now >= until {
            self.watch.settled_at = Some(now);
            return false;
        }
        let all = self.watch.thresholds.iter().enumerate();
        let same = all.filter(|(_, threshold)| is_of(threshold, resource));
        for (index, _) in same {
            self.watch.passed.insert(index);
        }
        if self.config.policy.clean_up_holds_back_all || self.watch.first_to_act().is_none() {
            self.stage = Stage::CleaningUp { until, resource };
            return true;
        }
        self.beside = resource.map(|resource| CleanUp { until, resource });
        false
    }

    /// Where the round for another resource is over, the wait is all that is left.
    pub(crate) fn goes_on_cleaning(&mut self, plan: Plan) -> Plan {
        if plan == Plan::Rest
            && self.stage == Stage::Idle
            && let Some(CleanUp { until, resource }) = self.beside.take()
        {
            let resource = Some(resource);
            self.stage = Stage::CleaningUp { until, resource };
        }
        plan
    }
}

/// Bytes and inodes come back with the same files.
fn is_of(threshold: &Threshold, cleaned: Option<Resource>) -> bool {
    let on_disk = [Resource::EphemeralStorage, Resource::Inodes];
    let resource = threshold.signal.resource();
    let is_same = |cleaned| on_disk.contains(&resource) && on_disk.contains(&cleaned);
    cleaned.is_some_and(|cleaned| resource == cleaned || is_same(cleaned))
}
