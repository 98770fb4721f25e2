use evictd_containers::{ContainerRuntime, ContainerState, Error, RuntimeListing};
use evictd_gc::{
    Container, ContainerJob, ContainerRun, ContainerState as State, Fate, FoundContainers,
    OwningPod, Removable, Sandbox, plan_containers,
};

use super::{Kind, Progress, Removed, RuntimeCollected, RuntimeCollector, wall_nanos};

/// A container that was made and not started yet is no remains, for so long.
const ABOUT_TO_START_NANOS: i64 = 60_000_000_000;

impl RuntimeCollector {
    pub(super) fn collect_containers(
        &self,
        runtime: &mut dyn ContainerRuntime,
        all_unused: bool,
        evicted: &[String],
        dry_run: bool,
        progress: Progress<'_>,
    ) -> Result<RuntimeCollected, Error> {
        let listing = runtime.list()?;
        let now_nanos = wall_nanos();
        let mut collected = RuntimeCollected {
            dry_run,
            ..RuntimeCollected::default()
        };
        let mut lost = false;
        for (what, reason) in self.plan(&listing, all_unused, evicted, now_nanos) {
            let Some(removed) = removed(&listing, what, reason) else {
                continue;
            };
            if lost || is_occupied(&removed, &listing, &collected) {
                continue;
            }
            let done = if dry_run {
                Ok(())
            } else {
                remove(runtime, &removed)
            };
            match done {
                Ok(()) => {
                    progress(&removed);
                    collected.removed.push(removed);
                }
                Err(error) => {
                    lost = error.is_lost();
                    collected.errors.push(error.to_string());
                }
            }
        }
        Ok(collected)
    }

    fn plan(
        &self,
        listing: &RuntimeListing,
        all_unused: bool,
        evicted: &[String],
        now_nanos: i64,
    ) -> Vec<(Removable, String)> {
        let pods = listing
            .pods
            .iter()
            .enumerate()
            .map(|(index, pod)| OwningPod {
                uid: &pod.pod.metadata.uid,
                fate: fate(listing, index, evicted, now_nanos),
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
            job: if all_unused {
                ContainerJob::DeleteAllUnused
            } else {
                ContainerJob::Periodic
            },
            policy: self.containers,
            switches: &self.switches,
            all_pods_known: true,
            now_nanos,
        };
        let is_protected = |what: &Removable| {
            let pod = match what {
                Removable::Container { index, .. } => listing.containers.get(*index).map(|c| c.pod),
                Removable::Sandbox { index } => listing.sandboxes.get(*index).map(|s| s.pod),
                Removable::LogDir { .. } => None,
            };
            let pod = pod.and_then(|pod| listing.pods.get(pod));
            // A container whose state is not known may run: it is not stopped for this.
            let may_run = matches!(what, Removable::Container { stop: true, .. });
            may_run || pod.is_some_and(|pod| pod.pod.is_critical())
        };
        plan_containers(&found, &run)
            .into_iter()
            .filter(|deletion| !is_protected(&deletion.what))
            .map(|deletion| (deletion.what, deletion.reason.to_string()))
            .collect()
    }
}

fn container(listed: &evictd_containers::ListedContainer) -> Container<'_> {
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
    let lives = |container: &&evictd_containers::ListedContainer| match container.state {
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

fn removed(listing: &RuntimeListing, what: Removable, reason: String) -> Option<Removed> {
    let pod_name = |pod: usize| {
        let pod = listing.pods.get(pod);
        pod.map_or("", |pod| pod.pod.metadata.name.as_str())
    };
    let (kind, id, name) = match what {
        Removable::Container { index, .. } => {
            let container = listing.containers.get(index)?;
            let pod = pod_name(container.pod);
            let name = if pod.is_empty() || pod == container.name {
                container.name.clone()
            } else {
                format!("{pod}/{}", container.name)
            };
            (Kind::Container, &*container.id, name)
        }
        Removable::Sandbox { index } => {
            let sandbox = listing.sandboxes.get(index)?;
            let name = pod_name(sandbox.pod).to_owned();
            (Kind::Sandbox, sandbox.id.as_str(), name)
        }
        Removable::LogDir { .. } => return None,
    };
    Some(Removed {
        kind,
        id: id.to_owned(),
        name,
        listed_bytes: None,
        reason,
    })
}

fn remove(runtime: &mut dyn ContainerRuntime, removed: &Removed) -> Result<(), Error> {
    match removed.kind {
        Kind::Container => runtime.remove_container(&removed.id),
        Kind::Sandbox => runtime.remove_sandbox(&removed.id),
        Kind::Image => runtime.remove_image(&removed.id),
    }
}

/// Whether it is a sandbox with a container that was to go first and has not.
fn is_occupied(removed: &Removed, listing: &RuntimeListing, collected: &RuntimeCollected) -> bool {
    let has_gone = |id: &str| {
        let mut gone = collected.removed.iter();
        gone.any(|gone| gone.kind == Kind::Container && gone.id == id)
    };
    let mut containers = listing.containers.iter();
    removed.kind == Kind::Sandbox
        && containers.any(|container| {
            container.sandbox.as_deref() == Some(&removed.id) && !has_gone(&container.id)
        })
}
