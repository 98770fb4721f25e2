//! Who keeps memory while it is short. Services and login sessions keep their pages and their
//! processor, so that somebody can get in: `memory.min` for what they use, and a larger share
//! of the processors. Pods keep what they request: `memory.min` or `memory.low`.

mod find;
mod plan;
#[cfg(test)]
mod pods_tests;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use std::path::{Path, PathBuf};

use evictd_stats::{Hierarchy, Version, is_gone};
use rustix::fd::AsFd;
use rustix::io::Errno;

use crate::dir::read_start;
use crate::knobs::{KnobFile, KnobPlaces, Knobs};
use find::find;
use plan::{Amount, Plan, is_near};

/// Ten times what a cgroup has as a rule: 100, and 1024.
const WEIGHT: u64 = 1000;
const SHARES: u64 = 10 * 1024;

/// Who is kept alive, and what is set for it.
#[derive(Debug)]
pub struct KeepAlive {
    names: Vec<String>,
    places: KnobPlaces,
    knobs: Knobs,
    pods: Vec<KeptPod>,
}

/// What one cgroup of a pod is to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPod {
    /// The cgroup.
    pub cgroup: Arc<Path>,
    /// So much,
    pub bytes: u64,
    /// where: `memory.min` or `memory.low`.
    pub file: KnobFile,
    /// That is what the cgroup itself says, in whichever file. There nothing is set: it would
    /// be read back as what the pod requests. The cgroups above do get as much.
    pub by_cgroup: bool,
}

/// What came of a look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// The cgroups that are kept alive.
    pub cgroups: Vec<PathBuf>,
    /// What could not be done for services, each in a line,
    pub problems: Vec<String>,
    /// and for pods.
    pub of_pods: Vec<String>,
}

impl KeepAlive {
    /// Services of these names, and with any of them all login sessions.
    #[must_use]
    pub const fn new(names: Vec<String>, places: KnobPlaces, knobs: Knobs) -> Self {
        Self {
            names,
            places,
            knobs,
            pods: Vec::new(),
        }
    }

    /// These pods from now on, as of the next look.
    pub fn keep_pods(&mut self, pods: Vec<KeptPod>) {
        self.pods = pods;
    }

    /// Sets what has changed since the last look, and puts back what is no longer needed.
    pub fn look(&mut self) -> Kept {
        let mut kept = Kept::default();
        let mut set: Vec<(KnobFile, PathBuf)> = Vec::new();
        self.keep_memory(&mut kept, &mut set);
        if !self.names.is_empty() {
            self.keep_processors(&mut kept, &mut set);
        }
        let is_set = |of: &(KnobFile, PathBuf), file, cgroup: &Path| of.0 == file && of.1 == cgroup;
        self.knobs.undo_where(|knob| {
            let mut set = set.iter();
            !set.any(|of| is_set(of, knob.file, &knob.cgroup))
        });
        kept
    }

    /// Puts everything back.
    pub fn end(&mut self) {
        self.knobs.undo_all();
    }

    fn keep_memory(&mut self, kept: &mut Kept, set: &mut Vec<(KnobFile, PathBuf)>) {
        let mut plan = Plan::default();
        if !self.names.is_empty() {
            let added = self.plan_services(&mut plan, kept);
            kept.problems.extend(added.err());
        }
        if !self.pods.is_empty() {
            let added = self.plan_pods(&mut plan);
            kept.of_pods.extend(added.err());
        }
        for ((cgroup, file), amount) in plan.0 {
            self.keep(file, &cgroup, amount, kept, set);
        }
    }

    fn plan_services(&self, plan: &mut Plan, kept: &mut Kept) -> Result<(), String> {
        let memory = self.places.memory.as_ref();
        let memory = memory.ok_or("no memory controller: no pages can be kept")?;
        if memory.version == Version::V1 {
            let line = "cgroup v1 keeps no pages for a service (memory.soft_limit_in_bytes does \
                        not): only its processor is";
            return Err(String::from(line));
        }
        let found = find(memory, &self.names).map_err(|errno| format!("memory.min: {errno}"))?;
        for cgroup in found {
            if let Some(used) = usage(memory, &cgroup) {
                plan.add_service(&cgroup, used);
                kept.cgroups.push(cgroup);
            }
        }
        Ok(())
    }

    fn plan_pods(&self, plan: &mut Plan) -> Result<(), String> {
        let memory = self.places.memory.as_ref();
        let memory = memory.ok_or("no memory controller: nothing that pods request is kept")?;
        if memory.version == Version::V1 {
            let line = "cgroup v1 keeps nothing that pods request \
                        (memory.soft_limit_in_bytes does not)";
            return Err(String::from(line));
        }
        if !self.knobs.is_kept() {
            // After kill -9 it would stay for ever, and be taken for what the cgroup says.
            let line = "nothing that pods request is kept without --state-dir";
            return Err(String::from(line));
        }
        for pod in &self.pods {
            if !pod.by_cgroup {
                plan.add_pod(pod.file, &pod.cgroup, pod.bytes);
                continue;
            }
            for file in [KnobFile::MemoryMin, KnobFile::MemoryLow] {
                let says = self.says_itself(file, &pod.cgroup).unwrap_or(0);
                plan.add_above_pod(file, &pod.cgroup, says.min(pod.bytes));
            }
        }
        Ok(())
    }

    /// What stands there that is not evictd's.
    fn says_itself(&self, file: KnobFile, cgroup: &Path) -> Result<u64, Errno> {
        let before = self.knobs.before(file, cgroup).map(number);
        before.map_or_else(|| Ok(number(&self.knobs.read(file, cgroup)?)), Ok)
    }

    fn keep_processors(&mut self, kept: &mut Kept, set: &mut Vec<(KnobFile, PathBuf)>) {
        let Some(cpu) = self.places.cpu.clone() else {
            return;
        };
        let (file, share) = match cpu.version {
            Version::V1 => (KnobFile::CpuShares, SHARES),
            Version::V2 => (KnobFile::CpuWeight, WEIGHT),
        };
        // Where the controller is not on for a slice, its services share as its processes do.
        for cgroup in find(&cpu, &self.names).unwrap_or_default() {
            self.keep(file, &cgroup, Amount::of_itself(share), kept, set);
            if !kept.cgroups.contains(&cgroup) {
                kept.cgroups.push(cgroup);
            }
        }
    }

    /// Has at least so much stand there.
    fn keep(
        &mut self,
        file: KnobFile,
        cgroup: &Path,
        amount: Amount,
        kept: &mut Kept,
        set: &mut Vec<(KnobFile, PathBuf)>,
    ) {
        let kept_now = self.knobs.read(file, cgroup).and_then(|present| {
            let before = self.knobs.before(file, cgroup);
            let wanted = amount.wanted(number(before.unwrap_or(&present)));
            let may_be_near = before.is_some() && !amount.is_for_pods;
            let present = number(&present);
            if present != wanted && !(may_be_near && is_near(present, wanted)) {
                self.knobs.set(file, cgroup, &wanted.to_string())?;
            }
            set.push((file, cgroup.to_owned()));
            Ok(())
        });
        match kept_now {
            // Gone meanwhile, or its slice lacks the controller.
            Ok(()) => {}
            Err(errno) if is_gone(errno) => {}
            Err(errno) => {
                let name = file.name().to_string_lossy();
                let line = format!("{name} of {}: {errno}", cgroup.display());
                let problems = if amount.is_for_pods {
                    &mut kept.of_pods
                } else {
                    &mut kept.problems
                };
                problems.push(line);
            }
        }
    }
}

/// `max` is as much as there can be.
fn number(text: &str) -> u64 {
    text.parse().unwrap_or(u64::MAX)
}

fn usage(memory: &Hierarchy, cgroup: &Path) -> Option<u64> {
    let read = || -> Result<Option<u64>, Errno> {
        let Some(dir) = memory.open(cgroup)? else {
            return Ok(None);
        };
        let mut text = [0; 32];
        let text = read_start(dir.as_fd(), c"memory.current", &mut text)?;
        Ok(core::str::from_utf8(text.trim_ascii())
            .ok()
            .and_then(|text| text.parse().ok()))
    };
    read().ok().flatten()
}
