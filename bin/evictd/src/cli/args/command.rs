use evictd_config::Takes;
use evictd_node::Signal;

use crate::cli::admit::Whom;

/// A command, with the flags that are its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// No command at all: watch and evict until told to end.
    Daemon,
    /// `evictd status`
    Status {
        /// Ask the daemon how long the stages of its loop take.
        timing: bool,
        /// Print JSON.
        json: bool,
    },
    /// `evictd rank`
    Rank {
        /// The signal to rank for.
        signal: Signal,
        /// Print JSON.
        json: bool,
    },
    /// `evictd admit`
    Admit {
        /// Who asks to start.
        whom: Whom,
        /// Print JSON.
        json: bool,
    },
    /// `evictd history`
    History {
        /// Print JSON.
        json: bool,
    },
    /// `evictd config`
    Config {
        /// Print JSON.
        json: bool,
    },
    /// `evictd oom-score`
    OomScore {
        /// Set the scores.
        apply: bool,
        /// Print JSON.
        json: bool,
    },
    /// `evictd gc containers`
    GcContainers {
        /// Print JSON.
        json: bool,
    },
    /// `evictd gc images`
    GcImages {
        /// Delete all unused images, however much is free.
        all_unused: bool,
        /// Print JSON.
        json: bool,
    },
    /// `evictd selftest`
    Selftest {
        /// Print JSON.
        json: bool,
    },
}

/// A flag of one command.
pub(crate) struct OwnFlag {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    pub(crate) help: &'static str,
}

/// A command, as help tells of it.
pub(crate) struct Description {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) help: &'static str,
    pub(crate) flags: &'static [OwnFlag],
    pub(crate) examples: &'static [&'static str],
}

const JSON: OwnFlag = OwnFlag {
    name: "json",
    takes: Takes::Bool,
    help: "Print JSON for programs instead of text for people.",
};

const TIMING: OwnFlag = OwnFlag {
    name: "timing",
    takes: Takes::Bool,
    help: "Ask the daemon with this --state-dir how long the stages of its loop took: to wake at a \
           deadline, read the node, list pods, decide, act (until SIGKILL is sent), verified_free \
           (from then until the pod is gone). A percentile is rounded up to a power of two.",
};

const APPLY: OwnFlag = OwnFlag {
    name: "apply",
    takes: Takes::Bool,
    help: "Set the scores too, once. The daemon does so with --apply-oom-score-adj.",
};

const ALL_UNUSED: OwnFlag = OwnFlag {
    name: "all-unused",
    takes: Takes::Bool,
    help: "Delete every image that no container uses, however much of the disk is free, as before \
           an eviction for disk pressure.",
};

const SIGNAL: OwnFlag = OwnFlag {
    name: "signal",
    takes: Takes::Value("SIGNAL"),
    help: "The signal that starves in thought. Default: memory.available.",
};

const POD: OwnFlag = OwnFlag {
    name: "pod",
    takes: Takes::Value("FILE"),
    help: "A pod manifest, YAML or JSON, or - for standard input. Of several pods all must be \
           admitted.",
};

const QOS: OwnFlag = OwnFlag {
    name: "qos",
    takes: Takes::Value("CLASS"),
    help: "In place of a manifest, the pod's QoS class: BestEffort, Burstable or Guaranteed. \
           Default: BestEffort.",
};

const PRIORITY: OwnFlag = OwnFlag {
    name: "priority",
    takes: Takes::Value("PRIORITY"),
    help: "In place of a manifest, the pod's priority; from 2000000000 it is critical and always \
           admitted. Default: 0.",
};

/// Every command but the daemon.
pub(crate) static COMMANDS: &[Description] = &[
    Description {
        name: "status",
        summary: "signals, node conditions, and pods in eviction order",
        help: "Measures once and prints each signal against its thresholds, the node conditions \
               that these raise, and the pods in the order in which they would be evicted. \
               Changes nothing.",
        flags: &[TIMING, JSON],
        examples: &[
            "evictd status",
            "evictd status --timing",
            "evictd status --pod-cgroup-root=/system.slice --json",
        ],
    },
    Description {
        name: "rank",
        summary: "the order of eviction for one signal, and why",
        help: "Measures once and prints the pods in the order in which they would be evicted if \
               the signal starved, each with what put it in its place. Changes nothing.",
        flags: &[SIGNAL, JSON],
        examples: &[
            "evictd rank --signal=memory.available",
            "evictd rank --signal nodefs.available --json",
        ],
    },
    Description {
        name: "admit",
        summary: "whether a pod may start now: exit code 0 yes, 1 no",
        help: "Answers as the kubelet's admission does: while a condition holds, only critical \
               pods may start; under memory pressure alone, all but BestEffort pods that do not \
               tolerate it. Answers by what the daemon that runs publishes in --state-dir; \
               without one by a measurement of its own, with the daemon's flags.",
        flags: &[POD, QOS, PRIORITY, JSON],
        examples: &[
            "evictd admit --pod=/etc/kubernetes/manifests/web.yaml",
            "evictd admit --qos=Burstable --priority=1000 --json",
        ],
    },
    Description {
        name: "history",
        summary: "the last 50 evictions: when, why, whom, and what came of it",
        help: "Prints what the daemon keeps in --state-dir, oldest first, whether one runs or \
               not. Changes nothing.",
        flags: &[JSON],
        examples: &["evictd history", "evictd history --json"],
    },
    Description {
        name: "config",
        summary: "check the flags; print what they come to on this machine",
        help: "Checks all flags and prints the settings in force: each threshold in bytes, inodes \
               or process ids of this machine, and where each value came from. Says what is odd. \
               Ends with exit code 2 and one line if a flag is wrong.",
        flags: &[JSON],
        examples: &["evictd config --eviction-hard='memory.available<10%'"],
    },
    Description {
        name: "oom-score",
        summary: "oom_score_adj of the pods' processes, is and should be",
        help: "Prints each process of each pod with its oom_score_adj and the one that the pod's \
               QoS class and memory request ask for, and why. With --apply sets it; lowering \
               needs CAP_SYS_RESOURCE: without it one line says so, the rest is done, and the \
               exit code is 1. Nothing outside the pods is touched. What a process starts \
               inherits its score.",
        flags: &[APPLY, JSON],
        examples: &[
            "evictd oom-score",
            "evictd oom-score --apply --pod-cgroup-root=/system.slice",
        ],
    },
    Description {
        name: "gc containers",
        summary: "remove dead containers and what dead pods left, once",
        help: "At the container runtimes: removes dead containers beyond \
               --maximum-dead-containers-per-container and --maximum-dead-containers, oldest \
               first, and sandboxes that hold nothing. On disk: deletes logs and emptyDir volumes \
               of pods that are gone, oldest first, and of living pods the logs between the first \
               and the newest start of a container; says why for each; only in directories that \
               --pod-logs-dir and --root-dir name, here or in --config. Follows no link and \
               crosses no mount. With --dry-run deletes nothing. Deletes nothing either when it \
               cannot tell which pods there are.",
        flags: &[JSON],
        examples: &[
            "evictd gc containers --pod-logs-dir=/var/log/pods --dry-run",
            "evictd gc containers --pod-logs-dir=/var/log/pods --root-dir=/data",
        ],
    },
    Description {
        name: "gc images",
        summary: "remove images that nothing uses, least recently used first",
        help: "Where the images' filesystem is used above --image-gc-high-threshold, removes images \
               that no container was made from, least recently used first, until it is used below \
               --image-gc-low-threshold; and those unused for longer than --maximum-image-gc-age. \
               Says why for each image that goes and each that stays. With --dry-run removes \
               nothing. Exit code 1 where it was not enough.",
        flags: &[ALL_UNUSED, JSON],
        examples: &[
            "evictd gc images --dry-run",
            "evictd gc images --all-unused --keep-image='registry.example/*'",
        ],
    },
    Description {
        name: "selftest",
        summary: "make pressure in a small cgroup and evict for real (root)",
        help: "On this very node, inside a cgroup of its own that bounds the harm, makes three \
               pods and real memory pressure, evicts, and prints what was detected, killed and \
               freed, and in how many milliseconds. Leaves nothing behind. Needs root.",
        flags: &[JSON],
        examples: &["evictd selftest", "evictd selftest --json"],
    },
];

impl OwnFlag {
    /// A value that would do.
    pub(crate) const fn example(&self) -> &'static str {
        match self.name.as_bytes() {
            b"pod" => "pod.yaml",
            b"qos" => "Burstable",
            b"priority" => "1000",
            _ => "memory.available",
        }
    }
}

impl Description {
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        COMMANDS.iter().find(|command| command.name == name)
    }

    /// Whether the name of a command of several words begins with this.
    pub(crate) fn is_begun_by(words: &str) -> bool {
        let rest = |name: &'static str| name.strip_prefix(words);
        COMMANDS
            .iter()
            .any(|command| rest(command.name).is_some_and(|rest| rest.starts_with(' ')))
    }

    pub(crate) fn flag(&self, name: &str) -> Option<&'static OwnFlag> {
        self.flags.iter().find(|flag| flag.name == name)
    }

    /// The flag with that name of any command.
    pub(crate) fn any_flag(name: &str) -> Option<&'static OwnFlag> {
        COMMANDS.iter().find_map(|command| command.flag(name))
    }
}
