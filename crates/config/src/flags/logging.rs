use super::flag::Takes::{Bool, Value};
use super::flag::flag;
use crate::Flag;

/// The configuration file, logging and state.
pub(crate) const LOGGING: [Flag; 13] = [
    flag("flags-file", Value("FILE"), ("", "/etc/evictd.conf"))
        .help("A file of these flags, one a line, as --eviction-hard=memory.available<10%: the rest of \
         the line is the value, without quotes. Empty lines and those that begin with # are \
         passed over. What the command line says beats the file."),
    flag("config", Value("FILE"), ("", "/etc/evictd.yaml"))
        .help("A KubeletConfiguration of kubelet.config.k8s.io/v1beta1, YAML or JSON: its fields mean \
         what the flags mean, and flags win. Or an OKD node configuration with \
         kubeletArguments. Fields that evictd has no use for are passed over, unknown ones \
         refused."),
    flag("config-dir", Value("DIR"), ("", "/etc/evictd.conf.d"))
        .help("A directory of further KubeletConfigurations, FILE.conf, each a change to those before \
         it by name and to --config: fields and entries of mappings that it has replace theirs, \
         null takes one away."),
    flag("v", Value("LEVEL"), ("0", "2"))
        .help("How much is logged: 0 decisions and changes; 2 and more conditions and readings too, \
         see --node-status-update-frequency. Also -v2."),
    flag("logging-format", Value("FORMAT"), ("text", "json"))
        .help("How a log line is written. text: time, level and a sentence. json: an object with time, \
         level, event, message and what the event is about. Also --log-format."),
    flag("log-target", Value("TARGET"), ("stderr", "syslog"))
        .help("Where log lines are written. stderr; syslog: /dev/log, as daemon; journald: the journal, \
         with fields such as EVICTD_EVENT; kmsg: the kernel's log, which keeps 10 lines in 5s. What \
         the target does not take is written to stderr."),
    flag("state-dir", Value("DIR"), ("/run/evictd", "/var/lib/evictd"))
        .help("Where conditions, grace periods and the history of evictions are kept over a restart, and \
         shown by admit and history; evictd.sock there answers status, metrics and more. The directory is made, mode 0755, and must belong to \
         evictd alone. An empty text keeps them in memory."),
    flag("metrics-file", Value("FILE"), ("", "/run/node_exporter/evictd.prom"))
        .help("Where the metrics of docs/metrics.md are written each 15s and when a condition changes, \
         for node_exporter's textfile collector: whole, beside it first, for all to read. Its directory \
         must be there, best in memory. It is removed when evictd ends."),
    flag("metrics-listen", Value("ADDRESS"), ("", "127.0.0.1:10255"))
        .help("An address and port of this machine at which /metrics, /metrics/resource and \
         /stats/summary are served over HTTP, for all who can reach it. A process of its own \
         serves them."),
    flag("metrics-listen-anywhere", Bool, ("false", "true"))
        .help("Let --metrics-listen be an address that other machines reach."),
    flag("metrics-socket-group", Value("GROUP"), ("", "telegraf"))
        .help("A group, by name or number, that may read the same, and do nothing else, at \
         metrics.sock in --state-dir."),
    flag("on-event", Value("PROGRAM"), ("", "/etc/evictd/on-event"))
        .help("A program that is run for each event, one at a time, 10s at most: the record of \
         docs/metrics.md on its standard input, its fields as EVICTD_EVENT, EVICTD_POD and so on. It \
         runs beside evictd, with the rights that evictd was started with, and delays no decision; \
         none is run while process ids are short."),
    flag("before-kill", Value("PROGRAM"), ("", "/etc/evictd/before-kill"))
        .help("A program that is run before a pod is evicted for a soft threshold, to take a dump: told of it \
         as --on-event is, with EVICTD_CGROUP. The pod is evicted once it has ended, after 10s at the \
         latest. A hard threshold never waits for it."),
];

/// Flags of old.
pub(crate) const DEPRECATED: [Flag; 3] = [
    flag("experimental-kernel-memcg-notification", Bool, ("", "true"))
        .help("Use --kernel-memcg-notification."),
    flag(
        "low-diskspace-threshold-mb",
        Value("MEBIBYTES"),
        ("", "256"),
    )
    .help("Use --eviction-hard=nodefs.available<256Mi."),
    flag(
        "outofdisk-transition-frequency",
        Value("DURATION"),
        ("", "5m"),
    )
    .help("Use --eviction-pressure-transition-period."),
];
