use super::flag::Takes::List;
use super::flag::flag;
use crate::Flag;

/// What is done while memory gets short, beside evictions.
pub(crate) const MEMORY: [Flag; 1] = [flag("keep-alive", List("SERVICE,..."), ("", "sshd,getty"))
    .help(
        "Services that keep the pages they use, up to 64 MiB each, and ten times the usual share of \
         the processors, so that one can log in; login sessions of systemd with them. sshd and getty \
         stand for their other names too. Pages are kept on cgroup v2 alone. At the end of evictd all \
         is as it was; after kill -9 once it starts again.",
    )];
