use super::flag::Takes::{Bool, Value};
use super::flag::{Form, flag};
use crate::Flag;

/// What is measured.
pub(crate) const MEASURING: [Flag; 11] = [
    flag("housekeeping-interval", Value("DURATION"), ("10s", "1s"))
        .help("How often the signals are measured, 100ms at least. Memory is looked at sooner the less \
         is left."),
    flag("node-status-update-frequency", Value("DURATION"), ("10s", "1m"))
        .field("nodeStatusUpdateFrequency", Form::Duration)
        .help("How often the node's conditions and readings are logged with -v2, 100ms at least. \
         Changes are logged at once."),
    flag("kernel-memcg-notification", Bool, ("true", "false"))
        .field("kernelMemcgNotification", Form::Boolean)
        .help("Let the kernel wake evictd when memory gets short: usage thresholds on cgroup v1, pressure \
         and memory.events on v2. Without it memory is looked at by time alone, sooner the less \
         is left."),
    flag("realtime", Bool, ("true", "false"))
        .help("Run the loop at the highest real-time priority, or where that is refused at nice \
         -20, so that a busy machine does not delay it. Walks of directories stay at the lowest."),
    flag("no-sandbox", Bool, ("false", "true"))
        .help("Keep all privileges: for debugging. Without it the daemon gives up at the start every \
         capability and system call that it does not need, and its helpers write and delete \
         below their own directories alone."),
    flag("memory-available-source", Value("SOURCE"), ("kubelet", "meminfo"))
        .help("Where memory.available comes from. kubelet: all memory minus the working set of the root \
         cgroup. meminfo: MemAvailable of /proc/meminfo. min: the smaller of both, and the default \
         with less than 512 MiB or with swap on zram or zswap."),
    flag("no-hugepage-aware", Bool, ("false", "true"))
        .help("Count memory in pools of huge pages as available, as the kubelet did before 1.37."),
    flag("pods-pids-bound", Bool, ("false", "true"))
        .help("Let pids.max of the pods' cgroup bound pid.available too."),
    flag("nodefs-path", Value("DIR"), ("/var/lib/kubelet", "/data"))
        .help("A directory on the filesystem of volumes and logs. While it does not exist, its nearest \
         parent is measured."),
    flag("imagefs-path", Value("DIR"), ("", "/var/lib/containerd"))
        .help("A directory on the filesystem of images; without it the usual places of container \
         runtimes are looked at."),
    flag("containerfs-path", Value("DIR"), ("", "/var/lib/containers"))
        .help("A directory on the filesystem of writable layers, if they do not lie beside the images."),
];
