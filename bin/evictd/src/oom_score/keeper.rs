use std::path::Path;

use evictd_cgroup::{FoundPod, OomScores, Refused};
use evictd_config::Resolved;
use evictd_kerntext::parse_meminfo;
use evictd_node::Mono;
use evictd_oom::{Scale, member_score};
use evictd_stats::{Hierarchies, read_whole};

use crate::setup::PROC;

/// Knows the score of every process of every pod on this machine.
pub(crate) struct Keeper {
    pub(super) scores: OomScores,
    pub(super) scale: Scale,
}

impl Keeper {
    /// Nothing is looked at yet but the size of the memory, without which no
    /// Burstable pod has a score.
    pub(crate) fn open(settings: &Resolved, hierarchies: Hierarchies) -> Result<Self, String> {
        let scores = OomScores::new(hierarchies, Path::new(PROC));
        Ok(Self {
            scores: scores.map_err(|error| error.to_string())?,
            scale: Scale {
                memory_capacity_bytes: memory_bytes()?,
                guaranteed: settings.guaranteed_oom_score_adj,
                pod_level_resources: false,
            },
        })
    }

    /// Sets what has changed since the last call, and returns lines to log.
    pub(crate) fn apply(&mut self, now: Mono, pods: &[FoundPod]) -> Vec<String> {
        let scale = self.scale;
        let report = self.scores.apply(now, pods, &mut |found, child| {
            member_score(&found.pod, child, scale).score
        });
        let refused = report.refused.iter();
        let refused = refused.filter_map(|one| Some(refusal(one, pods.get(one.pod)?)));
        let problems = report.problems.iter();
        let problems = problems.map(|error| format!("oom_score_adj: {error}"));
        refused.chain(problems).collect()
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
pub(super) fn name(found: &FoundPod) -> String {
    let metadata = &found.pod.metadata;
    match metadata.namespace.as_str() {
        "" => metadata.name.clone(),
        namespace => format!("{namespace}/{}", metadata.name),
    }
}

fn memory_bytes() -> Result<u64, String> {
    let path = Path::new(PROC).join("meminfo");
    let text = read_whole(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let total = parse_meminfo(&text).map(|memory| memory.mem_total_bytes);
    let total = total.map_err(|error| format!("{}: {error}", path.display()))?;
    total.ok_or_else(|| format!("{}: MemTotal is missing", path.display()))
}
