//! What the kernel is asked to tell about memory, and where: on cgroup v1 usage
//! thresholds, on v2 pressure and `memory.events`.
//!
//! None of it is relied on: what wakes the loop makes it look, and without being
//! woken it looks by time ([`crate::engine`]). Its silence lets the loop look more seldom on
//! cgroup v1: the working set cannot be more than the usage, and the kernel tells before
//! processes' pages bring the usage to what the working set may be. It does not tell of what
//! it is charged for itself (sockets' buffers, page tables). Where a threshold of `memory.stall`
//! is watched, pressure is asked for on both: while the kernel tells of none, no time is lost.

mod level;
mod source;

use core::time::Duration;
use std::path::Path;

use evictd_config::Resolved;
use evictd_node::{MemorySource, Mono, Signal};
use evictd_stats::{NodeSample, PROC, Version, now};
use evictd_sys::{Token, Watch};

use crate::engine::Engine;
use crate::setup::Setup;
use level::Wanted;
use source::{Source, What};

/// The first token of these; those below are the daemon's.
const FIRST: u32 = 16;

/// The kernel's memory notices of this machine.
pub struct Notifier {
    sources: Vec<Source>,
    /// The round that was followed last.
    followed: Option<Mono>,
    every: Duration,
}

impl Notifier {
    /// Chooses what to ask for; nothing where it is switched off.
    pub fn new(settings: &Resolved, setup: &Setup) -> Self {
        let mut sources = Vec::new();
        if settings.daemon.kernel_notices {
            list(settings, setup, &mut sources);
        }
        Self {
            sources,
            followed: None,
            every: settings.daemon.housekeeping_interval,
        }
    }

    /// After the first round: asks the kernel, and says what wakes the loop.
    pub fn start(&mut self, engine: &mut Engine, watch: &mut Watch) {
        self.follow(engine, watch);
        self.announce();
    }

    /// The descriptor with this token fired.
    pub fn fired(&mut self, token: Token, engine: &mut Engine) {
        let mut sources = self.sources.iter_mut();
        if let Some(source) = sources.find(|source| source.token == token) {
            source.fired = true;
            engine.look_now();
        }
    }

    /// After a round: asks the kernel anew where numbers have moved, and for what
    /// it has told already.
    pub fn follow(&mut self, engine: &mut Engine, watch: &mut Watch) {
        let sample = &engine.node().sample;
        let sampled = sample.memory.map(|memory| memory.sampled);
        if sampled == self.followed {
            return;
        }
        self.followed = sampled;
        let sample = *sample;
        let mut asked = false;
        for source in &mut self.sources {
            let wanted = match source.what {
                What::Usage(signal) => {
                    let wanted = Wanted::of(signal, &sample, engine.evict().thresholds());
                    (!wanted.levels().is_empty(), wanted)
                }
                // The pods' cgroup may come later and go again; the machine stays.
                What::Pressure | What::Events => {
                    let is_there = !source.of_pods || sample.pods_memory.is_some();
                    (is_there, Wanted::default())
                }
            };
            asked |= source.follow(wanted, now(), watch);
        }
        self.judge(engine, &sample, asked);
    }

    /// Whether the kernel guards all thresholds. After it was asked memory is read
    /// again: what was crossed meanwhile it does not tell.
    fn judge(&self, engine: &mut Engine, sample: &NodeSample, asked: bool) {
        let again = if asked {
            engine.node_mut().read_memory_now()
        } else {
            *sample
        };
        let limited = again
            .pods_memory
            .is_some_and(|pods| pods.available_bytes().is_some());
        let guards = |signal: Signal, usage: Option<u64>| {
            let mut sources = self.sources.iter();
            sources.any(|s| matches!(s.what, What::Usage(of) if of == signal) && s.guards(usage))
        };
        let root = again.memory.and_then(|memory| memory.cgroup);
        let root = root.map(|found| found.usage_bytes);
        let pods = again.pods_memory.and_then(|pods| pods.usage);
        let pods = pods.map(|found| found.usage_bytes);
        let guarded = guards(Signal::MemoryAvailable, root)
            && (!limited || guards(Signal::AllocatableMemoryAvailable, pods));
        engine.guard(guarded);
        engine.stall_is_told(self.sources.iter().any(Source::tells_of_stalls));
    }

    /// What wakes the loop, in one line.
    fn announce(&self) {
        let by_time = format!(
            "memory is looked at every {:?}, sooner the less is left",
            self.every
        );
        let asked: Vec<String> = self.sources.iter().filter_map(Source::told).collect();
        let asked = asked.join(" or ");
        let or_when = match asked.as_str() {
            "" => String::new(),
            asked => format!(", and when the kernel tells of {asked}"),
        };
        log::info!(event = "memory_watch", notices = asked.as_str(); "{by_time}{or_when}");
    }
}

fn list(settings: &Resolved, setup: &Setup, sources: &mut Vec<Source>) {
    let hierarchy = setup.cgroup.hierarchies.memory.as_ref();
    let version = hierarchy.map(|hierarchy| hierarchy.version);
    let mut add = |what: What, of_pods: bool, path: &Path| {
        let index = u32::try_from(sources.len()).unwrap_or(0);
        sources.push(Source::new(Token(FIRST + index), what, of_pods, path));
    };
    // The working set of the root is what is judged on v1.
    let is_usage =
        |version| version == Version::V1 && settings.memory.source == MemorySource::Kubelet;
    let root = hierarchy.filter(|found| is_usage(found.version));
    if let Some(found) = root {
        let root = found.below(Path::new(""));
        add(What::Usage(Signal::MemoryAvailable), false, &root);
    }
    let mut thresholds = settings.evict.thresholds.iter();
    if root.is_none() || thresholds.any(|of| of.signal == Signal::MemoryStall) {
        let pressure = Path::new(PROC).join("pressure/memory");
        add(What::Pressure, false, &pressure);
    }
    let pods = setup.node.pods_cgroup.as_deref();
    let Some(pods) = hierarchy.zip(pods).map(|(found, pods)| found.below(pods)) else {
        return;
    };
    match version {
        Some(Version::V1) => add(What::Usage(Signal::AllocatableMemoryAvailable), true, &pods),
        _ => {
            add(What::Pressure, true, &pods.join("memory.pressure"));
            add(What::Events, true, &pods.join("memory.events"));
        }
    }
}
