//! Who holds the memory where no pod is evicted for it, so that the operator knows whom to
//! look at.

use evictd_node::{Mono, Signal};
use evictd_rank::Candidate;

use super::Engine;
use crate::event::Event;
use crate::pace::is_memory;
use crate::ports::{Holder, Node, Pods, Reclaim};

impl<N: Node, P: Pods, R: Reclaim<P>> Engine<N, P, R> {
    /// Tells it once it is found out. Of whoever holds less than half of what is missing
    /// nothing is told: that is not who has it.
    pub(super) fn tell_holder(&mut self, now: Mono) {
        let Some(outside) = self.pods.who_holds() else {
            return;
        };
        let critical = self.with_candidates(|_, _, pods| largest_critical(pods));
        let holders = [Some(outside), critical].into_iter().flatten();
        let largest = holders.max_by_key(|holder| holder.bytes);
        if let Some(holder) = largest.filter(|holder| holder.bytes >= self.missing_memory() / 2) {
            self.telling.tell(now, Event::Holder(holder));
        }
    }

    fn missing_memory(&self) -> u64 {
        let reading = self.sample.readings.get(Signal::MemoryAvailable);
        let of_memory = self.evict.met().filter(|met| is_memory(met.threshold));
        let missing = of_memory.filter_map(|met| {
            let value = met.threshold.value.against(reading?.capacity).value();
            u64::try_from(value.saturating_sub(reading?.available)).ok()
        });
        missing.max().unwrap_or(0)
    }
}

/// Nobody may evict a critical pod, however much it holds.
fn largest_critical(pods: &[Candidate<'_>]) -> Option<Holder> {
    let critical = pods.iter().filter(|pod| pod.pod.is_critical());
    let holders = critical.filter_map(|pod| {
        Some(Holder {
            name: format!("pod {}, which is critical,", pod.pod.metadata.name),
            bytes: pod.usage?.memory_working_set_bytes?,
        })
    });
    holders.max_by_key(|holder| holder.bytes)
}
