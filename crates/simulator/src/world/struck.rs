//! What the world knows at the moment at which a kill begins.

use evictd_node::pod::{Pod, Requested};
use evictd_node::{Policy, ReliefStep};
use evictd_rank::Candidate;

use super::machine::World;
use super::pod::WorldPod;
use crate::strike::{Rival, Strike};

impl World {
    /// A kill of that pod, which has that place among those that were shown.
    pub(crate) fn strike(&self, uid: &str, (shown, victim): (&[Candidate], usize)) -> Strike {
        let world = self;
        let listed = world.listed.iter().zip(shown);
        let rivals = listed.filter_map(|(of, candidate)| {
            let pod = world.pods.get(of.index)?;
            Some(Rival {
                measured: of.measured,
                ..world.rival(pod, candidate)
            })
        });
        let rungs = [
            ReliefStep::BuildCache,
            ReliefStep::Directories,
            ReliefStep::Reserve,
        ];
        Strike {
            at: world.now,
            uid: uid.to_owned(),
            rivals: rivals.collect(),
            victim,
            looks: world.given.looks.len(),
            rounds: world.given.rounds,
            heard: world.heard(),
            began: world.began,
            is_near_oom: world.is_near_oom(),
            in_flight: world.in_flight.clone(),
            asked: world.asked,
            harmless: [0, 1].map(|disk| rungs.map(|rung| world.rung_holds(rung, disk))),
            stalled: world.stalled,
        }
    }

    fn rival(&self, pod: &WorldPod, shown: &Candidate) -> Rival {
        let world = self;
        let known: &Pod = &shown.pod;
        let policy = Policy::default();
        let request = |what| known.request(what, &policy).value();
        let stuck = world.stuck.iter().rev();
        let mut stuck = stuck.filter(|(uid, _)| *uid == pod.uid);
        Rival {
            uid: pod.uid.clone(),
            runs: pod.runs(),
            is_sacred: pod.is_sacred(),
            is_described: !known.metadata.name.is_empty(),
            looks_sacred: known.is_critical(),
            was_tried: world.kills.tried.contains(&pod.uid),
            has_returned: world.kills.returned.iter().any(|(uid, _)| *uid == pod.uid),
            stuck: stuck.next().map(|(_, at)| world.now.since(*at)),
            is_readable: shown.usage.is_some(),
            priority: known.priority(),
            held: pod.held,
            measured: pod.measured,
            memory_request: request(Requested::Memory),
            disk_request: request(Requested::EphemeralStorage),
        }
    }
}
