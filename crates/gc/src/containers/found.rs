use core::time::Duration;

use evictd_node::Policy;

/// What becomes of a pod. The later ones include the earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// Nothing would bring back what is deleted of it, so nothing is (decision D0).
    Kept,
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
    /// The runtime does not know: the caller stops it before it removes it; one that
    /// cannot be stopped stays.
    Unknown,
}

impl ContainerState {
    /// Whether it is to be stopped before it is removed.
    #[must_use]
    pub const fn is_stopped_first(self) -> bool {
        matches!(self, Self::Unknown)
    }
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
    pub min_age: Duration,
    /// So many dead ones of each name and pod stay, the newest; `None` for all
    /// (`--maximum-dead-containers-per-container`).
    pub max_per_pod_container: Option<usize>,
    /// So many dead ones stay in all; `None` for all
    /// (`--maximum-dead-containers`).
    pub max_containers: Option<usize>,
}

impl Default for ContainerPolicy {
    /// The kubelet's: no minimum age, one of each, no limit in all.
    fn default() -> Self {
        Self {
            min_age: Duration::ZERO,
            max_per_pod_container: Some(1),
            max_containers: None,
        }
    }
}

/// How to collect containers.
#[derive(Clone, Copy, Debug)]
pub struct ContainerRun<'a> {
    /// Whether all containers of pods that have ended are deleted too, as before pods are
    /// evicted for disk pressure.
    pub all_unused: bool,
    /// What the flags say.
    pub policy: ContainerPolicy,
    /// In what it differs from the kubelet.
    pub switches: &'a Policy,
    /// Whether it is known of every pod what becomes of it. As long as it is not,
    /// containers are deleted by the limits only, and logs stay.
    pub all_pods_known: bool,
    /// When the run begins: nanoseconds since 1970.
    pub now_nanos: i64,
}
