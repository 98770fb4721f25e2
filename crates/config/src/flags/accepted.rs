use super::flag::Takes::{Bool, List, Value};
use super::flag::{Form, flag};
use crate::Flag;

/// Flags that a kubelet has or had, taken from its command lines and files but not shown by
/// the help. The help of each is the warning that comes with it: what it does here.
pub(crate) const ACCEPTED: [Flag; 11] = [
    flag("maximum-dead-containers", Value("COUNT"), ("-1", "100")).help(
        "evictd keeps at most that many dead containers on the whole node, below 0 any number",
    ),
    flag(
        "maximum-dead-containers-per-container",
        Value("COUNT"),
        ("1", "2"),
    )
    .help("evictd keeps at most that many dead instances of each container, below 0 any number"),
    flag(
        "minimum-container-ttl-duration",
        Value("DURATION"),
        ("0s", "1m"),
    )
    .help("evictd deletes a dead container only when it is that old"),
    flag("local-storage-capacity-isolation", Bool, ("true", "true"))
        .field("localStorageCapacityIsolation", Form::Boolean)
        .help("with false evictd evicts no pod for its emptyDir or ephemeral-storage limits"),
    flag(
        "kube-reserved",
        List("RESOURCE=AMOUNT,..."),
        ("", "memory=256Mi"),
    )
    .field("kubeReserved", Form::Pairs('='))
    .help("evictd adds it to --system-reserved"),
    flag(
        "enforce-node-allocatable",
        List("pods|none"),
        ("pods", "none"),
    )
    .field("enforceNodeAllocatable", Form::List)
    .help(
        "with pods evictd watches the memory of all pods together, with none it does not; \
             it limits no cgroup",
    ),
    flag(
        "low-diskspace-threshold-mb",
        Value("MEBIBYTES"),
        ("", "256"),
    )
    .help(
        "it stands for --eviction-hard=nodefs.available<256Mi, with that many Mi, where \
         --eviction-hard does not name that signal",
    ),
    flag(
        "outofdisk-transition-frequency",
        Value("DURATION"),
        ("", "5m"),
    )
    .help("it stands for --eviction-pressure-transition-period, where that is not given"),
    flag(
        "node-status-update-frequency",
        Value("DURATION"),
        ("10s", "1m"),
    )
    .field("nodeStatusUpdateFrequency", Form::Duration)
    .help("no effect: with -v2 evictd logs conditions and readings every 10s"),
    flag("kernel-memcg-notification", Bool, ("true", "true"))
        .field("kernelMemcgNotification", Form::Boolean)
        .help("no effect: the kernel always wakes evictd when memory runs low"),
    flag(
        "experimental-kernel-memcg-notification",
        Bool,
        ("true", "true"),
    )
    .help("no effect: the kernel always wakes evictd when memory runs low"),
];

/// What developers switch off (docs/dev/flags.md).
pub(crate) const DEBUG: [Flag; 1] = [flag("debug", List("WHAT,..."), ("", "no-sandbox"))
    .help("Switch off what protects evictd: no-sandbox, no-realtime, no-kernel-notices.")];
