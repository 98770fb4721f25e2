use evictd_evict::Config;
use evictd_node::Policy;

use crate::groups::{
    ContainerRuntimes, Daemon, GarbageCollection, Hooks, Memory, NodeAllocatable, OomScoreAdj,
    Output, Paths, PodSources, Relief,
};
use crate::{Compat, Origin, Setting, Warning};

/// All settings: checked, defaults filled in, nothing asked of the machine yet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Resolved {
    /// Thresholds and conditions, and what else the state machine needs: policy, grace and
    /// transition.
    pub evict: Config,
    /// Where each of [`Config::thresholds`] came from, in the same order.
    pub threshold_origins: Vec<Origin>,
    /// Whose behaviour the policy started from.
    pub compat: Compat,
    /// The default threshold of `memory.stall` was taken away, as the kernel counts no lost time.
    pub lost_time_is_left_out: bool,
    /// Decide and report, but kill and delete nothing.
    pub dry_run: bool,
    /// How the daemon runs.
    pub daemon: Daemon,
    /// Memory: how it is counted, and what is tried before a pod is evicted for it.
    pub memory: Memory,
    /// Where things are on this node.
    pub paths: Paths,
    /// Where pods are found.
    pub pods: PodSources,
    /// The container runtimes.
    pub runtimes: ContainerRuntimes,
    /// What is kept from pods.
    pub node_allocatable: NodeAllocatable,
    /// The pods' `oom_score_adj`.
    pub oom_score_adj: OomScoreAdj,
    /// Which images, containers and volumes are deleted.
    pub gc: GarbageCollection,
    /// What is given back of a disk before a pod is evicted for it.
    pub relief: Relief,
    /// Log and metrics.
    pub output: Output,
    /// The operator's programs.
    pub hooks: Hooks,
    /// The settings as text, apart from the threshold lists, in the order of the
    /// help.
    pub settings: Vec<Setting>,
    /// What is odd, but allowed.
    pub warnings: Vec<Warning>,
}

impl Resolved {
    /// The switches between evictd and the kubelet.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.evict.policy
    }
}
