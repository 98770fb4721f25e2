use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::deletion::POD_GONE;
use crate::{
    ContainerRun, ContainerState, Deletion, Fate, FoundContainers, Kind, OwningPod, Sandbox, nanos,
};

/// What to remove, in this order: containers, then sandboxes that hold none of
/// those that stay, then log directories of pods that are gone.
///
/// Where a container cannot be removed, the caller leaves the sandbox that it is
/// in: some runtimes remove a sandbox with everything in it.
#[must_use]
pub fn plan_containers(found: &FoundContainers<'_>, run: &ContainerRun<'_>) -> Vec<Deletion> {
    let mut plan = Plan {
        found,
        run,
        deletions: Vec::new(),
    };
    plan.containers();
    plan.sandboxes();
    plan.log_dirs();
    plan.deletions
}

struct Plan<'a> {
    found: &'a FoundContainers<'a>,
    run: &'a ContainerRun<'a>,
    deletions: Vec<Deletion>,
}

impl<'a> Plan<'a> {
    /// Why everything dead of a pod is deleted, if it is.
    fn whole_pod(&self, pod: usize) -> Option<&'static str> {
        let ended = "the pod has ended, and space is needed";
        match self.found.pods.get(pod)?.fate {
            Fate::Gone => Some(POD_GONE),
            Fate::Ended => self.run.all_unused.then_some(ended),
            Fate::Kept | Fate::Stays => None,
        }
    }

    fn containers(&mut self) {
        let mut units = self.units();
        if self.run.all_pods_known {
            units.retain_mut(|unit| {
                let reason = self.whole_pod(unit.pod);
                if let Some(reason) = reason {
                    self.keep_newest(&mut unit.dead, 0, reason);
                }
                reason.is_none()
            });
        }
        if let Some(stay) = self.run.policy.max_per_pod_container {
            let reason = format!("older than the newest {stay} dead of its name in the pod");
            for unit in &mut units {
                self.keep_newest(&mut unit.dead, stay, &reason);
            }
        }
        if let Some(stay) = self.run.policy.max_containers
            && units.iter().map(|unit| unit.dead.len()).sum::<usize>() > stay
        {
            let reason = format!("older than the newest {stay} dead in all");
            // First an equal share of each, at least one, then the oldest of all.
            let share = stay.checked_div(units.len()).unwrap_or(0).max(1);
            for unit in &mut units {
                self.keep_newest(&mut unit.dead, share, &reason);
            }
            let mut all: Vec<Dead> = units.into_iter().flat_map(|unit| unit.dead).collect();
            self.keep_newest(&mut all, stay, &reason);
        }
    }

    fn is_kept(&self, pod: usize) -> bool {
        let pod = self.found.pods.get(pod);
        pod.is_some_and(|pod| pod.fate == Fate::Kept)
    }

    /// The dead containers that are old enough, by pod and name; none of pods that are kept.
    fn units(&self) -> Vec<Unit<'a>> {
        let by_creation = self.run.switches.dead_container_age_from_creation;
        let mut units: Vec<Unit<'a>> = Vec::new();
        for (index, container) in self.found.containers.iter().enumerate() {
            let finished = container.finished_nanos.filter(|_| !by_creation);
            let since = finished.unwrap_or(container.created_nanos);
            let age = self.run.now_nanos.saturating_sub(since);
            let is_running = container.state == ContainerState::Running;
            if !is_running && !self.is_kept(container.pod) && age >= nanos(self.run.policy.min_age)
            {
                let (pod, name) = (container.pod, container.name);
                let dead = Dead {
                    newest_first: Reverse((since, container.attempt)),
                    index,
                };
                match units.iter_mut().find(|of| of.pod == pod && of.name == name) {
                    Some(unit) => unit.dead.push(dead),
                    None => units.push(Unit {
                        pod,
                        name,
                        dead: vec![dead],
                    }),
                }
            }
        }
        units.sort_by_key(|unit| (unit.pod, unit.name));
        units
    }

    /// Removes all but the newest, the oldest first.
    fn keep_newest(&mut self, dead: &mut Vec<Dead>, most: usize, reason: &str) {
        dead.sort_unstable();
        let older = dead.split_off(most.min(dead.len()));
        for dead in older.iter().rev() {
            self.delete(Kind::Container, dead.index, reason);
        }
    }

    fn delete(&mut self, kind: Kind, index: usize, reason: &str) {
        self.deletions.push(Deletion {
            kind,
            index,
            reason: reason.to_owned(),
        });
    }

    /// The sandboxes that hold a container which stays, by id; only containers have been
    /// planned by now.
    fn occupied(&self) -> Vec<&'a str> {
        let mut deleted: Vec<usize> = self.deletions.iter().map(|one| one.index).collect();
        deleted.sort_unstable();
        let containers = self.found.containers.iter().enumerate();
        let staying = containers.filter(|(index, _)| deleted.binary_search(index).is_err());
        staying.filter_map(|(_, one)| one.sandbox).collect()
    }

    fn sandboxes(&mut self) {
        let occupied = self.occupied();
        let found = self.found;
        let sandboxes = found.sandboxes.iter().enumerate();
        let mut order: Vec<(usize, &Sandbox<'_>)> = sandboxes.collect();
        order.sort_by_key(|(_, one)| (one.pod, one.created_nanos, one.attempt));
        for (place, (index, sandbox)) in order.iter().enumerate() {
            let next = order.get(place.saturating_add(1));
            let is_newest = next.is_none_or(|(_, next)| next.pod != sandbox.pod);
            let reason = match self.whole_pod(sandbox.pod) {
                None if is_newest => continue,
                reason => reason.unwrap_or("not running, empty, and the pod has a newer sandbox"),
            };
            if !sandbox.ready && !self.is_kept(sandbox.pod) && !occupied.contains(&sandbox.id) {
                self.delete(Kind::Sandbox, *index, reason);
            }
        }
    }

    fn log_dirs(&mut self) {
        if !self.run.all_pods_known {
            return;
        }
        for (index, name) in self.found.log_dirs.iter().enumerate() {
            let uid = name.rsplit_once('_').map_or(*name, |(_, uid)| uid);
            let is_gone = |pod: &OwningPod<'_>| pod.uid == uid && pod.fate == Fate::Gone;
            if self.found.pods.iter().any(is_gone) {
                self.delete(Kind::PodLogs, index, POD_GONE);
            }
        }
    }
}

/// The dead containers of one name in a pod.
struct Unit<'a> {
    pod: usize,
    name: &'a str,
    dead: Vec<Dead>,
}

/// A container that may be deleted; of several, the newest is the least.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Dead {
    /// Since when its age counts, and which attempt it was.
    newest_first: Reverse<(i64, u32)>,
    index: usize,
}
