use core::time::Duration;

use evictd_node::Policy;

/// Which dead containers stay, as flags say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContainerPolicy {
    /// A container younger than this stays (`--minimum-container-ttl-duration`).
    pub min_age: Duration,
    /// So many dead ones of each name and pod stay, the newest; `None` for all
    /// (`--maximum-dead-containers-per-container`).
    pub max_per_pod_container: Option<u32>,
    /// So many dead ones stay in all; `None` for all
    /// (`--maximum-dead-containers`).
    pub max_containers: Option<u32>,
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
