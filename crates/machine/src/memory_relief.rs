//! Memory relief by what the engine knows: how short memory is, and which pods there are.

use alloc::sync::Arc;

use evictd_cgroup::FoundPod;
use evictd_config::Resolved;
use evictd_evict::memory_relief::{Known, Need, need};
use evictd_node::{Mono, Readings};
use evictd_relief::memory::{Reliever, Told};
use evictd_stats::Hierarchies;
use evictd_sys::Directory;
use evictd_threshold::Threshold;

use crate::engine::Engine;
use crate::facts::boot_id;

/// Puts back what a former evictd has left; all else when memory gets short.
#[must_use]
pub fn reliever(
    settings: &Resolved,
    hierarchies: &Hierarchies,
    directory: Option<&Arc<Directory>>,
) -> Reliever {
    Reliever::new(settings, hierarchies, directory, &boot_id())
}

/// Hands over how short memory is, where that matters, and returns what is to be told.
pub fn turn(reliever: &mut Reliever, now: Mono, engine: &mut Engine) -> Vec<Told> {
    let known = Known {
        thresholds: engine.evict().thresholds(),
        readings: engine.memory(),
        awaits_picture: engine.awaits_picture(),
        holds_any: reliever.holds_any(),
    };
    if let Some(said) = reliever.next(now, &known) {
        // While a pod is evicted none is looked for here, and nothing begins.
        let pods = (said.need != Need::Hard).then(|| pods_of(engine));
        reliever.hand_over(said, pods);
    }
    reliever.take_told()
}

/// How short memory is by these readings, whatever the rate: for `evictd explain`.
#[must_use]
pub fn need_now(thresholds: &[Threshold], readings: &Readings) -> Need {
    need(thresholds, readings, 0)
}

/// The pods that there are now.
fn pods_of(engine: &mut Engine) -> Vec<FoundPod> {
    engine.pods_mut().all_pods().listing.pods.to_vec()
}
