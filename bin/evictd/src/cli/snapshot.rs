//! One look at the node: what `status` and `rank` show.

use core::time::Duration;

use evictd_config::Resolved;
use evictd_evict::Evict;
use evictd_node::{Layout, Policy, Readings, Signal};
use evictd_rank::{Candidate, Place, rank};
use evictd_stats::{NodeSample, now};

use crate::engine::{self, Engine};
use crate::pods::Pods;
use crate::setup::{FIRST_FS_WAIT, Setup, no_thread};

/// How long somebody waits for what the pods keep on disk.
const DISK_WAIT: Duration = Duration::from_secs(2);

/// What was seen.
pub(crate) struct Snapshot {
    engine: Engine,
    pub(crate) readings: Readings,
    policy: Policy,
}

impl Snapshot {
    /// Looks once: reads the node and its pods, judges, does nothing.
    pub(crate) fn take(settings: &Resolved) -> Result<Self, String> {
        let mut engine = engine::open(Setup::of(settings, None)?)?;
        engine::measure_disk(&mut engine).map_err(no_thread)?;
        engine.observe(now(), FIRST_FS_WAIT, false);
        let readings = *engine.readings();
        engine.pods_mut().refresh_with_disk(DISK_WAIT);
        Ok(Self {
            engine,
            readings,
            policy: *settings.policy(),
        })
    }

    pub(crate) fn evict(&self) -> &Evict {
        self.engine.evict()
    }

    pub(crate) const fn sample(&self) -> &NodeSample {
        self.engine.node().sample()
    }

    pub(crate) const fn pods(&self) -> &Pods {
        self.engine.pods()
    }

    pub(crate) fn layout(&self) -> Layout {
        self.sample().layout().unwrap_or(Layout::OneFilesystem)
    }

    /// The pods in the order in which they would go if `signal` starved.
    pub(crate) fn order(&self, signal: Signal) -> Vec<Ranked<'_>> {
        let candidates = self.pods().candidates(Vec::new());
        let order = rank(signal, self.layout(), &candidates, &self.policy);
        let candidate = |place: Place| {
            Some(Ranked {
                candidate: *candidates.get(place.candidate)?,
                place,
            })
        };
        order.into_iter().filter_map(candidate).collect()
    }
}

/// A pod and its place.
pub(crate) struct Ranked<'a> {
    pub(crate) candidate: Candidate<'a>,
    pub(crate) place: Place,
}

impl Ranked<'_> {
    /// `NAMESPACE/NAME`, or the name alone.
    pub(crate) fn name(&self) -> String {
        let metadata = &self.candidate.pod.metadata;
        if metadata.namespace.is_empty() {
            return metadata.name.clone();
        }
        format!("{}/{}", metadata.namespace, metadata.name)
    }

    /// Whether it is passed over, whatever its place.
    pub(crate) fn is_protected(&self) -> bool {
        self.candidate.pod.is_critical()
    }
}
