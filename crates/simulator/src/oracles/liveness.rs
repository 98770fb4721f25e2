//! Once nothing fails any more, what can be helped is helped.

use evictd_evict::Evict;
use evictd_node::Signal;

use crate::feature::Feature;
use crate::world::World;

/// Why pressure that a pod could end has not ended, minutes after the last fault.
pub(super) fn unrelieved(world: &World, evict: &Evict) -> Option<String> {
    // What a dead pod left in memory, or a pod that could not be read, leaves it open whether
    // the last eviction has helped (docs/dev/decisions.md, D0).
    let is_open = world.plan.features.has(Feature::Unreadable) || !world.memory.left.is_empty();
    if is_open {
        return None;
    }
    let memory = world.truth(Signal::MemoryAvailable)?;
    // What somebody took that nobody can be evicted for, no eviction gives back.
    let elsewhere = world.memory_elsewhere();
    if elsewhere > world.memory.elsewhere_at_kill {
        return None;
    }
    let hard = evict.thresholds();
    let mut hard = hard.filter(|of| of.is_hard() && of.signal == Signal::MemoryAvailable);
    let threshold = hard.find(|of| of.is_met(&memory))?;
    let missing = threshold.level(memory.capacity) - memory.available;
    let missing = u64::try_from(missing).unwrap_or(0);
    let helpful = world.pods.iter().find(|pod| {
        let request = pod
            .pod
            .request(evictd_node::pod::Requested::Memory, evict.policy());
        let request = u64::try_from(request.value()).unwrap_or(0);
        let held = pod.held.working_set();
        pod.runs()
            && !pod.is_sacred()
            && !pod.is_refused
            && pod.dies_after.is_some()
            && held > request
            && held >= missing
            && held >= elsewhere
    })?;
    Some(format!(
        "{threshold} is met with {} available, and {} holds {} of which {missing} would do",
        memory.available,
        helpful.uid,
        helpful.held.working_set()
    ))
}
