/// Every flag as it was typed: the texts of its occurrences, in order. Empty
/// means that the flag was not given, which differs from given with an empty
/// text.
///
/// Of scalars and booleans the last text counts. Lists are joined by commas, as
/// the kubelet's flags merge. A bare boolean flag has the text `true`. The names
/// are those of the flags, with `_` for `-`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the flag of that name; see FLAGS")]
pub struct Typed {
    pub eviction_hard: Vec<String>,
    pub eviction_soft: Vec<String>,
    pub eviction_soft_grace_period: Vec<String>,
    pub eviction_minimum_reclaim: Vec<String>,
    pub merge_default_eviction_settings: Vec<String>,
    pub eviction_max_pod_grace_period: Vec<String>,
    pub hard_eviction_grace: Vec<String>,
    pub eviction_pressure_transition_period: Vec<String>,
    pub local_storage_capacity_isolation: Vec<String>,
    pub ranking: Vec<String>,
    pub strict_kubelet_reclaim: Vec<String>,
    pub compat: Vec<String>,
    pub dry_run: Vec<String>,
    pub housekeeping_interval: Vec<String>,
    pub node_status_update_frequency: Vec<String>,
    pub kernel_memcg_notification: Vec<String>,
    pub memory_available_source: Vec<String>,
    pub no_hugepage_aware: Vec<String>,
    pub pods_pids_bound: Vec<String>,
    pub nodefs_path: Vec<String>,
    pub imagefs_path: Vec<String>,
    pub containerfs_path: Vec<String>,
    pub pod_manifest_path: Vec<String>,
    pub pod_cgroup_root: Vec<String>,
    pub guaranteed_oom_score_adj: Vec<String>,
    pub apply_oom_score_adj: Vec<String>,
    pub root_dir: Vec<String>,
    pub pod_logs_dir: Vec<String>,
    pub system_reserved: Vec<String>,
    pub kube_reserved: Vec<String>,
    pub enforce_node_allocatable: Vec<String>,
    pub v: Vec<String>,
    pub state_dir: Vec<String>,
    pub experimental_kernel_memcg_notification: Vec<String>,
    pub low_diskspace_threshold_mb: Vec<String>,
    pub outofdisk_transition_frequency: Vec<String>,
}
