//! Container collection.

use core::time::Duration;
use std::collections::HashSet;

use evictd_gc::{
    Container, ContainerPolicy, ContainerRun, ContainerState, Fate, FoundContainers, Kind,
    OwningPod, Sandbox, plan_containers,
};
use evictd_node::Policy;
use serde_json::Value;

use crate::case::{Outcome, flag, integer, list, millis, same, text};
use crate::rules::Rules;

/// Any time will do; that of all cases.
const NOW: i64 = 1_795_179_906_000_000_000;

/// Judges one case.
pub(crate) fn check(case: &Value, rules: Rules) -> Outcome {
    let uids = uids(case);
    let pods: Vec<OwningPod<'_>> = uids.iter().map(|uid| pod(case, uid)).collect();
    let (containers, sandboxes) = (list(case, "containers"), list(case, "sandboxes"));
    let log_dirs: Vec<&str> = strings(case, "podLogDirs").collect();
    let found_containers = containers
        .iter()
        .map(|row| container(row, &uids))
        .collect::<Result<Vec<_>, _>>()?;
    let found_sandboxes = sandboxes
        .iter()
        .map(|row| sandbox(row, &uids))
        .collect::<Result<Vec<_>, _>>()?;
    let found = FoundContainers {
        pods: &pods,
        containers: &found_containers,
        sandboxes: &found_sandboxes,
        log_dirs: &log_dirs,
    };
    let plan = plan_containers(&found, &run(case, &rules.policy())?);
    let mut ours: [HashSet<&str>; 4] = Default::default();
    let [removed, stopped, removed_sandboxes, removed_logs] = &mut ours;
    let mut is_new = true;
    for deletion in &plan {
        let index = deletion.index;
        is_new &= match deletion.kind {
            Kind::Container => {
                let found = found_containers.get(index);
                if found.is_some_and(|one| one.state.is_stopped_first()) {
                    stopped.insert(id(containers, index));
                }
                removed.insert(id(containers, index))
            }
            Kind::Sandbox => removed_sandboxes.insert(id(sandboxes, index)),
            Kind::PodLogs => removed_logs.insert(log_dirs.get(index).copied().unwrap_or("")),
            Kind::Image | Kind::Volume | Kind::LogFile | Kind::Volumes => {
                return Err(format!("{deletion:?} in a plan of containers"));
            }
        };
    }
    same("each once", is_new, true)?;
    let keys = [
        "removedContainers",
        "stoppedContainers",
        "removedSandboxes",
        "removedLogDirs",
    ];
    for (key, ours) in keys.into_iter().zip(ours) {
        same(key, ours, strings(case, key).collect())?;
    }
    same("err", "", text(case, "err"))
}

fn run<'a>(case: &Value, switches: &'a Policy) -> Result<ContainerRun<'a>, String> {
    let policy = case.get("policy").ok_or("no policy")?;
    let most = |key| integer(policy, key).and_then(|most| usize::try_from(most).ok());
    Ok(ContainerRun {
        all_unused: match text(case, "op") {
            "garbageCollect" => false,
            "deleteAllUnused" => true,
            other => return Err(format!("unknown op {other}")),
        },
        policy: ContainerPolicy {
            min_age: Duration::from_nanos(millis(policy, "minAgeMillis").unsigned_abs()),
            max_per_pod_container: most("maxPerPodContainer"),
            max_containers: most("maxContainers"),
        },
        switches,
        all_pods_known: flag(case, "allSourcesReady"),
        now_nanos: NOW,
    })
}

fn id(rows: &[Value], index: usize) -> &str {
    rows.get(index).map_or("", |row| text(row, "id"))
}

fn strings<'a>(case: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    list(case, key).iter().filter_map(Value::as_str)
}

/// The uids of all pods that the case speaks of.
fn uids(case: &Value) -> Vec<&str> {
    let named = ["terminatedPods", "removedPods"];
    let named = named.into_iter().flat_map(|key| strings(case, key));
    let owning = ["containers", "sandboxes"];
    let owning = owning.into_iter().flat_map(|key| list(case, key));
    let owning = owning.map(|row| text(row, "podUid"));
    let uids: HashSet<&str> = named.chain(owning).collect();
    uids.into_iter().collect()
}

fn pod<'a>(case: &Value, uid: &'a str) -> OwningPod<'a> {
    let is_in = |key| strings(case, key).any(|one| one == uid);
    let fate = if is_in("removedPods") {
        Fate::Gone
    } else if is_in("terminatedPods") {
        Fate::Ended
    } else {
        Fate::Stays
    };
    OwningPod { uid, fate }
}

fn owner(row: &Value, uids: &[&str]) -> Result<usize, String> {
    let uid = text(row, "podUid");
    let place = uids.iter().position(|one| *one == uid);
    place.ok_or_else(|| format!("no pod {uid}"))
}

fn attempt(row: &Value) -> u32 {
    let attempt = integer(row, "attempt").and_then(|attempt| u32::try_from(attempt).ok());
    attempt.unwrap_or(0)
}

fn container<'a>(row: &'a Value, uids: &[&str]) -> Result<Container<'a>, String> {
    Ok(Container {
        name: text(row, "name"),
        pod: owner(row, uids)?,
        sandbox: Some(text(row, "sandboxId")),
        state: match text(row, "state") {
            "running" => ContainerState::Running,
            "created" | "exited" => ContainerState::Dead,
            "unknown" => ContainerState::Unknown,
            other => return Err(format!("unknown state {other}")),
        },
        created_nanos: NOW - millis(row, "createdAgoMillis"),
        finished_nanos: None,
        attempt: attempt(row),
    })
}

fn sandbox<'a>(row: &'a Value, uids: &[&str]) -> Result<Sandbox<'a>, String> {
    Ok(Sandbox {
        id: text(row, "id"),
        pod: owner(row, uids)?,
        ready: text(row, "state") == "ready",
        created_nanos: NOW - millis(row, "createdAgoMillis"),
        attempt: attempt(row),
    })
}
