//! A kill that has begun, with all that the world knew at that moment: what oracles judge.

use core::time::Duration;

use evictd_engine::ports::Heard;
use evictd_node::pod::{Pod, Requested};
use evictd_node::{Mono, Policy, Rung, Signal};
use evictd_rank::Candidate;

use crate::world::World;
use crate::world::evictd::Asked;
use crate::world::pod::Held;

/// A pod that was listed when another was chosen, or itself.
#[derive(Clone, Debug)]
pub(crate) struct Rival {
    pub(crate) uid: String,
    pub(crate) runs: bool,
    /// Nobody may evict it: the world's truth.
    pub(crate) is_sacred: bool,
    /// It was shown as what it is.
    pub(crate) is_described: bool,
    /// As it was shown: nobody knew that it may be evicted.
    pub(crate) looks_sacred: bool,
    /// How long ago it could not be killed.
    pub(crate) stuck: Option<Duration>,
    /// Its usage was shown.
    pub(crate) is_readable: bool,
    pub(crate) priority: i32,
    pub(crate) held: Held,
    /// What was measured of its disk use, and when that began.
    pub(crate) measured: Option<(Mono, Held)>,
    memory_request: i64,
    disk_request: i64,
}

/// A kill that has begun.
#[derive(Clone, Debug)]
pub(crate) struct Strike {
    pub(crate) at: Mono,
    pub(crate) uid: String,
    pub(crate) rivals: Vec<Rival>,
    pub(crate) victim: usize,
    /// So many looks at the node had been made.
    pub(crate) looks: usize,
    pub(crate) heard: Heard,
    pub(crate) began: Mono,
    pub(crate) is_near_oom: bool,
    pub(crate) in_flight: Option<String>,
    pub(crate) asked: Asked,
    /// What would be given back without harm, of each disk: by each rung, in their order.
    pub(crate) harmless: [[u64; 3]; 2],
    pub(crate) stalled: bool,
}

impl Strike {
    pub(crate) fn new(world: &World, uid: &str, (shown, victim): (&[Candidate], usize)) -> Self {
        let listed = world.listed.iter().zip(shown);
        let rivals = listed.filter_map(|(of, candidate)| {
            let pod = world.pods.get(of.index)?;
            Some(Rival {
                measured: of.measured,
                ..Rival::new(world, pod, candidate)
            })
        });
        let rungs = [Rung::BuildCache, Rung::Directories, Rung::Reserve];
        Self {
            at: world.now,
            uid: uid.to_owned(),
            rivals: rivals.collect(),
            victim,
            looks: world.given.looks.len(),
            heard: world.heard(),
            began: world.began,
            is_near_oom: world.is_near_oom(),
            in_flight: world.in_flight.clone(),
            asked: world.asked,
            harmless: [0, 1].map(|disk| rungs.map(|rung| world.rung_holds(rung, disk))),
            stalled: world.stalled,
        }
    }
}

impl Rival {
    fn new(world: &World, pod: &crate::world::pod::WorldPod, shown: &Candidate) -> Self {
        let known: &Pod = &shown.pod;
        let policy = Policy::default();
        let request = |what| known.request(what, &policy).value();
        let stuck = world.stuck.iter().rev();
        let mut stuck = stuck.filter(|(uid, _)| *uid == pod.uid);
        Self {
            uid: pod.uid.clone(),
            runs: pod.runs(),
            is_sacred: pod.is_sacred(),
            is_described: !known.metadata.name.is_empty(),
            looks_sacred: known.is_critical(),
            stuck: stuck.next().map(|(_, at)| world.now.since(*at)),
            is_readable: shown.usage.is_some(),
            priority: known.priority(),
            held: pod.held,
            measured: pod.measured,
            memory_request: request(Requested::Memory),
            disk_request: request(Requested::EphemeralStorage),
        }
    }

    /// What it asked for of what that signal watches.
    pub(crate) fn request(&self, signal: Signal) -> u64 {
        use evictd_node::Resource;
        let request = match signal.resource() {
            Resource::Memory => self.memory_request,
            Resource::EphemeralStorage => self.disk_request,
            Resource::Inodes | Resource::Pids => 0,
        };
        u64::try_from(request).unwrap_or(0)
    }
}
