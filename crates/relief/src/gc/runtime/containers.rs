use evictd_containers::{
    ContainerState, Error, ListedContainer, RuntimeListing, RuntimePod, WritableLayer,
};
use evictd_gc::{
    Container, ContainerRun, ContainerState as State, Deletion, Fate, FoundContainers, Kind,
    OwningPod, Sandbox, plan_containers,
};
use evictd_node::pod::Pod;
use evictd_stats::wall_nanos;

use super::{Item, Run, RuntimeCollector};

/// A container that was made and not started yet is no remains, for so long.
const ABOUT_TO_START_NANOS: i64 = 60_000_000_000;

/// A list holds the oldest dead containers, and younger ones only once these are gone. So many
/// lists are read for one job: something may make new ones as fast.
const MOST_LISTS: usize = 16;

impl RuntimeCollector {
    pub(super) fn collect_containers(
        &self,
        run: &mut Run<'_>,
        all_unused: bool,
        evicted: &[String],
    ) -> Result<(), Error> {
        for _ in 0..MOST_LISTS {
            let removed = run.collected.removed.len();
            self.collect_listed(run, all_unused, evicted)?;
            let goes_on = all_unused && !run.collected.dry_run && !run.is_lost;
            if !goes_on || run.collected.removed.len() == removed {
                break;
            }
        }
        // Only where a disk is short.
        if all_unused {
            self.collect_volumes(run);
        }
        Ok(())
    }

    /// Removes the dead containers of one list.
    fn collect_listed(
        &self,
        run: &mut Run<'_>,
        all_unused: bool,
        evicted: &[String],
    ) -> Result<(), Error> {
        let mut listing = run.runtime.list()?;
        run.collected.staying = self.staying(&listing);
        if run.collected.dry_run {
            run.measure_staying(&mut listing);
        }
        let plan = self.plan(&listing, all_unused, evicted, wall_nanos());
        if !plan.is_empty() {
            // Only for what is told of it.
            let _ = run.runtime.measure_layers(&mut listing);
        }
        for mut one in plan {
            if one.kind == Some(Kind::Container) {
                one.listed_bytes = run.written_bytes(&listing, &one.id);
            }
            let removed = &run.collected.removed;
            // One that is still listed is being removed.
            let is_gone = removed.iter().any(|gone| gone.id == one.id);
            if !run.is_lost && !is_gone && !is_occupied(&one, &listing, removed) {
                run.remove(one);
            }
        }
        Ok(())
    }

    /// Whether anything of a pod may be removed: what was removed has to come back.
    fn may_remove(&self, pod: &RuntimePod) -> bool {
        pod.is_replaced || self.removes_all
    }

    /// The dead containers that stay because nothing would replace them.
    fn staying(&self, listing: &RuntimeListing) -> Vec<Item> {
        let dead = listing.containers.iter().filter_map(|container| {
            let pod = listing.pods.get(container.pod)?;
            let is_dead = container.state == ContainerState::Exited;
            (is_dead && !self.may_remove(pod)).then(|| Item {
                kind: None,
                id: container.id.as_ref().into(),
                name: full_name(&pod.pod, &container.name),
                listed_bytes: None,
                reason: "nothing would replace it (--collect-dead-containers)".to_owned(),
            })
        });
        dead.collect()
    }

    fn plan(
        &self,
        listing: &RuntimeListing,
        all_unused: bool,
        evicted: &[String],
        now_nanos: i64,
    ) -> Vec<Item> {
        let pods = listing
            .pods
            .iter()
            .enumerate()
            .map(|(index, pod)| OwningPod {
                uid: &pod.pod.metadata.uid,
                fate: if self.may_remove(pod) {
                    fate(listing, index, evicted, now_nanos)
                } else {
                    Fate::Kept
                },
            });
        let pods: Vec<OwningPod<'_>> = pods.collect();
        let containers: Vec<Container<'_>> = listing.containers.iter().map(container).collect();
        let sandboxes = listing.sandboxes.iter().map(|sandbox| Sandbox {
            id: &sandbox.id,
            pod: sandbox.pod,
            ready: sandbox.ready,
            created_nanos: sandbox.created_nanos,
            attempt: sandbox.attempt,
        });
        let sandboxes: Vec<Sandbox<'_>> = sandboxes.collect();
        let found = FoundContainers {
            pods: &pods,
            containers: &containers,
            sandboxes: &sandboxes,
            log_dirs: &[],
        };
        let run = ContainerRun {
            all_unused,
            policy: self.containers,
            switches: &self.switches,
            all_pods_known: true,
            now_nanos,
        };
        let plan = plan_containers(&found, &run).into_iter();
        plan.filter_map(|deletion| item(listing, deletion))
            .collect()
    }
}

impl Run<'_> {
    /// An operator looks for what fills the disk, to remove it by hand.
    fn measure_staying(&mut self, listing: &mut RuntimeListing) {
        let mut staying = core::mem::take(&mut self.collected.staying);
        if !staying.is_empty() {
            let _ = self.runtime.measure_layers(listing);
        }
        for one in &mut staying {
            one.listed_bytes = self.written_bytes(listing, &one.id);
        }
        self.collected.staying = staying;
    }

    /// What a container wrote. A runtime that does not say it of one is not asked for hundreds.
    fn written_bytes(&mut self, listing: &RuntimeListing, id: &str) -> Option<u64> {
        let known = measured_bytes(listing, id);
        if known.is_some() || !self.tells_sizes {
            return known;
        }
        let said = self.runtime.written_bytes(id);
        self.tells_sizes = said.is_some();
        said
    }
}

/// What the runtime has measured of a container.
fn measured_bytes(listing: &RuntimeListing, id: &str) -> Option<u64> {
    let mut containers = listing.containers.iter();
    let container = containers.find(|container| *container.id == *id)?;
    match container.layer {
        WritableLayer::Used { bytes, .. } => Some(bytes),
        WritableLayer::Dir(_) | WritableLayer::Unknown => None,
    }
}

fn container(listed: &ListedContainer) -> Container<'_> {
    Container {
        name: &listed.name,
        pod: listed.pod,
        sandbox: listed.sandbox.as_deref(),
        state: match listed.state {
            ContainerState::Running => State::Running,
            ContainerState::Created | ContainerState::Exited => State::Dead,
            ContainerState::Unknown => State::Unknown,
        },
        created_nanos: listed.created_nanos,
        finished_nanos: listed.finished_nanos,
        attempt: listed.attempt,
    }
}

/// A pod has ended when none of its containers runs or is about to, and its sandbox
/// is not ready; or when evictd evicted it.
fn fate(listing: &RuntimeListing, pod: usize, evicted: &[String], now_nanos: i64) -> Fate {
    let lives = |container: &&ListedContainer| match container.state {
        ContainerState::Running | ContainerState::Unknown => true,
        ContainerState::Created => {
            now_nanos.saturating_sub(container.created_nanos) < ABOUT_TO_START_NANOS
        }
        ContainerState::Exited => false,
    };
    let mut containers = listing.containers.iter();
    if containers.any(|container| container.pod == pod && lives(&container)) {
        return Fate::Stays;
    }
    let uid = listing.pods.get(pod).map(|pod| &pod.pod.metadata.uid);
    let mut sandboxes = listing.sandboxes.iter();
    let is_ready = sandboxes.any(|sandbox| sandbox.pod == pod && sandbox.ready);
    if is_ready && !uid.is_some_and(|uid| evicted.contains(uid)) {
        return Fate::Stays;
    }
    Fate::Ended
}

/// What is to be removed; `None` of what is protected.
fn item(listing: &RuntimeListing, deletion: Deletion) -> Option<Item> {
    let (id, pod, own_name) = if deletion.kind == Kind::Container {
        let container = listing.containers.get(deletion.index)?;
        // One whose state is not known may run: it is not stopped for this.
        if container.state == ContainerState::Unknown {
            return None;
        }
        (&*container.id, container.pod, container.name.as_str())
    } else {
        let sandbox = listing.sandboxes.get(deletion.index)?;
        (&*sandbox.id, sandbox.pod, "")
    };
    let pod = &listing.pods.get(pod)?.pod;
    (!pod.is_critical()).then(|| Item {
        kind: Some(deletion.kind),
        id: id.to_owned(),
        name: full_name(pod, own_name),
        listed_bytes: None,
        reason: deletion.reason,
    })
}

/// `POD/CONTAINER`, or the one name that there is.
fn full_name(pod: &Pod, own: &str) -> String {
    match (pod.metadata.name.as_str(), own) {
        ("", own) => own.to_owned(),
        (pod, "") => pod.to_owned(),
        (pod, own) if pod == own => own.to_owned(),
        (pod, own) => format!("{pod}/{own}"),
    }
}

/// Whether it is a sandbox with a container that was to be removed first and was not.
fn is_occupied(one: &Item, listing: &RuntimeListing, removed: &[Item]) -> bool {
    let is_gone = |id: &str| {
        let mut gone = removed.iter();
        gone.any(|gone| gone.kind == Some(Kind::Container) && gone.id == id)
    };
    let mut containers = listing.containers.iter();
    one.kind == Some(Kind::Sandbox)
        && containers.any(|container| {
            container.sandbox.as_deref() == Some(&one.id) && !is_gone(&container.id)
        })
}
