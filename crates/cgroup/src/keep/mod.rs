//! Services and login sessions that keep their pages and their processor, so that somebody
//! can get in: `memory.min` for what they use, and a larger share of the processors.

mod find;
mod plan;
#[cfg(test)]
mod tests;

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
}

/// What came of a look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// The cgroups that are kept alive.
    pub cgroups: Vec<PathBuf>,
    /// What could not be done, each in a line.
    pub problems: Vec<String>,
}

impl KeepAlive {
    /// Services of these names, and with any of them all login sessions.
    #[must_use]
    pub const fn new(names: Vec<String>, places: KnobPlaces, knobs: Knobs) -> Self {
        Self {
            names,
            places,
            knobs,
        }
    }

    /// Sets what has changed since the last look, and puts back what is no longer needed.
    pub fn look(&mut self) -> Kept {
        let mut kept = Kept::default();
        let mut set: Vec<(KnobFile, PathBuf)> = Vec::new();
        if !self.names.is_empty() {
            self.keep_memory(&mut kept, &mut set);
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
        let added = self.plan_services(&mut plan, kept);
        kept.problems.extend(added.err());
        for (cgroup, amount) in plan.0 {
            self.keep(KnobFile::MemoryMin, &cgroup, amount, kept, set);
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
            let may_be_near = before.is_some();
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
                kept.problems.push(line);
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
