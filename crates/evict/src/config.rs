use alloc::vec::Vec;
use core::time::Duration;

use evictd_node::Policy;
use evictd_threshold::Threshold;

/// What the state machine needs to know before it starts.
#[derive(Clone, Debug)]
pub struct Config {
    /// The thresholds as configured; derived ones are added by the machine.
    pub thresholds: Vec<Threshold>,
    /// The switches between evictd and the kubelet.
    pub policy: Policy,
    /// How long a condition is held after it was last observed.
    pub transition_period: Duration,
    /// The most seconds that a soft eviction gives a pod to end by itself.
    pub max_pod_grace_seconds: i64,
    /// Whether the local storage limits of pods are enforced.
    pub local_storage_isolation: bool,
    /// How long to wait for an evicted pod to be cleaned up before going on.
    pub cleanup_wait: Duration,
    /// How long a pod that could not be killed is left alone.
    pub stuck_wait: Duration,
    /// How long after an eviction a pod that keeps to its request is not evicted for the
    /// same signal.
    pub modest_wait: Duration,
}

impl Default for Config {
    /// The kubelet's defaults, without any threshold.
    fn default() -> Self {
        Self {
            thresholds: Vec::new(),
            policy: Policy::default(),
            transition_period: Duration::from_secs(300),
            max_pod_grace_seconds: 0,
            local_storage_isolation: true,
            cleanup_wait: Duration::from_secs(30),
            stuck_wait: Duration::from_secs(30),
            modest_wait: Duration::from_secs(10),
        }
    }
}
