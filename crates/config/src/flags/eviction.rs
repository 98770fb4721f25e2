use super::flag::Takes::{Bool, List, Value};
use super::flag::{Form, flag};
use crate::Flag;

/// When to evict.
pub(crate) const THRESHOLDS: [Flag; 5] = [
    flag(
        "eviction-hard",
        List("SIGNAL<AMOUNT,..."),
        (
            "memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,\
             imagefs.available<15%,imagefs.inodesFree<5%,memory.stall>40%",
            "memory.available<500Mi,nodefs.available<10%",
        ),
    )
    .field("evictionHard", Form::Pairs('<'))
    .help(
        "Evict at once when less than AMOUNT is available: bytes, inodes or process ids, or a \
         percentage of the capacity. If set, it replaces all defaults; an empty list means no hard \
         thresholds. 0% switches a signal off.",
    ),
    flag(
        "eviction-soft",
        List("SIGNAL<AMOUNT,..."),
        ("", "memory.available<1.5Gi"),
    )
    .field("evictionSoft", Form::Pairs('<'))
    .help(
        "Evict when less than AMOUNT was available for the signal's whole grace period, and let \
         the pod end by itself. Each signal needs --eviction-soft-grace-period.",
    ),
    flag(
        "eviction-soft-grace-period",
        List("SIGNAL=DURATION,..."),
        ("", "memory.available=1m30s"),
    )
    .field("evictionSoftGracePeriod", Form::Pairs('='))
    .help("How long a soft threshold must be met before it evicts."),
    flag(
        "eviction-minimum-reclaim",
        List("SIGNAL=AMOUNT,..."),
        ("", "nodefs.available=500Mi,imagefs.available=2Gi"),
    )
    .field("evictionMinimumReclaim", Form::Pairs('='))
    .help("After a threshold is met, continue until the signal is AMOUNT above it."),
    flag("merge-default-eviction-settings", Bool, ("false", "true"))
        .field("mergeDefaultEvictionSettings", Form::Boolean)
        .help("Keep the defaults of signals that --eviction-hard does not name."),
];

/// Which pods to evict, and how.
pub(crate) const EVICTION: [Flag; 5] = [
    flag(
        "eviction-max-pod-grace-period",
        Value("SECONDS"),
        ("0", "60"),
    )
    .field("evictionMaxPodGracePeriod", Form::Integer)
    .help(
        "The most seconds a soft eviction gives a pod between SIGTERM and SIGKILL. Below 0 \
         the pod's own grace period counts.",
    ),
    flag(
        "eviction-pressure-transition-period",
        Value("DURATION"),
        ("5m0s", "30s"),
    )
    .field("evictionPressureTransitionPeriod", Form::Duration)
    .help("How long a node condition stays after its threshold was last met."),
    flag("apply-oom-score-adj", Bool, ("false", "true")).help(
        "Keep oom_score_adj of every process of the pods at what its pod's QoS class and \
         memory request ask for, so that the kernel's OOM killer takes pods in that order. \
         Lowering needs CAP_SYS_RESOURCE.",
    ),
    flag("compat", Value("WHOSE,DIFFERENCE,..."), ("evictd", "kubelet-1.34")).help(
        "Behave as WHOSE where evictd and the kubelet differ: evictd, kubelet-1.32 to kubelet-1.37, \
         kubelet (1.36, whose recorded answers evictd's tests replay), or kubelet-1.3 (ranks by QoS \
         class). A patch release counts as its minor. Each DIFFERENCE, with WHOSE or alone, is one \
         thing as a kubelet does it: hard-eviction-grace (1s), strict-kubelet-reclaim, \
         static-pods-are-critical, no-hugepage-aware, reclaim-all-images, collect-local-images, \
         keep-build-cache, no-reclaim-before-kill.",
    ),
    flag("dry-run", Bool, ("false", "true")).help(
        "Measure, decide and log, but kill nothing. Each pod that would be evicted is logged with \
         what it would free, until these would free enough; at most 110.",
    ),
];
