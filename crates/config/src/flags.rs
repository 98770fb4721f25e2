use crate::Flag;
use crate::flag::Group::{
    self, Collection, Deprecated, Eviction, Logging, Measuring, Pods, Thresholds,
};
use crate::flag::Takes::{self, Bool, List, Value};

/// One row: where it stands, what it takes, what holds without it, an example,
/// and what it does.
const fn flag(
    group: Group,
    name: &'static str,
    takes: Takes,
    (default, example): (&'static str, &'static str),
    help: &'static str,
) -> Flag {
    Flag {
        name,
        takes,
        group,
        default,
        help,
        example,
    }
}

/// Every flag of the daemon, in the order of the help. By these names
/// [`Typed`](crate::Typed) knows them.
pub const FLAGS: [Flag; 51] = [
    flag(
        Thresholds,
        "eviction-hard",
        List("SIGNAL<AMOUNT,..."),
        (
            "memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,\
             imagefs.available<15%,imagefs.inodesFree<5%",
            "memory.available<500Mi,nodefs.available<10%",
        ),
        "Evict at once when less than AMOUNT is available: bytes, inodes or process ids, or a \
         percentage of all there is. Given at all, it replaces every default; an empty list \
         clears them. 0% switches a signal off.",
    ),
    flag(
        Thresholds,
        "eviction-soft",
        List("SIGNAL<AMOUNT,..."),
        ("", "memory.available<1.5Gi"),
        "Evict when less than AMOUNT was available for the signal's whole grace period, and let \
         the pod end by itself. Each signal needs --eviction-soft-grace-period.",
    ),
    flag(
        Thresholds,
        "eviction-soft-grace-period",
        List("SIGNAL=DURATION,..."),
        ("", "memory.available=1m30s"),
        "How long a soft threshold must be met before it evicts.",
    ),
    flag(
        Thresholds,
        "eviction-minimum-reclaim",
        List("SIGNAL=AMOUNT,..."),
        ("", "nodefs.available=500Mi,imagefs.available=2Gi"),
        "Once a threshold was met, go on until that much more than it is available.",
    ),
    flag(
        Thresholds,
        "merge-default-eviction-settings",
        Bool,
        ("false", "true"),
        "Keep the default hard thresholds of the signals that --eviction-hard does not name.",
    ),
    flag(
        Eviction,
        "eviction-max-pod-grace-period",
        Value("SECONDS"),
        ("0", "60"),
        "The most seconds that a soft eviction gives a pod between SIGTERM and SIGKILL. Below 0 \
         the pod's own grace period counts.",
    ),
    flag(
        Eviction,
        "hard-eviction-grace",
        Value("SECONDS"),
        ("0", "1"),
        "The seconds that a hard eviction gives a pod between SIGTERM and SIGKILL; 0 kills at \
         once.",
    ),
    flag(
        Eviction,
        "eviction-pressure-transition-period",
        Value("DURATION"),
        ("5m0s", "30s"),
        "How long a node condition stays after its threshold was last met.",
    ),
    flag(
        Eviction,
        "ranking",
        Value("ORDER"),
        ("priority", "qos"),
        "The order of eviction. priority: above its request, then lowest priority, then most \
         above its request. qos: BestEffort, Burstable, Guaranteed, as before Kubernetes 1.9.",
    ),
    flag(
        Eviction,
        "local-storage-capacity-isolation",
        Bool,
        ("true", "false"),
        "Evict pods that exceed their emptyDir or ephemeral-storage limits.",
    ),
    flag(
        Eviction,
        "strict-kubelet-reclaim",
        Bool,
        ("false", "true"),
        "After collecting images and dead containers, evict unless every threshold is clear, as \
         the kubelet does; without it, unless the threshold that was met is clear.",
    ),
    flag(
        Eviction,
        "guaranteed-oom-score-adj",
        Value("SCORE"),
        ("-997", "-998"),
        "oom_score_adj of Guaranteed pods, -999 to -1. Burstable pods start 1000 above it. \
         Set by --apply-oom-score-adj and by evictd oom-score --apply.",
    ),
    flag(
        Eviction,
        "apply-oom-score-adj",
        Bool,
        ("false", "true"),
        "Keep oom_score_adj of every process of the pods at what its pod's QoS class and \
         memory request ask for, so that the kernel's OOM killer takes pods in that order. \
         Lowering needs CAP_SYS_RESOURCE.",
    ),
    flag(
        Eviction,
        "compat",
        Value("WHOSE"),
        ("evictd", "kubelet"),
        "Where evictd and Kubernetes v1.32.10 differ, behave as: evictd or kubelet. A flag for a \
         single difference beats it.",
    ),
    flag(
        Eviction,
        "dry-run",
        Bool,
        ("false", "true"),
        "Measure, decide and log, but kill nothing.",
    ),
    flag(
        Measuring,
        "housekeeping-interval",
        Value("DURATION"),
        ("10s", "1s"),
        "How often the signals are measured, 100ms at least. Memory is looked at sooner the less \
         is left.",
    ),
    flag(
        Measuring,
        "node-status-update-frequency",
        Value("DURATION"),
        ("10s", "1m"),
        "How often the node's conditions and readings are logged with -v2, 100ms at least. \
         Changes are logged at once.",
    ),
    flag(
        Measuring,
        "kernel-memcg-notification",
        Bool,
        ("true", "false"),
        "Let the kernel wake evictd when memory gets short: usage thresholds on cgroup v1, pressure \
         and memory.events on v2. Without it memory is looked at by time alone, sooner the less \
         is left.",
    ),
    flag(
        Measuring,
        "realtime",
        Bool,
        ("true", "false"),
        "Run the loop at a low real-time priority, or where that is refused at nice -20, so \
         that a busy machine does not delay it. Walks of directories stay at the lowest.",
    ),
    flag(
        Measuring,
        "memory-available-source",
        Value("SOURCE"),
        ("kubelet", "meminfo"),
        "Where memory.available comes from. kubelet: all memory minus the working set of the root \
         cgroup. meminfo: MemAvailable of /proc/meminfo. min: the smaller of both.",
    ),
    flag(
        Measuring,
        "no-hugepage-aware",
        Bool,
        ("false", "true"),
        "Count memory in pools of huge pages as available, as the kubelet did before 1.37.",
    ),
    flag(
        Measuring,
        "pods-pids-bound",
        Bool,
        ("false", "true"),
        "Let pids.max of the pods' cgroup bound pid.available too.",
    ),
    flag(
        Measuring,
        "nodefs-path",
        Value("DIR"),
        ("/var/lib/kubelet", "/data"),
        "A directory on the filesystem of volumes and logs. While it does not exist, its nearest \
         parent is measured.",
    ),
    flag(
        Measuring,
        "imagefs-path",
        Value("DIR"),
        ("", "/var/lib/containerd"),
        "A directory on the filesystem of images; without it the usual places of container \
         runtimes are looked at.",
    ),
    flag(
        Measuring,
        "containerfs-path",
        Value("DIR"),
        ("", "/var/lib/containers"),
        "A directory on the filesystem of writable layers, if they do not lie beside the images.",
    ),
    flag(
        Pods,
        "pod-manifest-path",
        Value("DIR"),
        ("", "/etc/kubernetes/manifests"),
        "A directory of pod manifests, YAML or JSON: requests, limits and priorities.",
    ),
    flag(
        Pods,
        "pod-cgroup-root",
        Value("CGROUP"),
        ("", "/system.slice"),
        "A cgroup whose children are pods. Repeat it for several. The kubepods tree always \
         counts; nothing else is ever evicted.",
    ),
    flag(
        Pods,
        "root-dir",
        Value("DIR"),
        ("/var/lib/kubelet", "/var/lib/kubelet"),
        "Where the pods' directories lie: emptyDir volumes are in \
         DIR/pods/UID/volumes/kubernetes.io~empty-dir. Only when given, those of pods that \
         are gone may be deleted to free disk space.",
    ),
    flag(
        Pods,
        "pod-logs-dir",
        Value("DIR"),
        ("/var/log/pods", "/var/log/pods"),
        "Where the pods' logs lie, as DIR/NAMESPACE_NAME_UID/CONTAINER/N.log. Only when given, \
         logs of pods that are gone, and those of living pods between the first and the newest \
         start of a container, may be deleted to free disk space.",
    ),
    flag(
        Pods,
        "system-reserved",
        List("RESOURCE=AMOUNT,..."),
        ("", "memory=1.5Gi,cpu=200m"),
        "What is kept for the system's daemons: cpu in cores, memory and ephemeral-storage in \
         bytes, pid. It should include the memory threshold. Checked and shown by config; \
         nothing is kept back yet.",
    ),
    flag(
        Pods,
        "kube-reserved",
        List("RESOURCE=AMOUNT,..."),
        ("", "memory=256Mi"),
        "What is kept for the daemons that run pods. Checked and shown by config; nothing is \
         kept back yet.",
    ),
    flag(
        Pods,
        "enforce-node-allocatable",
        List("pods|none"),
        ("pods", "none"),
        "pods: watch the memory limit of the pods' cgroup too, with the hard memory threshold \
         (allocatableMemory.available).",
    ),
    flag(
        Collection,
        "container-runtime-endpoint",
        List("ENDPOINT,..."),
        ("", "unix:///run/containerd/containerd.sock"),
        "The sockets of the container runtimes: containerd, CRI-O, Docker, Podman or \
         balenaEngine. Without it the usual places are looked at; an empty text asks no \
         runtime.",
    ),
    flag(
        Collection,
        "image-gc-high-threshold",
        Value("PERCENT"),
        ("85", "90"),
        "From how much use of the images' filesystem on, in percent, unused images are \
         deleted. 100 deletes none for its sake.",
    ),
    flag(
        Collection,
        "image-gc-low-threshold",
        Value("PERCENT"),
        ("80", "70"),
        "Down to how much use, in percent, images are deleted then, least recently used first. \
         Less than --image-gc-high-threshold.",
    ),
    flag(
        Collection,
        "minimum-image-ttl-duration",
        Value("DURATION"),
        ("2m0s", "1h"),
        "How old an image must be to be deleted.",
    ),
    flag(
        Collection,
        "maximum-image-gc-age",
        Value("DURATION"),
        ("0s", "168h"),
        "How long an image may lie unused before it is deleted, however much space there is. \
         More than --minimum-image-ttl-duration; 0s is for ever.",
    ),
    flag(
        Collection,
        "eviction-image-reclaim",
        Value("HOW"),
        ("all", "until-clear"),
        "Which unused images go when the filesystem is under pressure. all: every one, as with \
         the kubelet. until-clear: one after the other until the signal is clear.",
    ),
    flag(
        Collection,
        "keep-image",
        Value("PATTERN"),
        ("", "docker.io/library/*"),
        "Never delete an image with such a name; * stands for any part of it. Repeat it for \
         several.",
    ),
    flag(
        Collection,
        "keep-local-images",
        Bool,
        ("false", "true"),
        "Never delete an image that no registry gave a digest: it could not be fetched again. \
         For nodes that are offline.",
    ),
    flag(
        Collection,
        "maximum-dead-containers",
        Value("COUNT"),
        ("-1", "100"),
        "How many dead containers are kept on the whole node; below 0 any number. Deprecated \
         in the kubelet, where it works too.",
    ),
    flag(
        Collection,
        "maximum-dead-containers-per-container",
        Value("COUNT"),
        ("1", "2"),
        "How many dead instances of each container are kept; below 0 any number. Deprecated in \
         the kubelet, where it works too.",
    ),
    flag(
        Collection,
        "minimum-container-ttl-duration",
        Value("DURATION"),
        ("0s", "1m"),
        "How old a dead container must be to be deleted. Deprecated in the kubelet, where it \
         works too.",
    ),
    flag(
        Logging,
        "config",
        Value("FILE"),
        ("", "/etc/evictd.yaml"),
        "A KubeletConfiguration of kubelet.config.k8s.io/v1beta1, YAML or JSON: its fields mean \
         what the flags mean, and flags win. Or an OKD node configuration with \
         kubeletArguments. Fields that evictd has no use for are passed over, unknown ones \
         refused.",
    ),
    flag(
        Logging,
        "config-dir",
        Value("DIR"),
        ("", "/etc/evictd.conf.d"),
        "A directory of further KubeletConfigurations, FILE.conf, each a change to those before \
         it by name and to --config: fields and entries of mappings that it has replace theirs, \
         null takes one away.",
    ),
    flag(
        Logging,
        "v",
        Value("LEVEL"),
        ("0", "2"),
        "How much is logged: 0 decisions and changes; 2 and more conditions and readings too, \
         see --node-status-update-frequency. Also -v2.",
    ),
    flag(
        Logging,
        "logging-format",
        Value("FORMAT"),
        ("text", "json"),
        "How a log line is written. text: time, level and a sentence. json: an object with time, \
         level, event, message and what the event is about. Also --log-format.",
    ),
    flag(
        Logging,
        "state-dir",
        Value("DIR"),
        ("/run/evictd", "/var/lib/evictd"),
        "Where conditions, grace periods and the history of evictions are kept over a restart, and \
         published to admit and history; evictd.sock there answers status --timing and /metrics. The directory is made, mode 0755, and must belong to \
         evictd alone. An empty text keeps them in memory.",
    ),
    flag(
        Deprecated,
        "experimental-kernel-memcg-notification",
        Bool,
        ("", "true"),
        "Use --kernel-memcg-notification.",
    ),
    flag(
        Deprecated,
        "low-diskspace-threshold-mb",
        Value("MEBIBYTES"),
        ("", "256"),
        "Use --eviction-hard=nodefs.available<256Mi.",
    ),
    flag(
        Deprecated,
        "outofdisk-transition-frequency",
        Value("DURATION"),
        ("", "5m"),
        "Use --eviction-pressure-transition-period.",
    ),
];
