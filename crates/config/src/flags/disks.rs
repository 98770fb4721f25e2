use super::flag::Takes::{List, Value};
use super::flag::flag;
use crate::Flag;

/// What is given back of a disk before a pod is evicted for it.
pub(crate) const DISKS: [Flag; 3] = [
    flag("log-relief", Value("BYTES"), ("16Mi", "64Mi"))
        .help("Before a pod is evicted for a hard threshold of a disk, remove the old part of logs there that have \
         no limit, the largest first, and keep this much of each. 0, the default with --compat=kubelet, leaves \
         logs alone, and the label evictd.log-relief=false those of a container."),
    flag("relief-dir", List("DIRECTORY:keep=BYTES,older-than=AGE"), ("", "/var/cache/builds:keep=2Gi,older-than=7d"))
        .help("Before a pod is evicted for a disk, delete files there that were not written to for AGE, the oldest \
         first, until enough is free or BYTES of the directory are left. Regular files only, and no links are \
         followed. Repeat it for several."),
    flag("reserve-file", Value("BYTES"), ("0", "256Mi"))
        .help("Keep a file of this size in --state-dir while there is space, and delete it at a hard threshold, so that \
         runtimes and logins work on a disk that was full."),
];
