//! A name, a path or a number that somebody else has by the time that a pod is killed.

use std::path::{Path, PathBuf};

use evictd_node::kill::{KillInFlight, KillState};
use evictd_stats::{Hierarchies, now};
use evictd_testkit::needs;

use super::{CgroupConfig, CgroupRuntime};
use crate::testkit::{TestPod, real, unique, v2};
use crate::{FoundPod, Grace, Kill};

const RUNS: &str = "echo ready; exec sleep 600";

/// A pod below a root of its own, and the list that has it.
fn listed(hierarchies: &Hierarchies, root: &str) -> (CgroupRuntime, TestPod, FoundPod) {
    let mut config = CgroupConfig::new(hierarchies.clone());
    config.pod_cgroup_roots = vec![PathBuf::from(root)];
    let mut runtime = CgroupRuntime::new(config).unwrap();
    let pod = running(hierarchies, root);
    let listing = runtime.list_pods(&[], &[]);
    assert_eq!(listing.pods.len(), 1, "{listing:?}");
    let found = listing.pods[0].clone();
    (runtime, pod, found)
}

fn running(hierarchies: &Hierarchies, root: &str) -> TestPod {
    let mut pod = TestPod::named(hierarchies, Path::new(root).join("web"));
    pod.run("", RUNS);
    pod
}

fn end(mut kill: Box<Kill>) -> Box<Kill> {
    loop {
        match kill.poll(now()) {
            KillState::Waiting { .. } => std::thread::sleep(core::time::Duration::from_millis(2)),
            KillState::Gone => return kill,
            KillState::Stuck => panic!("{:?}", kill.report()),
        }
    }
}

fn check_survives(hierarchies: &Hierarchies) {
    let root = unique("reused");
    let guard = TestPod::named(hierarchies, &root);
    let (mut runtime, former, found) = listed(hierarchies, &root);
    drop(former);
    let new = running(hierarchies, &root);
    let runs = new.procs();
    assert!(!runs.is_empty());
    let kill = runtime.start_kill(now(), &found, Grace::default()).unwrap();
    let kill = end(kill);
    assert_eq!(kill.report().processes, 0);
    assert_eq!(new.procs(), runs, "the pod that took its name runs on");
    // It is a pod like any other from the next list on.
    let listing = runtime.list_pods(&[], &[]);
    let kill = runtime.start_kill(now(), &listing.pods[0], Grace::default());
    assert_eq!(end(kill.unwrap()).report().processes, 1);
    drop((new, guard));
}

#[test]
fn a_pod_that_took_the_name_of_a_listed_one_is_not_killed_for_it() {
    needs!(Cgroups);
    check_survives(&real());
}

#[test]
fn a_pod_that_took_the_name_of_a_listed_one_is_not_killed_for_it_on_v2() {
    needs!(Cgroup2);
    check_survives(&v2());
}

/// Between the kill's begin and SIGKILL lies a grace period.
#[test]
fn a_pod_that_took_the_name_during_the_grace_period_is_not_killed() {
    needs!(Cgroups);
    let hierarchies = real();
    let root = unique("graced");
    let guard = TestPod::named(&hierarchies, &root);
    let (mut runtime, former, found) = listed(&hierarchies, &root);
    let grace = Grace::of(core::time::Duration::from_millis(300));
    let kill = runtime.start_kill(now(), &found, grace).unwrap();
    drop(former);
    let new = running(&hierarchies, &root);
    let runs = new.procs();
    end(kill);
    assert_eq!(new.procs(), runs);
    drop((new, guard));
}

/// What is known of the former pod is not said of the new one.
#[test]
fn a_pod_that_took_the_name_of_a_listed_one_is_described_anew() {
    needs!(Cgroups);
    let hierarchies = real();
    let root = unique("described");
    let guard = TestPod::named(&hierarchies, &root);
    let (mut runtime, former, _) = listed(&hierarchies, &root);
    let mut listing = runtime.list_pods(&[], &[]);
    assert!(runtime.list_known(&mut listing, &[], &mut |_, _| true));
    drop(former);
    let new = running(&hierarchies, &root);
    let is_whole = runtime.list_known(&mut listing, &[], &mut |_, _| true);
    assert!(!is_whole, "a new pod is no known one");
    drop((new, guard));
}
