//! The machine that is made up: memory by kind, disks, process ids, pods and what they do.
//!
//! It knows nothing of evictd. Time passes in it only by [`World::advance`]; whatever chance
//! it takes comes from the seed.

pub(crate) mod disk;
pub(crate) mod evictd;
pub(crate) mod memory;
pub(crate) mod pod;
pub(crate) mod reading;
mod reclaim;
pub(crate) mod runtime;

use core::cell::Cell;
use core::time::Duration;

use evictd_engine::ports::{Job, OomKill};
use evictd_node::{Layout, Mono, Signal};

use crate::feature::{Feature, Features};
use crate::plan::{MOST_PODS, Plan};
use crate::random::Random;
use crate::strike::Strike;
use crate::violation::Violation;
use disk::{DeadContainer, Things, WorldDisk};
use evictd::{Asked, Given, Listed};
use memory::Memory;
use pod::{Growth, Life, What, WorldPod};
use runtime::Runtime;

pub(crate) const MIB: u64 = 1 << 20;

/// A controller gives up after so many.
const MOST_INCARNATIONS: u32 = 6;

thread_local! {
    static CLOCK: Cell<Mono> = const { Cell::new(Mono::ZERO) };
}

/// The world's clock, as the engine asks for it.
pub(crate) fn clock() -> Mono {
    CLOCK.get()
}

/// The same in seconds, some day of 2026.
pub(crate) fn wall_clock() -> u64 {
    1_790_000_000 + CLOCK.get().as_nanos() / 1_000_000_000
}

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
    comes_back: Vec<(Mono, u32, u32)>,
    /// Process ids that stay taken until then.
    zombies: Vec<(Mono, u64)>,
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
    /// and all kills that it has begun and nobody has judged yet.
    pub(crate) strikes: Vec<Strike>,
    /// The most that pods held together since the last eviction for each signal.
    pub(crate) most_held: Vec<(Signal, u64)>,
    /// A turn took long.
    pub(crate) stalled: bool,
    /// The walk over pods' directories: when it began, and when it is done,
    walk: Option<(Mono, Mono)>,
    /// and what it finds.
    walked: Vec<(String, pod::Held)>,
    /// File pages that are given back then,
    pages: Option<(Mono, u64)>,
    /// and were.
    pages_done: Option<Mono>,
    /// Rungs that are being climbed.
    climbing: Vec<(Mono, Job)>,
}

impl World {
    pub(crate) fn new(plan: &Plan, tells: bool) -> Self {
        let Plan { seed, features, .. } = *plan;
        let has = |feature| features.has(feature);
        let mut random = Random::new(seed, 2);
        let r = &mut random;
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
        let count = u32::try_from(r.within(1, u64::from(MOST_PODS))).unwrap_or(1);
        let pods = (0..count).filter(|number| plan.has_pod(*number));
        let pods = pods
            .map(|number| pod::make((seed, number, 0), features, Mono::ZERO, sizes, chaos_ends));
        let mut pods: Vec<WorldPod> = pods.collect();
        for pod in &mut pods {
            pod.described_at = Mono::ZERO;
        }
        CLOCK.set(Mono::ZERO);
        Self {
            now: Mono::ZERO,
            plan: plan.clone(),
            chaos_ends,
            memory,
            layout,
            disks,
            things,
            pid_max: r.pick(&[4096, 32_768, 4_194_304]).unwrap_or(32_768),
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
            strikes: Vec::new(),
            most_held: Vec::new(),
            stalled: false,
            walk: None,
            walked: Vec::new(),
            pages: None,
            pages_done: None,
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

    /// Time passes.
    pub(crate) fn advance(&mut self, to: Mono) {
        while self.now < to {
            let next = self.next_change().map_or(to, |at| at.min(to)).max(self.now);
            let (from, features) = (self.now, self.plan.features);
            for pod in self.pods.iter_mut().filter(|pod| pod.runs()) {
                let slows = pod.was_struck && matches!(pod.life, Life::Dies(_));
                pod.grow(from, next, slows);
            }
            for disk in &mut self.disks {
                let more = disk.growth.map_or(0, |growth| growth.between(from, next));
                disk.outside = disk.outside.saturating_add(more).min(disk.capacity);
            }
            self.memory.grow(from, next);
            self.now = next;
            CLOCK.set(next);
            self.give_pages();
            self.fit_disks();
            self.fit_memory();
            self.let_die();
            self.bring_back(features);
            if next == from {
                // All that was due has been done at this very moment.
                self.now = self.now + Duration::from_nanos(1);
            }
        }
        CLOCK.set(self.now);
    }

    /// When something happens next that is not growth.
    pub(crate) fn next_change(&self) -> Option<Mono> {
        let dies = self.pods.iter().filter_map(|pod| match pod.life {
            Life::Dies(at) => at,
            Life::Runs | Life::Gone(_) => None,
        });
        let back = self.comes_back.iter().map(|(at, ..)| *at);
        dies.chain(back).min()
    }

    fn let_die(&mut self) {
        for index in 0..self.pods.len() {
            let due = self
                .pods
                .get(index)
                .is_some_and(|pod| matches!(pod.life, Life::Dies(Some(at)) if at <= self.now));
            if due {
                self.end(index);
            }
        }
    }

    /// A pod is gone: what it leaves stays.
    pub(crate) fn end(&mut self, index: usize) {
        let now = self.now;
        let Some(pod) = self.pods.get_mut(index).filter(|pod| pod.runs()) else {
            return;
        };
        pod.life = Life::Gone(now);
        let comes_back = core::mem::take(&mut pod.is_replaced);
        let (uid, held, number) = (pod.uid.clone(), pod.held, pod.number);
        let incarnation = pod.incarnation;
        let reaped = now + pod.reaped_after;
        pod.held = pod::Held::default();
        if held.tmpfs > 0 {
            self.memory.left.push((uid.clone(), held.tmpfs));
        }
        if reaped > now {
            self.zombies.push((reaped, held.pids));
        }
        let has_leftovers = self.plan.features.has(Feature::Leftovers);
        if has_leftovers && held.volume > 0 {
            self.things.leftovers.push((uid.clone(), held.volume));
        }
        if self.runtime.exists {
            self.things.dead.push(DeadContainer {
                uid: uid.clone(),
                is_replaced: comes_back,
                layer: held.layer,
                inodes: held.layer_inodes,
                logs: held.logs,
                died: now,
            });
        }
        if comes_back && incarnation < MOST_INCARNATIONS && !self.is_calm() {
            let after = Duration::from_millis(self.random.within(50, 10_000));
            self.comes_back.push((now + after, number, incarnation + 1));
        }
        self.tell(|| format!("pod {uid} is gone"));
    }

    fn bring_back(&mut self, features: Features) {
        let now = self.now;
        let due: Vec<(Mono, u32, u32)> = self
            .comes_back
            .extract_if(.., |(at, ..)| *at <= now)
            .collect();
        let [disk, _] = &self.disks;
        let sizes = (self.memory.total, disk.capacity);
        for (_, number, incarnation) in due {
            let seed = self.plan.seed;
            let pod = pod::make(
                (seed, number, incarnation),
                features,
                now,
                sizes,
                self.chaos_ends,
            );
            self.tell(|| format!("a controller starts {}", pod.uid));
            self.pods.push(pod);
        }
        self.zombies.retain(|(at, _)| *at > now);
    }

    /// Nobody writes more to a disk than it has.
    fn fit_disks(&mut self) {
        let places = disk::places(self.layout);
        for (index, disk) in self.disks.iter().enumerate() {
            let (used, inodes) = disk::used(index, disk, places, &self.pods, &self.things);
            let (mut over, mut over_inodes) = (
                used.saturating_sub(disk.capacity),
                inodes.saturating_sub(disk.inodes),
            );
            for pod in self.pods.iter_mut().filter(|pod| pod.runs()) {
                let [nodefs, _, containerfs] = places;
                if index == nodefs {
                    take(&mut pod.held.logs, &mut over);
                    take(&mut pod.held.volume, &mut over);
                }
                if index == containerfs {
                    take(&mut pod.held.layer, &mut over);
                    take(&mut pod.held.layer_inodes, &mut over_inodes);
                }
            }
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

    /// The processes of a pod are sent SIGTERM.
    pub(crate) fn ask_to_end(&mut self, uid: &str) {
        let now = self.now;
        let index = self.index_of(uid);
        if let Some(pod) = index.and_then(|index| self.pods.get_mut(index))
            && let (Life::Runs, Some(after)) = (pod.life, pod.ends_after)
        {
            pod.life = Life::Dies(Some(now + after));
        }
    }

    /// They are sent SIGKILL.
    pub(crate) fn kill(&mut self, uid: &str) {
        let now = self.now;
        let index = self.index_of(uid);
        let Some(pod) = index.and_then(|index| self.pods.get_mut(index)) else {
            return;
        };
        if pod.runs() {
            let by_force = pod.dies_after.map(|after| now + after);
            let former = match pod.life {
                Life::Dies(at) => at,
                Life::Runs | Life::Gone(_) => None,
            };
            pod.life = Life::Dies(by_force.into_iter().chain(former).min());
        }
    }

    /// A container runtime has started a pod again that was ended.
    pub(crate) fn start_again(&mut self, uid: &str) {
        let chaos_ends = self.chaos_ends;
        let now = self.now;
        let index = self.index_of(uid);
        if let Some(pod) = index.and_then(|index| self.pods.get_mut(index))
            && !pod.runs()
        {
            pod.life = Life::Runs;
            pod.held.anon = 4 * MIB;
            pod.held.pids = 2;
            pod.growths = vec![Growth {
                what: What::Anon,
                from: now,
                until: chaos_ends,
                per_second: 16 * MIB,
            }];
        }
    }
}

/// Takes as much from one as is over.
fn take(from: &mut u64, over: &mut u64) {
    let taken = (*from).min(*over);
    *from -= taken;
    *over -= taken;
}

/// For people to read only: nothing is decided by it.
pub(crate) fn seconds(at: Mono) -> Seconds {
    Seconds(at)
}

/// A time as seconds with three digits behind the point, made of whole numbers.
pub(crate) struct Seconds(Mono);

impl core::fmt::Display for Seconds {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let millis = self.0.as_nanos() / 1_000_000;
        f.pad_integral(true, "", &format!("{}.{:03}", millis / 1000, millis % 1000))
    }
}
