//! A kill that has begun, with all that the world knew at that moment: what oracles judge.

use core::time::Duration;

use evictd_engine::ports::Heard;
use evictd_node::{Mono, Resource, Signal};

use crate::world::pod::Held;
use crate::world::shown::Asked;

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
    /// It could not be killed in this round,
    pub(crate) was_tried: bool,
    /// Its runtime has started it again after its eviction, and it is ended again.
    pub(crate) has_returned: bool,
    /// or so long ago.
    pub(crate) stuck: Option<Duration>,
    /// Its usage was shown.
    pub(crate) is_readable: bool,
    pub(crate) priority: i32,
    pub(crate) held: Held,
    /// What was measured of its disk use, and when that began.
    pub(crate) measured: Option<(Mono, Held)>,
    pub(crate) memory_request: i64,
    pub(crate) disk_request: i64,
}

/// A kill that has begun.
#[derive(Clone, Debug)]
pub(crate) struct Strike {
    pub(crate) at: Mono,
    pub(crate) uid: String,
    pub(crate) rivals: Vec<Rival>,
    pub(crate) victim: usize,
    /// So many looks at the node had been made,
    pub(crate) looks: usize,
    /// so many of them in rounds since the start.
    pub(crate) rounds: u64,
    pub(crate) heard: Heard,
    pub(crate) began: Mono,
    pub(crate) is_near_oom: bool,
    pub(crate) in_flight: Option<String>,
    pub(crate) asked: Asked,
    /// What would be given back without harm, of each disk: by each relief step, in their order.
    pub(crate) harmless: [[u64; 3]; 2],
    pub(crate) stalled: bool,
}

impl Rival {
    /// What it asked for of what that signal watches.
    pub(crate) fn request(&self, signal: Signal) -> u64 {
        let request = match signal.resource() {
            Resource::Memory => self.memory_request,
            Resource::EphemeralStorage => self.disk_request,
            Resource::Inodes | Resource::Pids => 0,
        };
        u64::try_from(request).unwrap_or(0)
    }
}
