//! What the daemon's loop says to the helper that climbs the ladder of memory.

use evictd_engine::Engine;
use evictd_evict::ladder::{Known, Need};
use evictd_node::Mono;

use super::pods::described;
use super::{Shared, WorldNode, WorldPods, WorldReclaim};
use crate::world::World;
use crate::world::climber::Asked;

/// Says what is to be said after a turn.
pub(crate) fn say(now: Mono, engine: &Engine<WorldNode, WorldPods, WorldReclaim>, world: &Shared) {
    let world = &mut *world.borrow_mut();
    let known = Known {
        thresholds: engine.evict().thresholds(),
        readings: engine.memory(),
        awaits_picture: engine.awaits_picture(),
        ending: engine.ending(),
        holds_any: world.climber.holds_any(),
    };
    let allowed = world.climber.allowed;
    if let Some(said) = world.climber.saying.next(now, allowed, &known) {
        let pods = (said.need != Need::Hard).then(|| asked(world));
        world.hear(said, pods);
    }
}

fn asked(world: &World) -> Vec<Asked> {
    let running = world.pods.iter().filter(|pod| pod.runs());
    let asked = running.map(|pod| {
        let (known, is_described) = described(world, pod);
        Asked {
            uid: pod.uid.clone(),
            known,
            is_described,
        }
    });
    asked.collect()
}
