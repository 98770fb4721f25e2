//! How soon the kernel's OOM killer takes each process of the pods: the daemon keeps
//! it at what it should be, `evictd oom-score` shows it.

use core::time::Duration;
use std::path::Path;

use evictd_cgroup::{FoundPod, OomScores, Refused, ScoredProcess};
use evictd_config::Resolved;
use evictd_engine::full_name;
use evictd_node::Mono;
use evictd_oom::{MemberScore, Scale, member_score};
use evictd_stats::{Hierarchies, PROC};

use crate::engine::Engine;
use crate::facts::read_meminfo;

/// How soon a process that joins a pod gets its score. Children inherit it; only
/// what a service manager starts anew has to be seen.
const EVERY: Duration = Duration::from_secs(1);

/// The daemon's `--apply-oom-score-adj`: keeps every process of every pod at the
/// score of its pod.
pub struct Scores {
    keeper: Option<Keeper>,
    /// When to look again.
    pub next: Option<Mono>,
    logged: Vec<String>,
}

impl Scores {
    /// Ready to look, if it is asked for; a dry run sets nothing.
    pub fn open(settings: &Resolved, hierarchies: Hierarchies) -> Result<Self, String> {
        let wanted = settings.oom_score_adj.apply && !settings.dry_run;
        let keeper = wanted
            .then(|| Keeper::open(settings, hierarchies))
            .transpose()?;
        let next = keeper.as_ref().map(|_| Mono::ZERO);
        Ok(Self {
            keeper,
            next,
            logged: Vec::new(),
        })
    }

    /// Sets what has changed since the last look. What could not be set is logged
    /// once per change.
    pub fn apply_if_due(&mut self, now: Mono, engine: &mut Engine) {
        let Some(keeper) = &mut self.keeper else {
            return;
        };
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.next = Some(now + EVERY);
        if engine.awaits_picture() {
            return; // a score that is too high invites the OOM killer
        }
        let lines = keeper.apply(now, &engine.pods_mut().all_pods().listing.pods);
        if lines != self.logged {
            for line in &lines {
                log::warn!(event = "problem", about = "oomScore"; "{line}");
            }
            self.logged = lines;
        }
    }
}

/// Knows the score of every process of every pod on this machine.
pub struct Keeper {
    scores: OomScores,
    scale: Scale,
}

impl Keeper {
    /// Nothing is looked at yet but the size of the memory, without which no
    /// Burstable pod has a score.
    pub fn open(settings: &Resolved, hierarchies: Hierarchies) -> Result<Self, String> {
        let scores = OomScores::new(hierarchies, Path::new(PROC));
        Ok(Self {
            scores: scores.map_err(|error| error.to_string())?,
            scale: Scale {
                memory_capacity_bytes: memory_bytes()?,
                guaranteed: settings.oom_score_adj.guaranteed,
                policy: settings.evict.policy,
            },
        })
    }

    /// Sets what has changed since the last call, and returns lines to log.
    pub(crate) fn apply(&mut self, now: Mono, pods: &[FoundPod]) -> Vec<String> {
        let scale = self.scale;
        let report = self.scores.apply(now, pods, &mut |found, child| {
            member_score(&found.pod, child, &scale).score
        });
        let refused = report.refused.iter();
        let refused = refused.filter_map(|one| Some(refusal(one, pods.get(one.pod)?)));
        let problems = report.problems.iter();
        let problems = problems.map(|error| format!("oom_score_adj: {error}"));
        refused.chain(problems).collect()
    }

    /// Shows every process of a pod to `visit`, after setting its score if `set`.
    pub fn visit(
        &mut self,
        found: &FoundPod,
        set: bool,
        visit: &mut dyn FnMut(&ScoredProcess<'_>, MemberScore<'_>),
    ) -> Result<(), String> {
        let scale = self.scale;
        self.scores
            .visit(
                found,
                set,
                &mut |found, child| member_score(&found.pod, child, &scale).score,
                &mut |process| visit(process, member_score(&found.pod, process.child, &scale)),
            )
            .map_err(|error| error.to_string())
    }
}

/// The line about a pod whose processes keep their score.
fn refusal(refused: &Refused, found: &FoundPod) -> String {
    format!(
        "oom_score_adj in pod {} not set: {} (first is at {} instead of {}): {}; lowering needs \
         CAP_SYS_RESOURCE",
        name(found),
        refused.processes,
        refused.present,
        refused.wanted,
        refused.errno
    )
}

/// `NAMESPACE/NAME`, or the name alone.
pub fn name(found: &FoundPod) -> String {
    let metadata = &found.pod.metadata;
    full_name(&metadata.namespace, &metadata.name)
}

fn memory_bytes() -> Result<u64, String> {
    let total = read_meminfo()?.mem_total_bytes;
    total.ok_or_else(|| String::from("/proc/meminfo: MemTotal is missing"))
}
