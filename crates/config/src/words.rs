//! Settings that are one word of several.

use core::fmt;

/// How a log line is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Time, level and a sentence.
    #[default]
    Text,
    /// An object in JSON: time, level, event, message, and the event's own fields.
    Json,
}

impl LogFormat {
    pub(crate) const WORDS: [(&'static str, Self); 2] =
        [("text", Self::Text), ("json", Self::Json)];
}

/// Where log lines are written (`--log-target`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogTarget {
    /// Standard error.
    Stderr,
    /// The system's log, by `/dev/log`.
    Syslog,
    /// systemd's journal, by its own protocol.
    Journald,
    /// The kernel's log, `/dev/kmsg`.
    Kmsg,
}

impl LogTarget {
    pub(crate) const WORDS: [(&'static str, Self); 4] = [
        ("stderr", Self::Stderr),
        ("syslog", Self::Syslog),
        ("journald", Self::Journald),
        ("kmsg", Self::Kmsg),
    ];
}

/// Whether relief is tried before a pod is evicted for memory (`--memory-relief`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryRelief {
    /// Where it pays: see [`Resolved::settle_memory_relief`](crate::Resolved::settle_memory_relief).
    #[default]
    Auto,
    /// It is.
    On,
    /// It is not.
    Off,
}

impl MemoryRelief {
    pub(crate) const WORDS: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("on", Self::On), ("off", Self::Off)];
}

/// An init system whose services are pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodsOf {
    /// OpenRC.
    Openrc,
    /// systemd.
    Systemd,
}

impl fmt::Display for PodsOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Openrc => "OpenRC",
            Self::Systemd => "systemd",
        })
    }
}
