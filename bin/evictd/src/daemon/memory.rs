//! What the daemon takes along over a restart, and publishes for `evictd admit`.

use alloc::sync::Arc;
use core::time::Duration;

use evictd_cgroup::own::try_lock;
use evictd_config::Resolved;
use evictd_engine::Event;
use evictd_engine::ports::Collected;
use evictd_exposition::Counts;
use evictd_machine::engine::Engine;
use evictd_machine::facts;
use evictd_node::kill::KillReport;
use evictd_state::{About, Keeper, Outcome, Record, Relief};
use evictd_stats::{now, wall_seconds};
use evictd_sys::Directory;
use serde_json::Value;

/// How long the end may wait for the last write.
const LAST_WRITE: Duration = Duration::from_secs(2);

/// The daemon's state, and the log of what happens.
pub(crate) struct Memory {
    keeper: Keeper,
    counts: Counts,
}

impl Memory {
    /// Takes over what a former daemon kept. Without a directory, or with one that
    /// cannot be used, it is kept in memory alone, and that is said once.
    ///
    /// # Errors
    /// When another daemon keeps its state there: two would kill twice.
    pub(crate) fn open(settings: &Resolved, engine: &mut Engine) -> Result<Self, String> {
        let about = About {
            boot_id: facts::boot_id(),
            pid: std::process::id(),
            dry_run: settings.dry_run,
            transition: settings.evict.transition_period,
            now: now(),
            wall_seconds: wall_seconds(),
        };
        let (keeper, problems) = Keeper::open(settings.paths.state_dir.as_deref(), about, try_lock);
        for problem in problems {
            if problem.is_in_use {
                return Err(format!(
                    "--state-dir: {problem}; give this one another --state-dir"
                ));
            }
            log::warn!(event = "problem", about = "state"; "{problem}");
        }
        let (at, state) = (now(), keeper.state());
        engine.restore(at, &state.evict_state(at), state.returns());
        let held = keeper
            .state()
            .held_on(now(), settings.evict.transition_period);
        for condition in held.each() {
            log::info!(
                event = "restored", condition = condition.name();
                "condition {condition} holds on from before the restart"
            );
        }
        engine.hold_on(held);
        engine.reclaim().restore_images(&keeper.state().images);
        engine
            .pods_mut()
            .restore_protected(&keeper.state().protected);
        let state = keeper.state();
        let was = |record: &&Record| matches!(record.outcome, Outcome::Killed | Outcome::Begun);
        let last = state.history.iter().rfind(was);
        let former = (state.evictions, last.map(|record| record.wall_seconds));
        let counts = Counts::new(facts::node_name(), settings.dry_run, former);
        Ok(Self { keeper, counts })
    }

    /// The directory, if it is this daemon's.
    pub(crate) fn directory(&self) -> Option<&Arc<Directory>> {
        self.keeper.directory()
    }

    /// What was counted, for metrics.
    pub(crate) const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Logs what has happened, and notes what is an eviction.
    pub(crate) fn note_all(&mut self, engine: &mut Engine) {
        for (_, event) in engine.take_events() {
            self.note(&event);
        }
    }

    /// Logs something that has happened, and notes what is to be remembered.
    pub(crate) fn note(&mut self, event: &Event) {
        if let Event::Evicting(decision) = event {
            // Before it is told: who hears of it finds it in the history, whatever happens.
            self.counts.note_eviction(now(), decision);
            self.keeper.begin(decision.record.clone());
        }
        crate::log::event(event);
        match event {
            Event::Killed { victim, report } => {
                let method = report.method.map_or("", |method| method.name());
                self.keeper
                    .end(&victim.uid, Outcome::Killed, method, millis(report));
            }
            Event::Stuck { victim, report } => {
                let method = report.method.map_or("", |method| method.name());
                self.keeper
                    .end(&victim.uid, Outcome::Stuck, method, millis(report));
            }
            Event::OomKilled(killed) => {
                self.counts.note_oom_kill(killed);
                self.keeper.note_oom_kill(killed.record());
            }
            Event::Reclaimed(collected) => {
                self.counts.note_collected(collected);
                self.note_relief(collected);
            }
            Event::NotBegun { victim, .. } => {
                self.keeper.end(&victim.uid, Outcome::Stuck, "", None);
            }
            Event::Evicting(_)
            | Event::ThresholdMet { .. }
            | Event::ThresholdCleared { .. }
            | Event::Condition { .. }
            | Event::Layout(_)
            | Event::Runtime { .. }
            | Event::Reclaiming { .. }
            | Event::Deleting { .. }
            | Event::GraceCut(_)
            | Event::CameBack { .. }
            | Event::Loop(_)
            | Event::RuntimeSilent(_)
            | Event::NoCandidate(_)
            | Event::Holder(_)
            | Event::Observed { .. }
            | Event::Problem { .. }
            | Event::Recovered => {}
            _ => {}
        }
    }

    /// A relief step is remembered; what is collected now and then is not.
    fn note_relief(&mut self, collected: &Collected) {
        if collected.removed == 0 {
            return;
        }
        if let Some(rung) = collected.field("rung").and_then(Value::as_str) {
            let freed = collected.field("freedBytes").and_then(Value::as_u64);
            let relief = Relief::new(wall_seconds(), rung, freed, &collected.text);
            self.keeper.note_relief(relief);
        }
    }

    /// Hands over what changed; the writing is a helper thread's.
    pub(crate) fn keep(&mut self, engine: &Engine) {
        self.keep_images(engine, false);
        self.keeper.take_protected(engine.pods().protected());
        if let Some(problem) = self.keeper.keep(now(), wall_seconds(), engine.evict()) {
            log::warn!(event = "problem", about = "state"; "{problem}");
        }
    }

    /// Hands over the records of what happened; the writing is a helper thread's.
    pub(crate) fn keep_events(&mut self, records: &str) {
        if let Some(problem) = self.keeper.keep_events(now(), records) {
            log::warn!(event = "problem", about = "events"; "{problem}");
        }
    }

    fn keep_images(&mut self, engine: &Engine, is_last: bool) {
        let has_any = !engine.pods().runtimes().is_empty();
        if has_any && (is_last || self.keeper.wants_images(now())) {
            let records = engine.reclaim().image_records();
            self.keeper.take_images(now(), &records);
        }
    }

    /// Writes for the last time.
    pub(crate) fn close(mut self, engine: &Engine) {
        self.keep_images(engine, true);
        self.keeper.take_protected(engine.pods().protected());
        self.keeper
            .close(now(), wall_seconds(), engine.evict(), LAST_WRITE);
    }
}

fn millis(report: &KillReport) -> Option<u64> {
    let took = report.ended?.since(report.started);
    u64::try_from(took.as_millis()).ok()
}
