use core::time::Duration;

use evictd_config::Resolved;
use evictd_node::Mono;
use evictd_stats::Hierarchies;

use super::keeper::Keeper;
use crate::engine::Engine;

/// How soon a process that joins a pod gets its score. Children inherit it; only
/// what a service manager starts anew has to be seen.
const EVERY: Duration = Duration::from_secs(1);

/// The daemon's `--apply-oom-score-adj`: keeps every process of every pod at the
/// score of its pod.
pub(crate) struct Scores {
    keeper: Option<Keeper>,
    /// When to look again.
    pub(crate) next: Option<Mono>,
    told: Vec<String>,
}

impl Scores {
    /// Ready to look, if it is asked for; a dry run sets nothing.
    pub(crate) fn open(settings: &Resolved, hierarchies: Hierarchies) -> Result<Self, String> {
        let wanted = settings.apply_oom_score_adj && !settings.dry_run;
        let keeper = wanted
            .then(|| Keeper::open(settings, hierarchies))
            .transpose()?;
        let next = keeper.as_ref().map(|_| Mono::ZERO);
        Ok(Self {
            keeper,
            next,
            told: Vec::new(),
        })
    }

    /// Sets what has changed since the last look. What could not be set is logged
    /// once per change.
    pub(crate) fn apply_if_due(&mut self, now: Mono, engine: &mut Engine) {
        let Some(keeper) = &mut self.keeper else {
            return;
        };
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.next = Some(now + EVERY);
        let lines = keeper.apply(now, &engine.pods_mut().census().listing.pods);
        if lines != self.told {
            for line in &lines {
                log::warn!(event = "problem", about = "oomScore"; "{line}");
            }
            self.told = lines;
        }
    }
}
