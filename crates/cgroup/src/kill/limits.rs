use core::time::Duration;

/// How long a kill may take, apart from the pod's grace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KillLimits {
    /// On cgroup v1, how long a pod that goes on making processes may take to
    /// freeze before these are killed anyway; a process in D state does not freeze.
    pub freeze: Duration,
    /// How long after SIGKILL nobody may end while the pod still has processes,
    /// before it counts as stuck and the caller should take the next candidate
    /// (F20). A thousand processes may take longer than one to end on a busy
    /// machine: as long as they become fewer, they are not stuck.
    pub gone: Duration,
    /// The shorter time, once [`KillInFlight::expect_effect_soon`](evictd_node::kill::KillInFlight::expect_effect_soon) was called, because what the pod was to give
    /// back runs out.
    pub gone_when_short: Duration,
}

impl Default for KillLimits {
    /// 100 ms to freeze, 10 s without anybody ending, 1 s where what it was to give back is short.
    fn default() -> Self {
        Self {
            freeze: Duration::from_millis(100),
            gone: Duration::from_secs(10),
            gone_when_short: Duration::from_secs(1),
        }
    }
}
