/// In which order pods are evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    /// Kubernetes since 1.9: usage above request, then priority, then usage
    /// minus request.
    #[default]
    Priority,
    /// Kubernetes before 1.9 and OKD 3: BestEffort, Burstable, Guaranteed, each
    /// by its largest consumers.
    Qos,
}

use crate::KubeletVersion;

/// The switches in which evictd differs from the kubelet, and one kubelet from another.
///
/// [`Policy::default`] is what evictd does, [`Policy::kubelet`] what the newest kubelet
/// does, [`Policy::of`] what one of a certain release does. Every difference is one field,
/// named after the kubelet's side of it: `true` means "as that kubelet". The D-numbers are
/// the rows of the project's decision record; docs/kubelet-differences.md lists them all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a list of independent switches is what it is"
)]
pub struct Policy {
    /// The order of eviction (D3): by priority since 1.9, before by QoS class.
    pub ranking: Ranking,
    /// Seconds between SIGTERM and SIGKILL for a hard threshold (D19): the
    /// kubelet gives 1, evictd kills at once.
    pub hard_grace_seconds: i64,
    /// Hand a negative maximum pod grace on as it is (D20); evictd reads it as
    /// documented: the pod's own grace counts.
    pub negative_max_grace_is_literal: bool,
    /// Node-level reclaim counts as enough only when no threshold at all is met
    /// any more (D30); evictd looks at the signal that triggered it.
    pub reclaim_must_clear_every_signal: bool,
    /// All that can be reclaimed is, before it is measured; evictd measures after
    /// dead containers are gone and leaves the images where that is enough
    /// (acceptance row 118). Nor does it try again in each round what has freed nothing.
    pub reclaim_makes_every_call: bool,
    /// Dead containers and images are all that is given back for a disk; evictd climbs the
    /// other [relief steps](crate::ReliefStep) before a pod is evicted.
    pub relief_ends_with_images: bool,
    /// A pod is killed for memory without asking the kernel for file pages that pods hold
    /// (acceptance row 180); evictd asks first.
    pub kill_comes_before_file_pages: bool,
    /// A failed kill ends the round like a successful one (acceptance row 88);
    /// evictd takes the next candidate.
    pub failed_kill_ends_round: bool,
    /// Rank by inodes minus the ephemeral-storage request in bytes (D4); evictd
    /// subtracts nothing.
    pub inodes_minus_storage_request: bool,
    /// A pod without stats is evicted first (D59); evictd puts it after the pods
    /// known to exceed their requests.
    pub missing_stats_rank_first: bool,
    /// A number that is missing from a pod's stats counts as zero (D59); evictd takes
    /// it as unknown.
    pub missing_usage_is_zero: bool,
    /// Deleted files that a process holds open count for no pod (acceptance row 186);
    /// evictd looks for them under disk pressure.
    pub open_files_are_not_seen: bool,
    /// What is mounted into a container, a volume of its runtime or a directory of the node,
    /// counts for no pod (acceptance row 253); evictd counts it for each that may write there.
    pub mounts_are_not_seen: bool,
    /// A transition period of zero hides the condition even while its threshold
    /// is met (D47).
    pub zero_transition_hides_condition: bool,
    /// With a dedicated imagefs, nodefs pressure reclaims nothing before it
    /// evicts (D7); evictd collects dead containers and their logs.
    pub dedicated_nodefs_reclaims_nothing: bool,
    /// The derived containerfs thresholds count from the second round on;
    /// evictd counts them from the first.
    pub derived_thresholds_lag_a_round: bool,
    /// A pod is evicted as long as a threshold is met, whether or not that is known to
    /// help; evictd's has to hold what is short, and the one before must have given
    /// something back (D0).
    pub evicts_without_evidence: bool,
    /// A pod that was evicted twice within ten minutes may start like any other; evictd
    /// admits it no more until the pressure is over.
    pub returning_pods_are_admitted: bool,
    /// Eviction messages leave local volumes out of a pod's storage use (D57);
    /// evictd adds a sentence that names them.
    pub message_omits_volumes: bool,
    /// A reading taken before the last evicted pod was gone may evict another;
    /// evictd measures again first.
    pub stats_may_predate_last_eviction: bool,
    /// A pod that ends within its grace keeps it whatever is met meanwhile: the
    /// kubelet waits in the kill; evictd kills at once for a hard threshold.
    pub grace_outlasts_hard_threshold: bool,
    /// The wait for a dead pod's clean-up holds back every signal; evictd's only
    /// those of the resource that the pod was evicted for.
    pub clean_up_holds_back_all: bool,
    /// Image collection counts with the sizes that the runtime lists, in which
    /// shared layers count for each image, and looks at the disk once (D39);
    /// evictd measures the filesystem before and after each deletion.
    pub image_gc_counts_listed_sizes: bool,
    /// Image collection looks at bytes only (D40); evictd's starts for inodes too,
    /// at the same percentages.
    pub image_gc_ignores_inodes: bool,
    /// An image that was never used is older than all others and than any maximum
    /// age (D38); evictd counts its age from when it was first detected.
    pub never_used_image_is_oldest: bool,
    /// The maximum age of images applies only once the program itself has run
    /// for longer (D37); evictd keeps the times of images over a restart.
    pub max_image_age_waits_for_uptime: bool,
    /// When an image beyond the maximum age cannot be removed, the run ends
    /// before the disk is looked at; evictd goes on with the others.
    pub failed_image_removal_ends_gc: bool,
    /// The age of a dead container counts from its creation (D41); evictd's from
    /// when it ended, where that is known.
    pub dead_container_age_from_creation: bool,
    /// What the containers request is the sum of the regular ones, or the request of a
    /// single init container, sidecars too, that is larger (until 1.33). Since then sidecars
    /// add up.
    pub sidecars_do_not_add_up: bool,
    /// `spec.resources` counts for nothing: the gate `PodLevelResources` is off, as it was
    /// until 1.33.
    pub pod_resources_are_ignored: bool,
    /// With `spec.resources` the containers' requests of what it cannot name are forgotten,
    /// local storage above all; evictd keeps them.
    pub pod_resources_hide_storage_requests: bool,
    /// A `spec.resources` that names nothing makes a pod BestEffort, whatever its containers
    /// request (until 1.36); evictd's decides nothing, as that of 1.37.
    pub empty_pod_resources_decide_qos: bool,
    /// A sidecar's own limit of local storage is not enforced (until 1.36); evictd's is, as
    /// that of 1.37.
    pub sidecar_storage_limits_are_not_enforced: bool,
    /// An image that is mounted as a volume and otherwise not used is not in use: the gate
    /// `ImageVolume` is off, as it was until 1.34.
    pub image_volumes_are_not_in_use: bool,
    /// When images hold too much, the error says what was wanted and found (until 1.34) and not how
    /// full the disk is.
    pub image_gc_error_tells_amounts_only: bool,
    /// Every pod of `--pod-manifest-path` is a static one, and so critical (D33).
    pub manifest_pods_are_static: bool,
}

impl Policy {
    /// The newest kubelet, bugs included: what `--compat=kubelet` sets.
    #[must_use]
    pub const fn kubelet() -> Self {
        Self::of(KubeletVersion::NEWEST)
    }

    /// The kubelet of that release, bugs included.
    #[must_use]
    pub const fn of(version: KubeletVersion) -> Self {
        let minor = version.minor();
        Self {
            ranking: if minor < 9 {
                Ranking::Qos
            } else {
                Ranking::Priority
            },
            hard_grace_seconds: 1,
            negative_max_grace_is_literal: true,
            reclaim_must_clear_every_signal: true,
            reclaim_makes_every_call: true,
            relief_ends_with_images: true,
            kill_comes_before_file_pages: true,
            failed_kill_ends_round: true,
            inodes_minus_storage_request: true,
            missing_stats_rank_first: true,
            missing_usage_is_zero: true,
            open_files_are_not_seen: true,
            mounts_are_not_seen: true,
            zero_transition_hides_condition: true,
            dedicated_nodefs_reclaims_nothing: true,
            derived_thresholds_lag_a_round: true,
            evicts_without_evidence: true,
            returning_pods_are_admitted: true,
            message_omits_volumes: true,
            stats_may_predate_last_eviction: true,
            grace_outlasts_hard_threshold: true,
            clean_up_holds_back_all: true,
            image_gc_counts_listed_sizes: true,
            image_gc_ignores_inodes: true,
            never_used_image_is_oldest: true,
            max_image_age_waits_for_uptime: true,
            failed_image_removal_ends_gc: true,
            dead_container_age_from_creation: true,
            sidecars_do_not_add_up: minor < 34,
            pod_resources_are_ignored: minor < 34,
            pod_resources_hide_storage_requests: true,
            empty_pod_resources_decide_qos: minor < 37,
            sidecar_storage_limits_are_not_enforced: minor < 37,
            image_volumes_are_not_in_use: minor < 35,
            image_gc_error_tells_amounts_only: minor < 35,
            manifest_pods_are_static: true,
        }
    }
}

/// From what `memory.available` is taken (`--memory-available-source`, decision D43).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemorySource {
    /// The kubelet's formula: `MemTotal` minus the working set of the root
    /// cgroup. On v2 it does not see slab, page tables or zram. Without a
    /// memory controller it is the same as [`MemorySource::Meminfo`].
    #[default]
    Kubelet,
    /// `MemAvailable` of `/proc/meminfo`: the kernel's own guess.
    Meminfo,
    /// The smaller of both.
    Min,
}
