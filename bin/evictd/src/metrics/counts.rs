use evictd_engine::{Decision, OomKilled};
use evictd_node::Signal;

/// What is counted of the events, for metrics.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Evictions over restarts.
    pub(crate) in_all: u64,
    /// When the last of them was, over restarts: seconds since 1970.
    pub(crate) last_seconds: Option<u64>,
    /// Evictions since the start, by what the kubelet calls their signal.
    pub(crate) evictions: Vec<(&'static str, u64)>,
    /// Kills of pods by the kernel since the start.
    pub(crate) oom_kills: u64,
}

/// What the kubelet calls the limits of a pod's own (K: `eviction_manager.go`,
/// `signalEmptyDirFsLimit` and the like), by their cause.
const LIMITS: [(&str, &str); 3] = [
    ("emptyDirLimit", "emptydirfs.limit"),
    ("podLimit", "ephemeralpodfs.limit"),
    ("containerLimit", "ephemeralcontainerfs.limit"),
];

impl Counts {
    /// How often each signal led to an eviction, those that never did too.
    pub(super) fn by_signal(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let limits = LIMITS.map(|(_, limit)| limit);
        let all = Signal::ALL.map(Signal::name).into_iter().chain(limits);
        all.map(|name| {
            let found = self.evictions.iter().find(|(of, _)| *of == name);
            (name, found.map_or(0, |(_, count)| *count))
        })
    }

    /// Counts an eviction, but for one that is rehearsed.
    pub(crate) fn note_eviction(&mut self, decision: &Decision) {
        if decision.dry_run {
            return;
        }
        self.in_all = self.in_all.saturating_add(1);
        self.last_seconds = Some(decision.record.wall_seconds);
        let signal = signal(decision);
        match self.evictions.iter_mut().find(|(of, _)| *of == signal) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.evictions.push((signal, 1)),
        }
    }

    /// Counts what the kernel's OOM killer did.
    pub(crate) fn note_oom_kill(&mut self, killed: &OomKilled) {
        self.oom_kills = self.oom_kills.saturating_add(killed.kill.kills);
    }
}

/// As the kubelet's metric names it.
fn signal(decision: &Decision) -> &'static str {
    let limit = || LIMITS.iter().find(|(cause, _)| *cause == decision.cause);
    match &decision.threshold {
        Some(threshold) => threshold.signal.name(),
        None => limit().map_or("", |(_, name)| *name),
    }
}
