use super::flag::Takes::Value;
use super::flag::flag;
use crate::Flag;

/// The configuration file, logging and state.
pub(crate) const LOGGING: [Flag; 11] = [
    flag("flags-file", Value("FILE"), ("", "/etc/evictd.conf"))
        .help("A file of these flags, one a line, as --eviction-hard=memory.available<10%: the rest of \
         the line is the value, without quotes. Empty lines and those that begin with # are \
         passed over. The command line overrides the file."),
    flag("config", Value("FILE"), ("", "/etc/evictd.yaml"))
        .help("A KubeletConfiguration of kubelet.config.k8s.io/v1beta1, YAML or JSON, or an OKD node \
         configuration with kubeletArguments. Flags override its fields. Fields without use here are passed over."),
    flag("config-dir", Value("DIR"), ("", "/etc/evictd.conf.d"))
        .help("A directory of further KubeletConfigurations, *.conf, merged into --config in the order of names: fields and entries of mappings replace earlier ones, null removes one."),
    flag("v", Value("LEVEL"), ("0", "2"))
        .help("How much is logged: 0 decisions and changes; 2 and more conditions and readings too, every \
         10s. Also -v2."),
    flag("logging-format", Value("FORMAT"), ("text", "json"))
        .help("How a log line is written. text: time, level and a sentence. json: an object with time, \
         level, event, message and what the event is about. Also --log-format."),
    flag("log-target", Value("TARGET"), ("stderr", "syslog"))
        .help("Where log lines are written. stderr; syslog: /dev/log, as daemon; journald: the journal, \
         with fields such as EVICTD_EVENT; kmsg: the kernel's log, which keeps 10 lines in 5s. Lines \
         the target rejects go to stderr."),
    flag("state-dir", Value("DIR"), ("/run/evictd", "/var/lib/evictd"))
        .help("Where conditions, grace periods and the history of evictions are kept over a restart; \
         evictd.sock there answers the commands. The directory is made, mode 0755, and must belong to \
         evictd alone. An empty text keeps all in memory."),
    flag("metrics-file", Value("FILE"), ("", "/run/node_exporter/evictd.prom"))
        .help("Where metrics are written each 15s and when a condition changes, for node_exporter's \
         textfile collector. Its directory must exist, best in memory. The file is removed when evictd \
         ends."),
    flag("metrics-listen", Value("ADDRESS"), ("", "127.0.0.1:10255"))
        .help("An address and port of this machine at which a process of its own serves /metrics, \
         /metrics/resource and /stats/summary over HTTP, to everyone who can reach it."),
    flag("on-event", Value("PROGRAM"), ("", "/etc/evictd/on-event"))
        .help("A program that is run for each event, one at a time, for at most 10s, with the rights that \
         evictd was started with: the event as JSON on its standard input, the fields as EVICTD_EVENT, \
         EVICTD_POD and so on. It delays no decision, and is not run while pid.available is under \
         its threshold."),
    flag("before-kill", Value("PROGRAM"), ("", "/etc/evictd/before-kill"))
        .help("A program that is run before a pod is evicted for a soft threshold, to take a dump: like \
         --on-event, with EVICTD_CGROUP. The pod is evicted when it has ended, after at most 10s. A \
         hard threshold never waits for it."),
];
