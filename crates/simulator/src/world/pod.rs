//! The pods of the world: what they are, what they take over time, and how they die.

use core::time::Duration;

use evictd_node::Mono;
use evictd_node::pod::{Container, Medium, Pod, Volume, VolumeSource};

use crate::feature::{Feature, Features};
use crate::random::Random;
use crate::world::amount::MIB;
use crate::world::knobs::Knobs;
use crate::world::limits::{limit_at_first, quantity};

/// What a pod holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) anon: u64,
    /// Page cache that the kernel gives back without being asked.
    pub(crate) inactive: u64,
    /// Page cache that counts as working set; the kernel gives it back when it has to.
    pub(crate) active: u64,
    /// Files in memory. They stay when the pod dies.
    pub(crate) tmpfs: u64,
    pub(crate) swap: u64,
    pub(crate) layer: u64,
    pub(crate) logs: u64,
    pub(crate) volume: u64,
    pub(crate) layer_inodes: u64,
    pub(crate) pids: u64,
}

impl Held {
    pub(crate) const fn working_set(&self) -> u64 {
        self.anon + self.active + self.tmpfs
    }

    pub(crate) const fn memory(&self) -> u64 {
        self.working_set() + self.inactive
    }

    pub(super) fn place(&mut self, of: What) -> &mut u64 {
        match of {
            What::Anon => &mut self.anon,
            What::Inactive => &mut self.inactive,
            What::Active => &mut self.active,
            What::Tmpfs => &mut self.tmpfs,
            What::Layer => &mut self.layer,
            What::Logs => &mut self.logs,
            What::Volume => &mut self.volume,
            What::Inodes => &mut self.layer_inodes,
            What::Pids => &mut self.pids,
        }
    }
}

/// What grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Anon,
    Inactive,
    Active,
    Tmpfs,
    Layer,
    Logs,
    Volume,
    Inodes,
    Pids,
}

/// Something grows, from then until then, by so much a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    pub(crate) what: What,
    pub(crate) from: Mono,
    pub(crate) until: Mono,
    pub(crate) per_second: u64,
}

impl Growth {
    /// How much it comes to between two times.
    pub(crate) fn between(&self, from: Mono, to: Mono) -> u64 {
        let (from, to) = (from.max(self.from), to.min(self.until));
        let nanos = to.since(from).as_nanos();
        let amount = nanos * u128::from(self.per_second) / 1_000_000_000;
        u64::try_from(amount).unwrap_or(u64::MAX)
    }
}

/// How far a pod is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Runs,
    /// It is gone at that time; `None` never.
    Dies(Option<Mono>),
    /// Since then.
    Gone(Mono),
}

/// A pod of the world.
#[derive(Clone, Debug)]
pub(crate) struct WorldPod {
    pub(crate) number: u32,
    /// How often its controller has made it anew.
    pub(crate) incarnation: u32,
    /// Its uid, ever.
    pub(crate) uid: String,
    /// As it is described.
    pub(crate) pod: Pod,
    /// evictd itself, its ancestors, and what the operator protects.
    pub(crate) is_protected: bool,
    /// A controller brings it back.
    pub(crate) is_replaced: bool,
    pub(crate) began: Mono,
    /// Nobody describes it before.
    pub(crate) described_at: Mono,
    pub(crate) held: Held,
    /// Its volume is mounted from elsewhere, and not its own.
    pub(crate) has_mount: bool,
    pub(crate) growths: Vec<Growth>,
    pub(crate) life: Life,
    /// How long after SIGTERM it ends by itself.
    pub(crate) ends_after: Option<Duration>,
    /// How long after SIGKILL it is gone; `None` never.
    pub(crate) dies_after: Option<Duration>,
    /// How long its process ids stay taken after that.
    pub(crate) reaped_after: Duration,
    /// Its kill cannot begin.
    pub(crate) is_refused: bool,
    /// What was measured of its disk use, and when that began.
    pub(crate) measured: Option<(Mono, Held)>,
    /// evictd has begun to end it.
    pub(crate) was_struck: bool,
    /// It was gone then, by an eviction of the evictd that runs.
    pub(crate) evicted_at: Option<Mono>,
    /// An operator has changed then who protects it.
    pub(crate) changed_at: Mono,
    /// What is set of it for a while.
    pub(crate) knobs: Knobs,
}

impl WorldPod {
    pub(crate) fn runs(&self) -> bool {
        !matches!(self.life, Life::Gone(_))
    }

    /// What nobody may evict.
    pub(crate) fn is_sacred(&self) -> bool {
        self.is_protected || self.pod.is_critical()
    }
}

/// A pod of that number, as the seed has it, that begins now on a machine with so much memory and
/// disk.
pub(crate) fn make(
    (seed, number, incarnation): (u64, u32, u32),
    features: Features,
    now: Mono,
    (memory, disk): (u64, u64),
    chaos_ends: Mono,
) -> WorldPod {
    let mut random = Random::new(seed, 1000 + u64::from(number) * 64 + u64::from(incarnation));
    let r = &mut random;
    let has = |feature| features.has(feature);
    let uid = format!("uid-{number}-{incarnation}");
    let mut pod = describe(r, features, (memory, disk));
    limit_at_first(seed, number, features, &mut pod, disk);
    pod.metadata.name = format!("pod-{number}");
    pod.metadata.uid.clone_from(&uid);
    let is_protected = has(Feature::Protected) && (number == 0 || r.one_in(8));
    if is_protected {
        pod.mark_static();
    }
    let mut held = at_first(r, features, (memory, disk));
    // A stream of its own: a world without such pods stays what it is.
    let is_tiny = has(Feature::Tiny) && Random::new(seed, 2000 + u64::from(number)).one_in(3);
    if is_tiny {
        (held.anon, held.active, held.tmpfs) = (64 << 10, 0, 0);
        (held.layer, held.logs, held.volume) = (4096, 0, 0);
    }
    let mut growths = growths(r, features, now, (memory, disk), chaos_ends);
    growths.retain(|_| !is_tiny);
    let millis = Duration::from_millis;
    let dies_after = if has(Feature::Undead) && r.one_in(6) {
        None
    } else if has(Feature::SlowDeath) && r.one_in(3) {
        Some(millis(r.within(1, 15_000)))
    } else {
        Some(millis(r.within(0, 30)))
    };
    let late = has(Feature::LateManifests) && r.one_in(3);
    WorldPod {
        number,
        incarnation,
        uid,
        is_protected,
        is_replaced: has(Feature::Controllers) && r.one_in(2),
        began: now,
        described_at: if late {
            now + millis(r.within(1, 8000))
        } else {
            now
        },
        held,
        has_mount: has(Feature::Mounts) && number % 2 == 1,
        growths,
        life: Life::Runs,
        ends_after: r.one_in(2).then(|| millis(r.within(0, 8000))),
        dies_after,
        reaped_after: millis(if has(Feature::Zombies) && r.one_in(2) {
            r.within(0, 20_000)
        } else {
            0
        }),
        is_refused: has(Feature::Refused) && r.one_in(6),
        measured: None,
        was_struck: false,
        evicted_at: None,
        changed_at: Mono::ZERO,
        knobs: Knobs::of(seed, number, features, memory),
        pod,
    }
}

/// What a pod is, and what it asks for.
fn describe(r: &mut Random, features: Features, (memory, disk): (u64, u64)) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.namespace = "world".into();
    let graces = [None, Some(0), Some(1), Some(5), Some(30)];
    pod.spec.termination_grace_period_seconds = r.pick(&graces).flatten();
    let priorities = [None, Some(0), Some(0), Some(100), Some(1000), Some(-5)];
    pod.spec.priority = r.pick(&priorities).flatten();
    if features.has(Feature::Critical) && r.one_in(5) {
        pod.spec.priority = Some(2_000_000_000 + i32::try_from(r.within(0, 1000)).unwrap_or(0));
    }
    let mut container = Container {
        name: "main".into(),
        ..Container::default()
    };
    let requests = &mut container.resources.requests;
    if r.one_in(2) {
        let request = r.within(1, memory / 4 / MIB) * MIB;
        requests.memory = Some(Box::new(quantity(request)));
    }
    if r.one_in(4) {
        let request = r.within(1, disk / 8 / MIB) * MIB;
        requests.ephemeral_storage = Some(Box::new(quantity(request)));
    }
    pod.spec.containers = vec![container];
    pod.spec.volumes = vec![Volume {
        name: "scratch".into(),
        source: VolumeSource::EmptyDir {
            medium: Medium::Default,
            size_limit: None,
        },
    }];
    pod
}

/// What it holds when it begins.
fn at_first(r: &mut Random, features: Features, (memory, disk): (u64, u64)) -> Held {
    let has = |feature| features.has(feature);
    let mut held = Held {
        anon: r.within(0, memory / 16),
        active: r.within(0, memory / 128),
        pids: r.within(1, 20),
        layer: 4096,
        layer_inodes: 5,
        ..Held::default()
    };
    if has(Feature::Cache) && r.one_in(2) {
        held.inactive = r.within(0, memory / 8);
    }
    if has(Feature::Tmpfs) && r.one_in(3) {
        held.tmpfs = r.within(0, memory / 32);
    }
    if has(Feature::Disks) {
        held.layer = r.within(0, disk / 20);
        held.logs = r.within(0, disk / 50);
        held.volume = r.within(0, disk / 40);
        held.layer_inodes = r.within(5, 3000);
    }
    held
}

/// What a pod takes over time.
fn growths(
    r: &mut Random,
    features: Features,
    now: Mono,
    (memory, disk): (u64, u64),
    chaos_ends: Mono,
) -> Vec<Growth> {
    let has = |feature| features.has(feature);
    let mut all = Vec::new();
    let chaos = u64::try_from(chaos_ends.since(now).as_millis()).unwrap_or(0);
    let mut add = |what: What, r: &mut Random, lasts: u64, per_second: u64| {
        let from = now + Duration::from_millis(r.within(0, chaos));
        let until = (from + Duration::from_millis(lasts)).min(chaos_ends);
        all.push(Growth {
            what,
            from,
            until,
            per_second,
        });
    };
    if has(Feature::Leaks) && r.one_in(3) {
        let per_second = memory / r.within(10, 200);
        add(What::Anon, r, 120_000, per_second);
    }
    if has(Feature::Bursts) && r.one_in(3) {
        // Up to half of the machine, within 0.1 to 2 seconds.
        let (lasts, amount) = (r.within(100, 2000), r.within(memory / 50, memory / 2));
        let what = r
            .pick(&[What::Anon, What::Anon, What::Active])
            .unwrap_or(What::Anon);
        add(what, r, lasts, amount * 1000 / lasts);
    }
    if has(Feature::Cache) && r.one_in(3) {
        add(What::Inactive, r, 60_000, memory / 100);
    }
    if has(Feature::Tmpfs) && r.one_in(4) {
        add(What::Tmpfs, r, 20_000, memory / 100);
    }
    if has(Feature::Disks) && r.one_in(2) {
        let what = r
            .pick(&[What::Layer, What::Logs, What::Volume])
            .unwrap_or(What::Layer);
        let (lasts, amount) = (r.within(1000, 60_000), r.within(disk / 50, disk / 2));
        add(what, r, lasts, amount * 1000 / lasts);
    }
    if has(Feature::Inodes) && r.one_in(3) {
        let per_second = r.within(10, 20_000);
        add(What::Inodes, r, 20_000, per_second);
    }
    if has(Feature::Pids) && r.one_in(3) {
        let per_second = r.within(1, 4000);
        add(What::Pids, r, 10_000, per_second);
    }
    all
}
