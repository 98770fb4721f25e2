//! What the helper does to pods.

use evictd_cgroup::FoundPod;
use evictd_evict::memory_relief::Act;
use evictd_node::Mono;
use rustix::io::Errno;

use super::job::Told;
use super::told::{braked, name};
use super::work::Work;

impl Work {
    pub(super) fn act(
        &mut self,
        now: Mono,
        act: Act,
        found: &FoundPod,
        dry_run: bool,
        told: &mut Vec<Told>,
    ) {
        match act {
            Act::Reclaim { bytes, .. } if !dry_run => self.reclaim(found, bytes, told),
            Act::Reclaim { .. } => {}
            Act::Brake { high, gained, .. } => {
                if dry_run || self.brake(now, high, found, told) {
                    let text = braked(&name(&found.pod), gained, high, dry_run);
                    told.push(Told::Relieved(text));
                }
            }
        }
    }

    /// Brakes all cgroups of a pod, or none. Returns whether that could be done.
    fn brake(&mut self, now: Mono, high: u64, found: &FoundPod, told: &mut Vec<Told>) -> bool {
        let parts = found.cgroups().count().max(1);
        let done = if self.knobs.is_kept() {
            found.cgroups().try_for_each(|cgroup| {
                // Of several cgroups each may keep what it has.
                let fares = self.presser.as_mut().and_then(|of| of.fares(cgroup));
                let own = fares
                    .filter(|_| parts > 1)
                    .map_or(high, |fares| fares.usage_bytes);
                self.knobs.brake(cgroup, own)
            })
        } else {
            let text = "brake needs --state-dir, in which is kept what is set";
            self.problem(text.to_owned(), told);
            Err(Errno::NOENT)
        };
        if let Err(errno) = done {
            // What was set of other cgroups of it is put back with this look.
            self.relief.failed(&found.pod.metadata.uid, now);
            if errno != Errno::EXIST {
                self.problem(format!("brake cannot be: {errno}"), told);
            }
        }
        done.is_ok()
    }

    fn reclaim(&mut self, found: &FoundPod, bytes: u64, told: &mut Vec<Told>) {
        let Some(presser) = &mut self.presser else {
            return;
        };
        let parts = u64::try_from(found.cgroups().count()).unwrap_or(1).max(1);
        let mut failed = None;
        for cgroup in found.cgroups() {
            match presser.reclaim(cgroup, bytes / parts) {
                Ok(given) => self.given = self.given.saturating_add(given),
                // Unless it is gone.
                Err(errno) => failed = presser.fares(cgroup).map(|_| errno),
            }
        }
        if let Some(errno) = failed {
            self.problem(
                format!("reclaim cannot be: {errno} (memory.reclaim: Linux 5.19, cgroup v2)"),
                told,
            );
        }
    }
}
