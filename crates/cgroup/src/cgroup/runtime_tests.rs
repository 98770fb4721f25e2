//! Pods that a container runtime knows, among those of the cgroup tree.

use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_node::kill::{KillInFlight, KillState};
use evictd_node::pod::Pod;
use evictd_stats::{Hierarchies, Hierarchy, Version, now};
use evictd_testkit::needs;

use super::{CgroupConfig, CgroupRuntime};
use crate::testkit::{Fixture, TestPod, real, unique, v1};
use crate::{FoundPod, Grace, KillLimits, Listing, Origin, RuntimePod, Services, SkipReason};

const PROCS: &str = "999999999\n";

fn runtime(hierarchies: Hierarchies, roots: &[&str]) -> CgroupRuntime {
    CgroupRuntime::new(CgroupConfig {
        hierarchies,
        proc: PathBuf::from("/proc"),
        pod_cgroup_roots: roots.iter().map(PathBuf::from).collect(),
        services: Services::default(),
        limits: KillLimits::default(),
        releaser: None,
    })
    .unwrap()
}

fn pod(uid: &str, name: &str, cgroups: &[&str]) -> RuntimePod {
    let mut pod = Pod::default();
    pod.metadata.uid = uid.into();
    pod.metadata.name = name.into();
    RuntimePod {
        pod: pod.into(),
        cgroups: cgroups.iter().map(|path| Path::new(path).into()).collect(),
        ..RuntimePod::default()
    }
}

fn list(fixture: &Fixture, roots: &[&str], manifests: &[Pod], known: &[RuntimePod]) -> Listing {
    let hierarchies = Hierarchies {
        memory: Some(Hierarchy {
            version: Version::V2,
            mount_point: fixture.path().to_path_buf(),
        }),
        ..Hierarchies::default()
    };
    let manifests: Vec<_> = manifests.iter().cloned().map(Arc::new).collect();
    runtime(hierarchies, roots).list_pods(&manifests, &[known])
}

fn names(listing: &Listing) -> Vec<(&str, Origin, Option<usize>)> {
    let one = |found: &FoundPod| (found.origin, found.runtime);
    let pods = listing.pods.iter();
    pods.map(|found| (found.pod.metadata.name.as_str(), one(found).0, one(found).1))
        .collect()
}

#[test]
fn a_runtimes_pods_are_merged_by_cgroup() {
    let fixture = Fixture::new();
    for path in [
        "kubepods/burstable/podu1/c1",
        "kubepods/burstable/podu2/c2",
        "docker/aaaa",
        "docker/bbbb",
        "docker/cccc",
    ] {
        fixture.file(&format!("{path}/cgroup.procs"), PROCS);
    }
    for path in ["kubepods/burstable/podu1", "kubepods/burstable/podu2"] {
        fixture.file(&format!("{path}/cgroup.procs"), "");
    }
    let known = [
        pod("u1", "in-its-pod", &["kubepods/burstable/podu1/c1"]),
        pod("not-u2", "by-place", &["kubepods/burstable/podu2/c2"]),
        pod("aaaa", "child-of-a-root", &["docker/aaaa"]),
        pod("p", "project", &["docker/bbbb", "docker/cccc"]),
        pod("gone", "gone", &["docker/dddd"]),
        pod("exited", "exited", &[]),
    ];
    let listing = list(&fixture, &["docker"], &[], &known);
    let expected = [
        ("in-its-pod", Origin::Kubepods, Some(0)),
        ("by-place", Origin::Kubepods, Some(1)),
        ("child-of-a-root", Origin::PodCgroupRoot, Some(2)),
        ("project", Origin::Runtime, Some(3)),
    ];
    assert_eq!(names(&listing), expected);
    let project = listing.pods.last().unwrap();
    assert_eq!(project.cgroups().count(), 2);
    let skipped: Vec<_> = listing.skipped.iter().map(|one| one.reason).collect();
    assert_eq!(skipped, [SkipReason::NoProcesses], "the one that is gone");
}

/// Acceptance row 169: of two runtimes, one says of a container elsewhere that it belongs to
/// the other's pod. Its usage is its own, and what it says counts for itself alone.
#[test]
fn a_uid_makes_no_container_elsewhere_part_of_a_pod_of_kubepods() {
    let fixture = Fixture::new();
    for path in ["kubepods/burstable/podu1/c1", "docker/claims"] {
        fixture.file(&format!("{path}/cgroup.procs"), PROCS);
    }
    fixture.file("kubepods/burstable/podu1/cgroup.procs", "");
    let real = pod("u1", "real", &["kubepods/burstable/podu1/c1"]);
    let mut claims = pod("u1", "claims", &["docker/claims"]);
    Arc::make_mut(&mut claims.pod).spec.priority = Some(2_000_000_000);
    let as_its_cgroup = |listing: &Listing| {
        let of = |found: &FoundPod| (found.pod.metadata.uid.clone(), found.pod.is_critical());
        listing.pods.iter().map(of).collect::<Vec<_>>()
    };
    let apart = [("u1".to_owned(), false), ("docker/claims".to_owned(), true)];
    // Whichever runtime answers first, and before the pod's own has.
    for known in [
        vec![real.clone(), claims.clone()],
        vec![claims.clone(), real],
        vec![claims],
    ] {
        let listing = list(&fixture, &[], &[], &known);
        assert_eq!(as_its_cgroup(&listing), apart, "{:?}", names(&listing));
    }
}

/// Docker's containers are listed by its containerd, too, and an engine may have two sockets.
#[test]
fn a_cgroup_that_two_runtimes_list_is_one_pods() {
    let fixture = Fixture::new();
    for path in ["docker/a", "docker/b", "docker/c", "kubepods/podu1/d"] {
        fixture.file(&format!("{path}/cgroup.procs"), PROCS);
    }
    fixture.file("kubepods/podu1/cgroup.procs", "");
    let whole = |name: &str| {
        vec![
            pod(name, "single", &["docker/a"]),
            pod("project", name, &["docker/b", "docker/c"]),
            pod("u1", name, &["kubepods/podu1/d"]),
        ]
    };
    let apart = |name: &str| {
        let of = |cgroup: &&str| pod(&format!("{name}-{cgroup}"), name, &[*cgroup]);
        let all = ["docker/a", "docker/b", "docker/c", "kubepods/podu1/d"];
        all.iter().map(of).collect::<Vec<_>>()
    };
    let backwards = |name: &str| vec![pod("project", name, &["docker/c", "docker/b"])];
    for (what, first, second) in [
        ("two sockets of one engine", whole("one"), whole("other")),
        ("its containerd after it", whole("one"), apart("other")),
        ("its containerd before it", apart("one"), whole("other")),
        ("in another order", whole("one"), backwards("other")),
        ("in another order, first", backwards("one"), whole("other")),
    ] {
        let known = [first, second].concat();
        let listing = list(&fixture, &["docker"], &[], &known);
        let mut cgroups: Vec<_> = listing.pods.iter().flat_map(FoundPod::cgroups).collect();
        cgroups.sort_unstable();
        let before = cgroups.len();
        cgroups.dedup();
        assert_eq!(cgroups.len(), before, "{what}: {:?}", names(&listing));
        let roots = list(&fixture, &[], &[], &known);
        let mut cgroups: Vec<_> = roots.pods.iter().flat_map(FoundPod::cgroups).collect();
        cgroups.sort_unstable();
        let all = ["docker/a", "docker/b", "docker/c", "kubepods/podu1"].map(Path::new);
        assert_eq!(cgroups, all, "{what}: {:?}", names(&roots));
    }
}

#[test]
fn a_manifest_describes_a_runtimes_pod_better() {
    let fixture = Fixture::new();
    fixture.file("docker/aaaa/cgroup.procs", PROCS);
    let mut manifest = Pod::default();
    manifest.metadata.name = "web".into();
    manifest.spec.priority = Some(7);
    let mut known = pod("aaaa", "web", &["docker/aaaa"]);
    Arc::make_mut(&mut known.pod).metadata.namespace = "default".into();
    let listing = list(&fixture, &[], &[manifest], &[known]);
    assert_eq!(listing.pods[0].manifest, Some(0));
    assert_eq!(listing.pods[0].pod.spec.priority, Some(7));
    assert_eq!(listing.pods[0].pod.metadata.uid, "aaaa");
}

#[test]
fn where_the_runtime_says_nothing_the_cgroup_does() {
    let fixture = Fixture::new();
    fixture.file("k8s/aaaa/cgroup.procs", PROCS);
    fixture.file("k8s/aaaa/memory.low", "1048576\n");
    fixture.file("k8s/aaaa/memory.max", "2097152\n");
    let mut silent = pod("u", "silent", &["k8s/aaaa"]);
    Arc::make_mut(&mut silent.pod)
        .spec
        .containers
        .push(evictd_node::pod::Container {
            name: "main".into(),
            ..evictd_node::pod::Container::default()
        });
    let listing = list(&fixture, &[], &[], &[silent.clone()]);
    let container = &listing.pods[0].pod.spec.containers[0];
    assert_eq!(container.name, "main");
    let bytes = |q: &Option<Box<evictd_quantity::Quantity>>| q.as_ref().map(|q| q.value());
    assert_eq!(bytes(&container.resources.requests.memory), Some(1_048_576));
    assert_eq!(bytes(&container.resources.limits.memory), Some(2_097_152));

    let mut speaking = silent;
    let said = &mut Arc::make_mut(&mut speaking.pod).spec.containers[0].resources;
    said.limits = container.resources.requests.clone();
    let listing = list(&fixture, &[], &[], &[speaking.clone()]);
    assert_eq!(
        listing.pods[0].pod.spec.containers,
        speaking.pod.spec.containers
    );
}

#[test]
fn we_are_never_a_runtimes_candidate() {
    needs!(CgroupV1);
    let text = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let ours = text.lines().find_map(|line| line.split_once(":memory:"));
    let ours = ours.unwrap().1.trim_start_matches('/').to_owned();
    // An empty path is the root, of which we are a part in any case.
    let hierarchies = v1();
    let other = unique("other");
    let known = pod("u", "evictd-itself", &[&other, &ours]);
    let listing = runtime(hierarchies, &[]).list_pods(&[], &[&[known]]);
    assert!(listing.pods.is_empty());
    assert!(matches!(
        listing.skipped[0].reason,
        SkipReason::Protected(_)
    ));
}

/// A pod of two cgroups goes as a whole.
#[test]
fn all_cgroups_of_a_pod_are_killed() {
    needs!(Cgroups);
    let hierarchies = real();
    let root = unique("project");
    let guard = TestPod::named(&hierarchies, &root);
    let mut parts =
        ["one", "two"].map(|name| TestPod::named(&hierarchies, Path::new(&root).join(name)));
    parts[0].run("", "echo ready; exec sleep 600");
    parts[1].run("", "trap '' TERM; echo ready; exec sleep 600");
    let paths = parts
        .each_ref()
        .map(|part| part.path.to_str().unwrap().to_owned());
    let known = pod("p", "project", &[&paths[0], &paths[1]]);
    let mut runtime = runtime(hierarchies, &[]);
    let listing = runtime.list_pods(&[], &[&[known]]);
    assert_eq!(listing.pods.len(), 1);
    let grace = Grace::of(Duration::from_millis(30));
    let mut kill = runtime.start_kill(now(), &listing.pods[0], grace).unwrap();
    loop {
        match kill.poll(now()) {
            KillState::Waiting { .. } => std::thread::sleep(Duration::from_millis(2)),
            state @ (KillState::Gone | KillState::Stuck) => {
                assert_eq!(state, KillState::Gone, "{:?}", kill.report());
                break;
            }
        }
    }
    assert_eq!(kill.report().processes, 2);
    assert!(kill.report().term_sent < kill.report().kill_sent);
    for part in &parts {
        assert_eq!(part.procs(), [0_i32; 0]);
    }
    drop((parts, guard));
}
