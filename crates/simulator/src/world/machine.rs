//! The machine: what it is, and what is kept of evictd beside it.

use evictd_engine::ports::{Job, OomKill};
use evictd_node::{Layout, Mono, Signal};

use super::clock::{begin, seconds};
use super::clocks::Clocks;
use super::describing::Describing;
use super::disk::{Things, WorldDisk};
use super::ebb::Ebb;
use super::memory::{Memory, Pages};
use super::pod::{self, WorldPod};
use super::reliever::Reliever;
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
    pub(super) seed: u64,
    pub(crate) things: Things,
    /// What comes and goes.
    pub(super) ebb: Ebb,
    pub(crate) pid_max: u64,
    pub(crate) pods: Vec<WorldPod>,
    pub(crate) runtime: Runtime,
    pub(crate) describing: Describing,
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
    /// Relief steps that are being taken.
    pub(super) climbing: Vec<(Mono, Job)>,
    /// Memory relief.
    pub(crate) reliever: Reliever,
    pub(crate) clocks: Clocks,
    /// What an operator changes.
    pub(super) updates: Random,
    /// How often that was.
    pub(crate) updated: u64,
}

impl World {
    /// Rolls the dice: `true` with a probability of one in `times`, and only where that feature is
    /// on. The dice depend on the seed and the time alone, so a build that reads less often meets
    /// the same world. `which` tells several things of one feature apart.
    pub(crate) fn now_and_then(&self, feature: Feature, which: usize, times: u64) -> bool {
        self.has(feature) && self.dice(feature, which).one_in(times)
    }

    /// The dice for one thing of that feature, at this time.
    pub(crate) fn dice(&self, feature: Feature, which: usize) -> Random {
        let which = u64::try_from(which).unwrap_or(0);
        let stream = 1_000_000 + (feature as u64) * 1000 + which;
        self.dice_now(stream)
    }

    /// One stream of the dice, at this time.
    pub(super) fn dice_now(&self, stream: u64) -> Random {
        Random::new(self.seed ^ self.now.as_nanos().rotate_left(17), stream)
    }

    pub(crate) fn new(plan: &Plan, tells: bool) -> Self {
        let mut world = Self::without_ebb(plan, tells);
        let disks = world.disks.each_ref();
        let disks = disks.map(|disk| (disk.capacity, disk.inodes));
        let sizes = (world.memory.total, disks, world.pid_max);
        world.ebb = Ebb::of(plan.seed, plan.features, sizes, world.chaos_ends);
        world
    }

    fn without_ebb(plan: &Plan, tells: bool) -> Self {
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
        let pods = first_pods(plan, &mut random, sizes, chaos_ends);
        begin();
        Self {
            now: Mono::ZERO,
            plan: plan.clone(),
            chaos_ends,
            memory,
            layout,
            disks,
            seed,
            things,
            ebb: Ebb::default(),
            pid_max: random.pick(&[4096, 32_768, 4_194_304]).unwrap_or(32_768),
            pods,
            runtime: Runtime::of(seed, features, chaos_ends),
            describing: Describing::of(seed),
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
            reliever: Reliever::of(seed),
            clocks: Clocks::of(seed, features),
            updates: Random::new(seed, 11),
            updated: 0,
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
        200 + pods + dead + self.things.beside.pids
    }

    pub(crate) fn index_of(&self, uid: &str) -> Option<usize> {
        self.pods.iter().position(|pod| pod.uid == uid)
    }
}

/// The pods that are there when evictd begins: described, each.
fn first_pods(
    plan: &Plan,
    random: &mut Random,
    sizes: (u64, u64),
    chaos_ends: Mono,
) -> Vec<WorldPod> {
    let count = u32::try_from(random.within(1, u64::from(MOST_PODS))).unwrap_or(1);
    let numbers = (0..count).filter(|number| plan.has_pod(*number));
    let (seed, features) = (plan.seed, plan.features);
    let pods =
        numbers.map(|number| pod::make((seed, number, 0), features, Mono::ZERO, sizes, chaos_ends));
    pods.map(|pod| WorldPod {
        described_at: Mono::ZERO,
        ..pod
    })
    .collect()
}
