//! What a killed pod still holds is awaited before the next goes for the same.

use evictd_node::Mono;

use crate::stage::CleanUp;
use crate::{Evict, Plan};

impl Evict {
    /// A round begins: no pod is evicted in it for the resource that the last pod is about to give
    /// back. What an evicted pod leaves on the disk does not delay an eviction for memory.
    pub(crate) fn hold_what_is_cleaned_up(&mut self, now: Mono) {
        if self.clean_up.is_some_and(|clean_up| now >= clean_up.until) {
            self.cleaned_up(now);
        }
        // A limit of a pod's own is nothing that others wait for.
        let acts = self.watch.first_to_act().is_some();
        let holds = |clean_up: &CleanUp| clean_up.resource.is_some() || !acts;
        self.clean_up = self.clean_up.filter(holds);
        if let Some(clean_up) = self.clean_up {
            self.watch
                .skip(|threshold| clean_up.holds(threshold.signal.resource()));
        }
    }

    /// Nothing of the last pod is awaited any more.
    pub(crate) fn cleaned_up(&mut self, now: Mono) -> Plan {
        if self.clean_up.take().is_some() {
            self.watch.settled_at = Some(now);
        }
        Plan::Rest
    }
}
