//! Which pods the kernel's own OOM killer has struck.

use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_engine::ports::OomKill;
use evictd_node::Mono;
use evictd_stats::{
    Hierarchy, OomKillCounter, OomKills, Version, read_cgroup_limit_hits, read_cgroup_oom_kills,
};

use super::described::AllPods;

/// How soon to look again, after it has struck: a pod may have it do so all the time.
const AGAIN: Duration = Duration::from_secs(10);

/// What is known of it so far.
#[derive(Default)]
pub(super) struct OomWatch {
    /// Kills on this machine; there is none before the first look.
    counter: Option<OomKillCounter>,
    /// What it said; `None` before the first look.
    total: Option<u64>,
    /// Of each pod's cgroup in which it had struck by the last look.
    before: Vec<(PathBuf, OomKills)>,
    /// How often the limit of each cgroup above pods was reached by then.
    above: Vec<(PathBuf, u64)>,
    /// Not before then.
    next: Mono,
}

/// It has struck since the last look.
pub(super) struct Struck {
    kills: u64,
    /// There was no look before: what it struck is not told.
    is_first: bool,
}

impl OomWatch {
    /// Whether it has struck since the last call. One number is read as long as it has not.
    pub(super) fn look(&mut self, now: Mono, proc: &Path) -> Option<Struck> {
        if now < self.next {
            return None;
        }
        let counter = &mut self.counter;
        let counter = counter.get_or_insert_with(|| OomKillCounter::new(proc));
        let total = counter.read()?;
        let before = self.total.replace(total);
        // Where it has not struck since the boot, no cgroup has anything to compare with.
        let kills = total.saturating_sub(before.unwrap_or(0));
        if kills == 0 {
            return None;
        }
        self.next = now + AGAIN;
        let is_first = before.is_none();
        Some(Struck { kills, is_first })
    }

    /// What it has done: to each pod, and elsewhere.
    pub(super) fn tell(&mut self, struck: &Struck, all: &AllPods<'_>) -> Vec<OomKill> {
        let Some(memory) = all.hierarchies.memory.as_ref() else {
            return Vec::new();
        };
        let reached = self.limits_reached(memory, all);
        let pods = self.pods(memory, all, &reached);
        if struck.is_first {
            return Vec::new();
        }
        let of_pods: u64 = pods.iter().map(|kill| kill.kills).sum();
        let rest = OomKill {
            kills: struck.kills.saturating_sub(of_pods),
            limit_above: innermost(&reached, |_| true),
            ..OomKill::default()
        };
        let all = pods.into_iter().chain([rest]);
        let all = all.filter(|kill| kill.kills > 0);
        all.map(|kill| OomKill {
            at_any_time: memory.version == Version::V1,
            ..kill
        })
        .collect()
    }

    /// The cgroups above pods whose own limit was reached since this was last asked; on v1, ever.
    fn limits_reached(&mut self, memory: &Hierarchy, all: &AllPods<'_>) -> Vec<PathBuf> {
        let before = core::mem::take(&mut self.above);
        let pods = all.listing.pods.iter().flat_map(|found| found.cgroups());
        let skipped = all.listing.skipped.iter().map(|of| &*of.cgroup);
        let mut reached = Vec::new();
        for cgroup in pods
            .chain(skipped)
            .flat_map(|cgroup| cgroup.ancestors().skip(1))
        {
            let is_root = cgroup.as_os_str().is_empty();
            if is_root || self.above.iter().any(|(of, _)| of == cgroup) {
                continue;
            }
            let hits = read_cgroup_limit_hits(memory, cgroup).unwrap_or(0);
            let then = before.iter().find(|(of, _)| of == cgroup);
            let then = then.filter(|_| memory.version == Version::V2);
            if hits > then.map_or(0, |(_, hits)| *hits) {
                reached.push(cgroup.to_path_buf());
            }
            self.above.push((cgroup.to_path_buf(), hits));
        }
        reached
    }

    /// The pods with more kills than when this was last asked.
    fn pods(&mut self, memory: &Hierarchy, all: &AllPods<'_>, reached: &[PathBuf]) -> Vec<OomKill> {
        let before = core::mem::take(&mut self.before);
        let (mut after, mut struck) = (Vec::new(), Vec::new());
        let mut look = |cgroup: &Path, kill: &mut OomKill| {
            let now = read_cgroup_oom_kills(memory, cgroup);
            if now == OomKills::default() {
                return;
            }
            let then = before.iter().find(|(of, _)| of == cgroup);
            let then = then.map(|(_, kills)| *kills).unwrap_or_default();
            kill.kills += now.kills.saturating_sub(then.kills);
            kill.at_limit |= now.at_limit > then.at_limit;
            if now.kills > then.kills {
                let is_above = |of: &Path| of != cgroup && cgroup.starts_with(of);
                kill.limit_above = innermost(reached, is_above);
            }
            after.push((cgroup.to_path_buf(), now));
        };
        for found in &all.listing.pods {
            let mut kill = OomKill::default();
            for cgroup in found.cgroups() {
                look(cgroup, &mut kill);
            }
            if kill.kills > 0 {
                let metadata = &found.pod.metadata;
                kill.namespace.clone_from(&metadata.namespace);
                kill.name.clone_from(&metadata.name);
                kill.uid.clone_from(&metadata.uid);
                struck.push(kill);
            }
        }
        // One whose last process was killed is no candidate any more.
        for skipped in &all.listing.skipped {
            let mut kill = OomKill::default();
            look(&skipped.cgroup, &mut kill);
            if kill.kills > 0 {
                let name = skipped.cgroup.file_name().unwrap_or_default();
                kill.name = name.to_string_lossy().into_owned();
                struck.push(kill);
            }
        }
        self.before = after;
        struck
    }
}

/// The innermost of them, in words: `/NAME`.
fn innermost(cgroups: &[PathBuf], is_meant: impl Fn(&Path) -> bool) -> Option<String> {
    let meant = cgroups.iter().filter(|cgroup| is_meant(cgroup));
    let innermost = meant.max_by_key(|cgroup| cgroup.components().count())?;
    Some(format!("/{}", innermost.display()))
}
