use super::flag::Takes::{List, Value};
use super::flag::flag;
use crate::Flag;

/// What is given back of a disk before a pod is evicted for it.
pub(crate) const DISKS: [Flag; 3] = [
    flag("log-relief", Value("BYTES"), ("16Mi", "64Mi"))
        .help("Before a pod is evicted for a hard threshold of a disk, give up the old part of logs there that \
         nothing bounds, the largest first, and keep so much of each; 0 leaves logs alone, and so does the label \
         evictd.log-relief=false for a container's. What is lost is told. 0 with --compat=kubelet."),
    flag("relief-dir", List("DIRECTORY:keep=BYTES,older-than=AGE"), ("", "/var/cache/builds:keep=2Gi,older-than=7d"))
        .help("Before a pod is evicted for a disk, delete files there that were not written to for so long, the oldest \
         first, until enough is free or so much of the directory is left. Regular files only, and no links are \
         followed. Repeat it for several."),
    flag("reserve-file", Value("BYTES"), ("0", "256Mi"))
        .help("Keep a file of that size in --state-dir while there is room, and give it back at a hard threshold: then \
         runtimes and logins work on a disk that was full."),
];
