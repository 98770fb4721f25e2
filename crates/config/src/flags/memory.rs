use super::flag::Takes::{Bool, List};
use super::flag::flag;
use crate::Flag;

/// What is done while memory gets short, beside evictions.
pub(crate) const MEMORY: [Flag; 3] = [
    flag("relief", List("RUNG,..."), ("", "reclaim,brake")).help(
        "What is done for memory before a pod is killed for it, while a soft threshold is met or a hard \
         one is near; no kill waits for it. reclaim: the kernel is asked for a hundredth of each pod's \
         memory a second. tell: containers with the label evictd.pressure-signal get that signal. brake: \
         the pod that grows gets no more, for 30 seconds at most. freeze: pods with the label \
         evictd.freezable=true stand still, for a minute at most. brake and freeze need --state-dir.",
    ),
    flag("start-storm", Bool, ("false", "true"))
        .help("Where many pods begin at once and memory stalls, they begin one after the other: while \
         half of the time that a threshold of memory.stall allows is lost, pods that began less than \
         two minutes ago stand still, but for the first by priority; each once, for a minute at most, \
         a critical one never. Once memory does not stall they go on by priority. Needs --state-dir and \
         a threshold of memory.stall."),
    flag("keep-alive", List("SERVICE,..."), ("", "sshd,getty"))
    .help(
        "Services that keep the pages they use, up to 64 MiB each, and ten times the usual share of \
         the processors, so that one can log in; login sessions of systemd with them. sshd and getty \
         stand for their other names too. Pages are kept on cgroup v2 alone. At the end of evictd all \
         is as it was; after kill -9 once it starts again.",
    ),
];
