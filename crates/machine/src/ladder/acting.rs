//! What the helper does to pods.

use std::path::Path;

use evictd_cgroup::{FoundPod, Knobs};
use evictd_containers::PressureSignal;
use evictd_evict::ladder::Act;
use evictd_node::{MemoryRung, Mono};
use rustix::io::Errno;
use rustix::process::Signal;

use super::job::{Asked, Told};
use super::told::{heard, name, set};
use super::work::Work;

impl Work {
    pub(super) fn act(
        &mut self,
        now: Mono,
        act: Act,
        asked: &Asked,
        dry_run: bool,
        told: &mut Vec<Told>,
    ) {
        let pod = name(&asked.found.pod);
        match act {
            Act::Reclaim { bytes, .. } if !dry_run => self.reclaim(&asked.found, bytes, told),
            Act::Reclaim { .. } => {}
            Act::Tell { .. } => {
                let containers = self.tell(asked, dry_run, told);
                if !containers.is_empty() {
                    told.push(Told::Climbed(heard(&pod, &containers)));
                }
            }
            Act::Brake { high, gained, .. } => {
                let gained = gained >> 20;
                let held = high >> 20;
                let text = format!(
                    "gains {gained} MiB a second: it gets no more than the {held} MiB that it has"
                );
                let brake = |knobs: &mut Knobs, cgroup: &Path, part: u64| knobs.brake(cgroup, part);
                self.set(
                    now,
                    (MemoryRung::Brake, &text),
                    asked,
                    (dry_run, high),
                    brake,
                    told,
                );
            }
            Act::Freeze { rung, .. } => {
                let freeze = |knobs: &mut Knobs, cgroup: &Path, _| knobs.freeze(cgroup);
                let text = if rung == MemoryRung::StartStorm {
                    "has just begun and memory stalls: it stands still until its turn"
                } else {
                    "stands still until there is room again"
                };
                self.set(now, (rung, text), asked, (dry_run, 0), freeze, told);
            }
        }
    }

    /// Sets something of all cgroups of a pod, or of none.
    fn set(
        &mut self,
        now: Mono,
        (rung, text): (MemoryRung, &str),
        asked: &Asked,
        (dry_run, amount): (bool, u64),
        put: impl Fn(&mut Knobs, &Path, u64) -> Result<(), Errno>,
        told: &mut Vec<Told>,
    ) {
        let found = &asked.found;
        if !dry_run {
            let parts = found.cgroups().count().max(1);
            let done = if self.knobs.is_kept() {
                found.cgroups().try_for_each(|cgroup| {
                    // Of several cgroups each may keep what it has.
                    let fares = self.presser.as_mut().and_then(|of| of.fares(cgroup));
                    let own = fares
                        .filter(|_| parts > 1)
                        .map_or(amount, |fares| fares.usage_bytes);
                    put(&mut self.knobs, cgroup, own)
                })
            } else {
                self.problem(
                    format!("{rung} needs --state-dir, in which is kept what is set"),
                    told,
                );
                Err(Errno::NOENT)
            };
            if let Err(errno) = done {
                // What was set of other cgroups of it is put back with this look.
                self.ladder.failed(&found.pod.metadata.uid, rung, now);
                if errno != Errno::EXIST {
                    self.problem(format!("{rung} cannot be: {errno}"), told);
                }
                return;
            }
        }
        told.push(Told::Climbed(set(rung, &name(&found.pod), text, dry_run)));
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

    /// Sends the signals that are asked for. Returns who got one.
    fn tell(&mut self, asked: &Asked, dry_run: bool, told: &mut Vec<Told>) -> Vec<String> {
        let mut containers = Vec::new();
        for (cgroup, signal, container) in &asked.tells {
            let sent = match &mut self.presser {
                Some(_) if dry_run => Ok(true),
                Some(presser) => presser.tell(cgroup, signal_of(*signal)),
                None => Ok(false),
            };
            match sent {
                Ok(true) => containers.push(format!("{container} by SIG{}", signal.name())),
                Ok(false) => self.problem(
                    format!(
                        "tell: container {container} of pod {} has no first process of its own",
                        name(&asked.found.pod)
                    ),
                    told,
                ),
                Err(errno) => self.problem(format!("tell: container {container}: {errno}"), told),
            }
        }
        containers
    }
}

const fn signal_of(signal: PressureSignal) -> Signal {
    match signal {
        PressureSignal::Usr1 => Signal::USR1,
        PressureSignal::Usr2 => Signal::USR2,
        PressureSignal::Hup => Signal::HUP,
    }
}
