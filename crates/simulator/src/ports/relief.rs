//! What the daemon's loop says to the helper that relieves memory.

use evictd_engine::Engine;
use evictd_evict::memory_relief::{Known, Need};
use evictd_node::Mono;

use super::pods::described;
use super::{Shared, WorldNode, WorldPods, WorldReclaim};
use crate::world::World;
use crate::world::reliever::Asked;

/// Says what is to be said after a turn.
pub(crate) fn say(now: Mono, engine: &Engine<WorldNode, WorldPods, WorldReclaim>, world: &Shared) {
    let world = &mut *world.borrow_mut();
    let known = Known {
        thresholds: engine.evict().thresholds(),
        readings: engine.memory(),
        awaits_picture: engine.awaits_picture(),
        holds_any: world.reliever.holds_any(),
    };
    let is_on = world.reliever.is_on;
    if let Some(said) = world.reliever.saying.next(now, is_on, &known) {
        let pods = (said.need != Need::Hard).then(|| asked(world));
        world.hear(said, pods);
    }
}

fn asked(world: &World) -> Vec<Asked> {
    let running = world.pods.iter().filter(|pod| pod.runs());
    let asked = running.map(|pod| Asked {
        uid: pod.uid.clone(),
        known: described(world, pod).0,
    });
    asked.collect()
}
