//! Where the kernel's own killer is near nobody is waited for (docs/dev/decisions.md, D65).

use core::time::Duration;

use evictd_engine::ports::Heard;
use evictd_evict::Evict;
use evictd_node::{Mono, Signal};

use crate::feature::Feature;
use crate::violation::Violation;
use crate::world::World;

/// What may be looked at once or twice before a pod is chosen.
const ROUNDS: u64 = 5;
const MOMENT: Duration = Duration::from_millis(300);

/// What every container holds anyway (docs/dev/decisions.md, D0).
const TRIFLE: u64 = 1 << 20;

/// Since when, and since which round, a pod could be evicted at the brink.
#[derive(Debug, Default)]
pub(super) struct Brink(Option<(Mono, u64)>);

impl Brink {
    pub(super) fn judge(&mut self, world: &mut World, evict: &Evict, struck_at: Option<Mono>) {
        let could = could_evict(world, evict) && struck_at.is_none_or(|at| at < world.began);
        if !could {
            self.0 = None;
            return;
        }
        let (now, rounds) = (world.now, world.given.rounds);
        let (since, first) = *self.0.get_or_insert((now, rounds));
        if now.since(since) > MOMENT && rounds > first + ROUNDS {
            let text = format!(
                "{:?}: the kernel's killer is near since {since}, and nobody is evicted",
                world.heard()
            );
            let found = Violation::new("waits", now, text);
            world.violations.push(found);
        }
    }
}

/// Whether a hard threshold of memory is met, the kernel's killer is near, those who describe
/// pods were not heard, and one that looks as if it may be evicted holds all that is missing.
fn could_evict(world: &World, evict: &Evict) -> bool {
    let is_open = [
        // The kernel may give back pages instead, a list may lack what would be chosen by it.
        Feature::Pages,
        Feature::Descriptors,
        Feature::Unreadable,
    ];
    let has = |feature: &Feature| world.plan.features.has(*feature);
    let waits = world.heard() != Heard::All && world.is_near_oom();
    if !waits || world.stalled || world.in_flight.is_some() || is_open.iter().any(has) {
        return false;
    }
    let last = world.given.looks.last();
    let memory = last.and_then(|(_, readings)| readings.get(Signal::MemoryAvailable));
    let hard = evict.thresholds();
    let mut hard = hard.filter(|of| of.is_hard() && of.signal == Signal::MemoryAvailable);
    let Some((threshold, memory)) = hard.next().zip(memory) else {
        return false;
    };
    let missing = threshold.value.against(memory.capacity).value() - memory.available;
    let missing = u64::try_from(missing).unwrap_or(0).max(TRIFLE);
    let mut pods = world.pods.iter();
    threshold.is_met(&memory)
        && pods.any(|pod| {
            let looks_sacred = pod.is_protected || world.remembers(&pod.uid);
            pod.runs() && !looks_sacred && !pod.is_refused && pod.held.working_set() >= missing
        })
}
