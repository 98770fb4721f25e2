use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use evictd_node::Policy;
use evictd_quantity::GoDuration;

/// What becomes of a pod. The later ones include the earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It runs, or may run again.
    #[default]
    Stays,
    /// It has ended for good (evicted, failed, succeeded): nothing of it has to
    /// run again (kubelet: `ShouldPodRuntimeBeRemoved`).
    Ended,
    /// It is gone: neither its containers nor its logs are wanted any more
    /// (kubelet: `ShouldPodContentBeRemoved`).
    Gone,
}

/// A pod to which containers, sandboxes and logs belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwningPod<'a> {
    /// Its uid.
    pub uid: &'a str,
    /// What becomes of it.
    pub fate: Fate,
}

/// What a container does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerState {
    /// It runs: it is not looked at.
    Running,
    /// It has ended, or was never started.
    Dead,
    /// The runtime does not know: it is stopped before it is removed.
    Unknown,
}

/// A container in any state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Container<'a> {
    /// Its name within its pod.
    pub name: &'a str,
    /// Which of the pods, as an index. One that is not there stays.
    pub pod: usize,
    /// The id of the sandbox that it is in.
    pub sandbox: Option<&'a str>,
    /// What it does.
    pub state: ContainerState,
    /// When it was made: nanoseconds since 1970.
    pub created_nanos: i64,
    /// When it ended: nanoseconds since 1970; `None` where not known.
    pub finished_nanos: Option<i64>,
    /// How often it was started before in its pod.
    pub attempt: u32,
}

/// A pod's sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sandbox<'a> {
    /// Its id.
    pub id: &'a str,
    /// Which of the pods, as an index. One that is not there stays.
    pub pod: usize,
    /// Whether it is ready.
    pub ready: bool,
    /// When it was made: nanoseconds since 1970.
    pub created_nanos: i64,
    /// How many there were before it in its pod.
    pub attempt: u32,
}

/// Everything that was found. Indexes lead from containers and sandboxes to pods.
#[derive(Clone, Copy, Debug, Default)]
pub struct FoundContainers<'a> {
    /// The pods.
    pub pods: &'a [OwningPod<'a>],
    /// The containers.
    pub containers: &'a [Container<'a>],
    /// The sandboxes; none where the runtime has no such thing.
    pub sandboxes: &'a [Sandbox<'a>],
    /// The names of directories with the logs of pods: `NAMESPACE_NAME_UID`; the
    /// uid is what follows the last `_`.
    pub log_dirs: &'a [&'a str],
}

/// Which dead containers stay, as flags say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContainerPolicy {
    /// A container younger than this stays (`--minimum-container-ttl-duration`).
    pub min_age: GoDuration,
    /// So many dead ones of each name and pod stay, the newest; negative for all
    /// (`--maximum-dead-containers-per-container`).
    pub max_per_pod_container: i64,
    /// So many dead ones stay in all; negative for all
    /// (`--maximum-dead-containers`).
    pub max_containers: i64,
}

impl Default for ContainerPolicy {
    /// The kubelet's: no minimum age, one of each, no limit in all.
    fn default() -> Self {
        Self {
            min_age: GoDuration::ZERO,
            max_per_pod_container: 1,
            max_containers: -1,
        }
    }
}

/// What a collection of containers is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerJob {
    /// The periodic one.
    Periodic,
    /// Before pods are evicted for disk pressure: all containers of pods that
    /// have ended go too.
    DeleteAllUnused,
}

/// How to collect containers.
#[derive(Clone, Copy, Debug)]
pub struct ContainerRun<'a> {
    /// What for.
    pub job: ContainerJob,
    /// What the flags say.
    pub policy: ContainerPolicy,
    /// In what it differs from the kubelet.
    pub switches: &'a Policy,
    /// Whether it is known of every pod what becomes of it. As long as it is not,
    /// containers go by the limits only, and logs stay.
    pub all_pods_known: bool,
    /// When the run begins: nanoseconds since 1970.
    pub now_nanos: i64,
}

/// Something to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContainerDeletion {
    /// What, and which, as an index into what was found.
    pub what: Removable,
    /// Why.
    pub reason: ContainerReason,
}

/// What can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removable {
    /// A container.
    Container {
        /// Which.
        index: usize,
        /// Whether it has to be stopped before: it may run. One that cannot be
        /// stopped stays.
        stop: bool,
    },
    /// A sandbox.
    Sandbox {
        /// Which.
        index: usize,
    },
    /// A directory of logs.
    LogDir {
        /// Which.
        index: usize,
    },
}

/// Why something is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerReason {
    /// The pod is gone.
    PodGone,
    /// The pod has ended, and space is needed before pods have to go.
    PodEnded,
    /// There are newer dead ones of that name in the pod.
    PerContainer {
        /// How many of each name and pod stay.
        stay: i64,
    },
    /// There are more dead ones in all than may stay, and newer ones.
    Total {
        /// How many stay in all.
        stay: i64,
    },
    /// The pod has a newer sandbox; this one does not run and holds no container.
    OldSandbox,
}

impl fmt::Display for ContainerReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PodGone => f.write_str("the pod is gone"),
            Self::PodEnded => f.write_str("the pod has ended, and space is needed"),
            Self::PerContainer { stay } => {
                write!(
                    f,
                    "older than the newest {stay} dead of its name in the pod"
                )
            }
            Self::Total { stay } => write!(f, "older than the newest {stay} dead in all"),
            Self::OldSandbox => f.write_str("not running, empty, and the pod has a newer sandbox"),
        }
    }
}

/// What to remove, in this order: containers, then sandboxes that hold none of
/// those that stay, then log directories of pods that are gone.
///
/// Where a container cannot be removed, the caller leaves the sandbox that it is
/// in: some runtimes remove a sandbox with everything in it.
#[must_use]
pub fn plan_containers(
    found: &FoundContainers<'_>,
    run: &ContainerRun<'_>,
) -> Vec<ContainerDeletion> {
    let mut plan = Plan {
        found,
        run,
        deletions: Vec::new(),
    };
    plan.containers();
    plan.sandboxes();
    plan.log_dirs();
    plan.deletions
}

struct Plan<'a> {
    found: &'a FoundContainers<'a>,
    run: &'a ContainerRun<'a>,
    deletions: Vec<ContainerDeletion>,
}

impl Plan<'_> {
    fn fate(&self, pod: usize) -> Fate {
        self.found.pods.get(pod).map_or(Fate::Stays, |pod| pod.fate)
    }

    /// Why everything dead of a pod goes, if it does.
    fn whole_pod(&self, pod: usize) -> Option<ContainerReason> {
        match (self.fate(pod), self.run.job) {
            (Fate::Gone, _) => Some(ContainerReason::PodGone),
            (Fate::Ended, ContainerJob::DeleteAllUnused) => Some(ContainerReason::PodEnded),
            (Fate::Ended, ContainerJob::Periodic) | (Fate::Stays, _) => None,
        }
    }

    fn containers(&mut self) {
        let mut units = self.units();
        if self.run.all_pods_known {
            units.retain_mut(|unit| {
                let reason = unit.first().and_then(|dead| self.whole_pod(dead.pod));
                reason.is_none_or(|reason| {
                    self.keep_newest(unit, 0, reason);
                    false
                })
            });
        }
        let stay = self.run.policy.max_per_pod_container;
        if let Ok(most) = usize::try_from(stay) {
            for unit in &mut units {
                self.keep_newest(unit, most, ContainerReason::PerContainer { stay });
            }
        }
        let stay = self.run.policy.max_containers;
        if let Ok(most) = usize::try_from(stay) {
            self.limit_total(units, most, ContainerReason::Total { stay });
        }
    }

    /// First an equal share of each, at least one, then the oldest of all.
    fn limit_total(&mut self, mut units: Vec<Vec<Dead>>, most: usize, reason: ContainerReason) {
        let count = |units: &[Vec<Dead>]| units.iter().map(Vec::len).sum::<usize>();
        if count(&units) <= most {
            return;
        }
        let share = most.checked_div(units.len()).unwrap_or(0).max(1);
        for unit in &mut units {
            self.keep_newest(unit, share, reason);
        }
        let mut all: Vec<Dead> = units.into_iter().flatten().collect();
        self.keep_newest(&mut all, most, reason);
    }

    /// The dead containers that are old enough, by pod and name, newest first.
    fn units(&self) -> Vec<Vec<Dead>> {
        let by_creation = self.run.switches.dead_container_age_from_creation;
        let mut all: Vec<(&str, Dead)> = Vec::new();
        for (index, container) in self.found.containers.iter().enumerate() {
            let finished = container.finished_nanos.filter(|_| !by_creation);
            let since = finished.unwrap_or(container.created_nanos);
            let age = self.run.now_nanos.saturating_sub(since);
            let is_running = container.state == ContainerState::Running;
            if is_running || age < self.run.policy.min_age.nanos() {
                continue;
            }
            let dead = Dead {
                index,
                pod: container.pod,
                since,
                attempt: container.attempt,
            };
            all.push((container.name, dead));
        }
        all.sort_by_key(|(name, dead)| (dead.pod, *name));
        let units = all.chunk_by(|(a, first), (b, second)| a == b && first.pod == second.pod);
        let units = units.map(|unit| unit.iter().map(|(_, dead)| *dead).collect());
        units.collect()
    }

    /// Removes all but the newest, the oldest first.
    fn keep_newest(&mut self, dead: &mut Vec<Dead>, most: usize, reason: ContainerReason) {
        dead.sort_by_key(Dead::newest_first);
        let older = dead.split_off(most.min(dead.len()));
        for dead in older.iter().rev() {
            let container = self.found.containers.get(dead.index);
            let stop = container.is_some_and(|one| one.state == ContainerState::Unknown);
            let index = dead.index;
            self.deletions.push(ContainerDeletion {
                what: Removable::Container { index, stop },
                reason,
            });
        }
    }

    /// The sandboxes that hold a container which stays, by id, sorted.
    fn occupied(&self) -> Vec<&str> {
        let mut goes = vec![false; self.found.containers.len()];
        for deletion in &self.deletions {
            if let Removable::Container { index, .. } = deletion.what
                && let Some(goes) = goes.get_mut(index)
            {
                *goes = true;
            }
        }
        let containers = self.found.containers.iter().zip(goes);
        let staying = containers.filter(|(_, goes)| !goes);
        let mut ids: Vec<&str> = staying.filter_map(|(one, _)| one.sandbox).collect();
        ids.sort_unstable();
        ids
    }

    fn sandboxes(&mut self) {
        let occupied = self.occupied();
        let is_empty = |id: &str| occupied.binary_search(&id).is_err();
        let mut planned = Vec::new();
        let sandboxes = self.found.sandboxes.iter().enumerate();
        let mut order: Vec<(usize, &Sandbox<'_>)> = sandboxes.collect();
        order.sort_by_key(|(_, one)| (one.pod, one.created_nanos, one.attempt));
        for pod in order.chunk_by(|(_, a), (_, b)| a.pod == b.pod) {
            for (place, (index, sandbox)) in pod.iter().enumerate() {
                let is_newest = place.saturating_add(1) == pod.len();
                let reason = match self.whole_pod(sandbox.pod) {
                    None if is_newest => continue,
                    reason => reason.unwrap_or(ContainerReason::OldSandbox),
                };
                if !sandbox.ready && is_empty(sandbox.id) {
                    let what = Removable::Sandbox { index: *index };
                    planned.push(ContainerDeletion { what, reason });
                }
            }
        }
        self.deletions.append(&mut planned);
    }

    fn log_dirs(&mut self) {
        if !self.run.all_pods_known {
            return;
        }
        for (index, name) in self.found.log_dirs.iter().enumerate() {
            let uid = name.rsplit_once('_').map_or(*name, |(_, uid)| uid);
            let is_gone = |pod: &OwningPod<'_>| pod.uid == uid && pod.fate == Fate::Gone;
            if self.found.pods.iter().any(is_gone) {
                self.deletions.push(ContainerDeletion {
                    what: Removable::LogDir { index },
                    reason: ContainerReason::PodGone,
                });
            }
        }
    }
}

/// A container that may go.
#[derive(Clone, Copy, Debug)]
struct Dead {
    index: usize,
    pod: usize,
    /// Since when its age counts.
    since: i64,
    attempt: u32,
}

impl Dead {
    fn newest_first(&self) -> (core::cmp::Reverse<(i64, u32)>, usize) {
        (core::cmp::Reverse((self.since, self.attempt)), self.index)
    }
}
