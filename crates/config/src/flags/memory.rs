use super::flag::Takes::{List, Value};
use super::flag::flag;
use crate::Flag;

/// What is done while memory gets short, beside evictions.
pub(crate) const MEMORY: [Flag; 2] = [
    flag("memory-relief", Value("WHEN"), ("auto", "on")).help(
        "What is tried for memory before a pod is evicted for it, while a soft threshold is met or a \
         hard one is near; no eviction waits for it. The kernel is asked for a hundredth of each pod's \
         memory a second, and the pod that grows fastest gets no more, for 30 seconds at most. auto: on \
         where all swap is zram, off elsewhere and with --compat of a kubelet. Needs --state-dir and cgroup v2.",
    ),
    flag("keep-alive", List("SERVICE,..."), ("", "sshd,getty"))
    .help(
        "Services that keep the pages they use, up to 64 MiB each, and ten times the usual share of \
         the processors, so that one can log in; login sessions of systemd with them. sshd and getty \
         stand for their other names too. Pages are kept on cgroup v2 alone. At the end of evictd all \
         is as it was; after kill -9 once it starts again.",
    ),
];
