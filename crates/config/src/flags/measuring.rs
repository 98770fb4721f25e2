use super::flag::Takes::Value;
use super::flag::flag;
use crate::Flag;

/// What is measured.
pub(crate) const MEASURING: [Flag; 5] = [
    flag("housekeeping-interval", Value("DURATION"), ("10s", "1s")).help(
        "How often the signals are measured, 100ms at least. Memory is looked at sooner the less \
         is left.",
    ),
    flag(
        "memory-available-source",
        Value("SOURCE"),
        ("kubelet", "meminfo"),
    )
    .help(
        "Where memory.available comes from. kubelet: all memory minus the working set of the root \
         cgroup. meminfo: MemAvailable of /proc/meminfo. min: the smaller of both, and the default \
         with less than 512 MiB or with swap on zram or zswap.",
    ),
    flag("nodefs-path", Value("DIR"), ("/var/lib/kubelet", "/data")).help(
        "A directory on the filesystem of volumes and logs. Its nearest existing parent is measured.",
    ),
    flag("imagefs-path", Value("DIR"), ("", "/var/lib/containerd")).help(
        "A directory on the filesystem of images; without it the usual places of container \
         runtimes are looked at.",
    ),
    flag(
        "containerfs-path",
        Value("DIR"),
        ("", "/var/lib/containers"),
    )
    .help(
        "A directory on the filesystem of writable layers, if they do not lie beside the images.",
    ),
];
