//! What the daemon takes along over a restart, and publishes for `evictd admit`.

use core::time::Duration;
use std::path::Path;

use evictd_cgroup::KillReport;
use evictd_cgroup::own::try_lock;
use evictd_config::Resolved;
use evictd_engine::Event;
use evictd_engine::state::{About, Keeper, Outcome, read_boot_id};
use evictd_stats::{now, wall_seconds};

use crate::engine::Engine;
use crate::setup::PROC;

/// How long the end may wait for the last write.
const LAST_WRITE: Duration = Duration::from_secs(2);

/// The daemon's state, and the log of what happens.
pub(crate) struct Memory(Keeper);

impl Memory {
    /// Takes over what a former daemon kept. Without a directory, or with one that
    /// cannot be used, it is kept in memory alone, and that is said once.
    pub(crate) fn open(settings: &Resolved, engine: &mut Engine) -> Self {
        let about = About {
            boot_id: read_boot_id(Path::new(PROC)).unwrap_or_default(),
            pid: std::process::id(),
            interval: settings.housekeeping_interval,
            transition: settings.evict.transition_period,
            now: now(),
            wall_seconds: wall_seconds(),
        };
        let (keeper, problems) = Keeper::open(settings.state_dir.as_deref(), about, try_lock);
        for problem in problems {
            log::warn!(event = "problem", about = "state"; "{problem}");
        }
        keeper.restore(now(), &mut engine.evict);
        engine.pods.runtimes.restore_images(&keeper.state().images);
        Self(keeper)
    }

    /// Whether the directory is this daemon's.
    pub(crate) const fn holds_directory(&self) -> bool {
        self.0.holds_directory()
    }

    /// How many evictions there were, over restarts.
    pub(crate) const fn evictions(&self) -> u64 {
        self.0.state().evictions
    }

    /// Logs what happened, and notes it where it is an eviction.
    pub(crate) fn note(&mut self, event: &Event) {
        crate::log::event(event);
        match event {
            Event::Evicting(decision) => self.0.begin(decision.record.clone()),
            Event::Killed { victim, report } => {
                let method = report.method.map_or("", |method| method.name());
                self.0
                    .end(&victim.uid, Outcome::Killed, method, millis(report));
            }
            Event::Stuck { victim, report } => {
                let method = report.method.map_or("", |method| method.name());
                self.0
                    .end(&victim.uid, Outcome::Stuck, method, millis(report));
            }
            Event::NotBegun { victim, .. } => {
                self.0.end(&victim.uid, Outcome::Stuck, "", None);
            }
            Event::ThresholdMet { .. }
            | Event::ThresholdCleared { .. }
            | Event::Condition { .. }
            | Event::Layout(_)
            | Event::Runtime { .. }
            | Event::Reclaiming { .. }
            | Event::Reclaimed(_)
            | Event::NothingReclaimed
            | Event::GraceCut(_)
            | Event::RuntimeSilent(_)
            | Event::NoCandidate { .. }
            | Event::Observed { .. }
            | Event::Problem { .. }
            | Event::Recovered => {}
        }
    }

    /// Hands over what changed; the writing is a helper thread's.
    pub(crate) fn keep(&mut self, engine: &Engine) {
        self.keep_images(engine, false);
        if let Some(problem) = self.0.keep(now(), wall_seconds(), &engine.evict) {
            log::warn!(event = "problem", about = "state"; "{problem}");
        }
    }

    fn keep_images(&mut self, engine: &Engine, is_last: bool) {
        let runtimes = &engine.pods.runtimes;
        if !runtimes.is_empty() && (is_last || self.0.wants_images(now())) {
            self.0.take_images(now(), &runtimes.image_records());
        }
    }

    /// Writes for the last time.
    pub(crate) fn close(mut self, engine: &Engine) {
        self.keep_images(engine, true);
        self.0
            .close(now(), wall_seconds(), &engine.evict, LAST_WRITE);
    }
}

fn millis(report: &KillReport) -> Option<u64> {
    let took = report.ended?.since(report.started);
    u64::try_from(took.as_millis()).ok()
}
