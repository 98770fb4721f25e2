//! The machine: what it is, and what is kept of evictd beside it.

use evictd_engine::ports::{Job, OomKill};
use evictd_node::{Layout, Mono, Signal};

use super::clock::{seconds, set};
use super::disk::{Things, WorldDisk};
use super::memory::{Memory, Pages};
use super::pod::{self, WorldPod};
use super::runtime::Runtime;
use super::shown::{Asked, Given, Kills, Listed};
use crate::feature::Feature;
use crate::plan::{MOST_PODS, Plan};
use crate::random::Random;
use crate::strike::Strike;
use crate::violation::Violation;

/// The machine.
pub(crate) struct World {
    pub(crate) now: Mono,
    pub(crate) plan: Plan,
    pub(crate) random: Random,
    /// Chaos ends then; after that nothing fails and nothing grows.
    pub(crate) chaos_ends: Mono,
    pub(crate) memory: Memory,
    pub(crate) layout: Layout,
    pub(crate) disks: [WorldDisk; 2],
    pub(crate) things: Things,
    pub(crate) pid_max: u64,
    pub(crate) pods: Vec<WorldPod>,
    pub(crate) runtime: Runtime,
    pub(crate) oom_kills: Vec<OomKill>,
    /// Which pods a controller makes anew, and when.
    pub(super) comes_back: Vec<(Mono, u32, u32)>,
    /// Process ids that stay taken until then.
    pub(super) zombies: Vec<(Mono, u64)>,
    /// What has happened in it, for people to read.
    pub(crate) story: Vec<String>,
    /// Whether that is wanted.
    pub(crate) tells: bool,
    /// Memory was full: the OOM killer struck so often.
    pub(crate) oom_strikes: u64,
    /// What must never happen, and did.
    pub(crate) violations: Vec<Violation>,

    /// Since when evictd runs,
    pub(crate) began: Mono,
    /// when it has heard all that describes pods,
    pub(crate) heard_at: Mono,
    /// what it was shown,
    pub(crate) given: Given,
    /// which pods it has listed, by their indexes,
    pub(crate) listed: Vec<Listed>,
    /// what it has asked for,
    pub(crate) asked: Asked,
    /// whom it is ending,
    pub(crate) in_flight: Option<String>,
    /// when the last one was gone, as it was told,
    pub(crate) last_gone: Option<Mono>,
    /// whom it could not end, and when,
    pub(crate) stuck: Vec<(String, Mono)>,
    /// what else has come of its kills,
    pub(crate) kills: Kills,
    /// and all kills that it has begun and nobody has judged yet.
    pub(crate) strikes: Vec<Strike>,
    /// The most that pods held together since the last eviction for each signal.
    pub(crate) most_held: Vec<(Signal, u64)>,
    /// When this turn of the loop began,
    pub(crate) turn_began: Mono,
    /// and whether it has taken long.
    pub(crate) stalled: bool,
    /// The walk over pods' directories: when it began, and when it is done,
    pub(super) walk: Option<(Mono, Mono)>,
    /// and what it finds.
    pub(super) walked: Vec<(String, pod::Held)>,
    /// File pages that the kernel is asked for.
    pub(super) pages: Pages,
    /// Rungs that are being climbed.
    pub(super) climbing: Vec<(Mono, Job)>,
}

impl World {
    pub(crate) fn new(plan: &Plan, tells: bool) -> Self {
        let Plan { seed, features, .. } = *plan;
        let has = |feature| features.has(feature);
        let mut random = Random::new(seed, 2);
        let chaos_ends = Mono::from_millis(plan.seconds * 1000);
        let memory = Memory::of(seed, features, chaos_ends);
        let layout = match (has(Feature::Split), has(Feature::Dedicated)) {
            (true, _) => Layout::SplitImagefs,
            (false, true) => Layout::DedicatedImagefs,
            (false, false) => Layout::OneFilesystem,
        };
        let disks = [0, 1].map(|index| WorldDisk::of(seed, index, features, chaos_ends));
        let [disk, _] = &disks;
        let things = Things::of(seed, features, disk.capacity);
        let sizes = (memory.total, disk.capacity);
        let count = u32::try_from(random.within(1, u64::from(MOST_PODS))).unwrap_or(1);
        let pods = (0..count).filter(|number| plan.has_pod(*number));
        let pods = pods
            .map(|number| pod::make((seed, number, 0), features, Mono::ZERO, sizes, chaos_ends));
        let mut pods: Vec<WorldPod> = pods.collect();
        for pod in &mut pods {
            pod.described_at = Mono::ZERO;
        }
        set(Mono::ZERO);
        Self {
            now: Mono::ZERO,
            plan: plan.clone(),
            chaos_ends,
            memory,
            layout,
            disks,
            things,
            pid_max: random.pick(&[4096, 32_768, 4_194_304]).unwrap_or(32_768),
            pods,
            runtime: Runtime::of(seed, features, chaos_ends),
            oom_kills: Vec::new(),
            comes_back: Vec::new(),
            zombies: Vec::new(),
            story: Vec::new(),
            tells,
            oom_strikes: 0,
            violations: Vec::new(),
            began: Mono::ZERO,
            heard_at: Mono::ZERO,
            given: Given::default(),
            listed: Vec::new(),
            asked: Asked::default(),
            in_flight: None,
            last_gone: None,
            stuck: Vec::new(),
            kills: Kills::default(),
            strikes: Vec::new(),
            most_held: Vec::new(),
            turn_began: Mono::ZERO,
            stalled: false,
            walk: None,
            walked: Vec::new(),
            pages: Pages::default(),
            climbing: Vec::new(),
            random,
        }
    }

    /// Whether that feature is on and chaos goes on.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.plan.features.has(feature) && !self.is_calm()
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.now >= self.chaos_ends
    }

    pub(crate) fn tell(&mut self, what: impl FnOnce() -> String) {
        if self.tells {
            let line = format!("{:>12.3} world  {}", seconds(self.now), what());
            self.story.push(line);
        }
    }

    pub(crate) fn pids_used(&self) -> u64 {
        let pods = self.pods.iter().filter(|pod| pod.runs());
        let pods: u64 = pods.map(|pod| pod.held.pids).sum();
        let dead: u64 = self.zombies.iter().map(|(_, pids)| pids).sum();
        200 + pods + dead
    }

    pub(crate) fn index_of(&self, uid: &str) -> Option<usize> {
        self.pods.iter().position(|pod| pod.uid == uid)
    }
}
