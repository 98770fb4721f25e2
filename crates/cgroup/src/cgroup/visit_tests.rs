//! What is shown of pods while they are listed, and what is taken over from the list
//! before.

use alloc::sync::Arc;
use core::time::Duration;
use std::path::{Path, PathBuf};

use evictd_node::kill::{KillInFlight, KillState};
use evictd_node::pod::Pod;
use evictd_stats::{Hierarchies, Hierarchy, Version, now};
use evictd_testkit::needs;

use super::{CgroupConfig, CgroupRuntime};
use crate::testkit::{Fixture, TestPod, unique, v2};
use crate::{FoundPod, Grace, KillLimits, Listing, RuntimePod, Services, SkipReason};

const PROCS: &str = "999999999\n";

fn new_runtime(fixture: &Fixture) -> CgroupRuntime {
    let memory = Hierarchy {
        version: Version::V2,
        mount_point: fixture.path().to_path_buf(),
    };
    CgroupRuntime::new(CgroupConfig {
        hierarchies: Hierarchies {
            memory: Some(memory),
            ..Hierarchies::default()
        },
        proc: PathBuf::from("/proc"),
        pod_cgroup_roots: vec![PathBuf::from("pods")],
        services: Services::default(),
        limits: KillLimits::default(),
        releaser: None,
    })
    .unwrap()
}

fn named<'a>(listing: &'a Listing, name: &str) -> &'a FoundPod {
    let is = |found: &&FoundPod| found.pod.metadata.name == name;
    listing.pods.iter().find(is).unwrap()
}

#[test]
fn each_pod_is_shown_with_its_open_cgroup_and_may_be_left_out() {
    let fixture = Fixture::new();
    for name in ["a", "b", "c"] {
        fixture
            .file(&format!("pods/{name}/cgroup.procs"), PROCS)
            .file(&format!("pods/{name}/which"), name);
    }
    let mut shown = Vec::new();
    let mut runtime = new_runtime(&fixture);
    let mut listing = Listing::default();
    runtime.list_again(&mut listing, &[], &[], &mut |found, dir| {
        let mut text = Vec::new();
        crate::dir::read_file(dir.unwrap(), c"which", &mut text).unwrap();
        shown.push((found.cgroup.to_path_buf(), String::from_utf8(text).unwrap()));
        found.pod.metadata.name != "b"
    });
    let expected = ["a", "b", "c"].map(|name| (Path::new("pods").join(name), name.to_owned()));
    assert_eq!(shown, expected);
    let cgroups: Vec<_> = listing.pods.iter().map(|found| &*found.cgroup).collect();
    assert_eq!(cgroups, [Path::new("pods/a"), Path::new("pods/c")]);
}

#[test]
fn what_has_not_changed_is_taken_over() {
    let fixture = Fixture::new();
    for name in ["a", "b", "c", "known"] {
        fixture
            .file(&format!("pods/{name}/cgroup.procs"), PROCS)
            .file(&format!("pods/{name}/memory.max"), "1048576\n");
    }
    let mut runtime = new_runtime(&fixture);
    let mut list = |manifests: &[Arc<Pod>]| {
        let mut listing = Listing::default();
        runtime.list_again(&mut listing, manifests, &[], &mut |_, _| true);
        listing
    };
    let first = list(&[]);
    // The limit of one changes, one ends, one gets a manifest, one is new.
    fixture
        .file("pods/b/memory.max", "2097152\n")
        .file("pods/a/cgroup.procs", "")
        .file("pods/d/cgroup.procs", PROCS);
    let mut manifest = Pod::default();
    manifest.metadata.name = "known".into();
    manifest.spec.priority = Some(3);
    let manifest = Arc::new(manifest);
    let manifests = core::slice::from_ref(&manifest);
    let second = list(manifests);
    assert_eq!(second, new_runtime(&fixture).list_pods(manifests, &[]));
    let kept = |name| Arc::ptr_eq(&named(&first, name).pod, &named(&second, name).pod);
    assert_eq!(["b", "c", "known"].map(kept), [false, true, false]);
    assert_eq!(named(&second, "known").pod.priority(), 3);
    // Without its manifest it is what its cgroup says again.
    let third = list(&[]);
    assert_eq!(named(&third, "known").pod, named(&first, "known").pod);
}

/// A thousand of each kind are found again as one is, and one by one as all together.
#[test]
fn many_pods_find_what_belongs_to_them() {
    let fixture = Fixture::new();
    let (mut manifests, mut known) = (Vec::new(), Vec::new());
    for number in 0..300 {
        let (uid, name) = (format!("u-{number}"), format!("name{number}"));
        let in_systemds_words = format!("kubepods.slice/kubepods-podu_{number}.slice");
        fixture.file(&format!("{in_systemds_words}/x/cgroup.procs"), PROCS);
        fixture.file(&format!("pods/default_{name}/cgroup.procs"), PROCS);
        let mut manifest = Pod::default();
        manifest.metadata.name.clone_from(&name);
        manifest.spec.priority = Some(number);
        manifests.push(Arc::new(manifest));
        let mut pod = Pod::default();
        pod.metadata.uid = uid;
        pod.metadata.name = format!("of-runtime{number}");
        known.push(RuntimePod {
            pod: pod.into(),
            cgroups: vec![Path::new(&in_systemds_words).join("x").into()],
            ..RuntimePod::default()
        });
    }
    manifests.reverse();
    let listing = new_runtime(&fixture).list_pods(&manifests, &[&known]);
    assert_eq!((listing.pods.len(), listing.skipped.len()), (600, 0));
    assert_eq!(listing.not_running, [0; 0]);
    for (number, priority) in (0..300).zip(0..) {
        assert_eq!(
            named(&listing, &format!("name{number}")).pod.priority(),
            priority
        );
        let found = named(&listing, &format!("of-runtime{number}"));
        assert_eq!(found.runtime, Some(number));
        let uid = format!("u-{number}");
        assert_eq!(found.pod.metadata.uid, uid);
    }
}

#[test]
fn a_cgroup_whose_first_child_is_empty_runs_all_the_same() {
    let fixture = Fixture::new();
    for name in ["below", "deep", "own"] {
        for child in ["1", "2", "3"] {
            fixture.file(&format!("pods/{name}/{child}/cgroup.procs"), "");
        }
        fixture.file(&format!("pods/{name}/cgroup.procs"), "");
    }
    fixture
        .file("pods/below/2/cgroup.procs", PROCS)
        .file("pods/deep/3/x/y/cgroup.procs", PROCS)
        .file("pods/own/cgroup.procs", PROCS)
        .file("pods/empty/1/cgroup.procs", "");
    let listing = new_runtime(&fixture).list_pods(&[], &[]);
    let found = listing.pods.iter().map(|found| &*found.pod.metadata.name);
    assert_eq!(found.collect::<Vec<_>>(), ["below", "deep", "own"]);
    let skipped: Vec<_> = listing.skipped.iter().map(|one| one.reason).collect();
    assert_eq!(skipped, [SkipReason::NoProcesses]);
}

/// One that begins while another goes on has lists of its own.
#[test]
fn one_kill_knows_nothing_of_another() {
    needs!(Cgroup2);
    let hierarchies = v2();
    let root = unique("root");
    let guard = TestPod::named(&hierarchies, &root);
    let mut pods = ["a", "b", "c"].map(|name| {
        let mut pod = TestPod::named(&hierarchies, Path::new(&root).join(name));
        pod.run("", "trap '' TERM; echo ready; exec sleep 600");
        pod
    });
    pods[0].run("", "trap '' TERM; echo ready; exec sleep 600");
    let mut runtime = CgroupRuntime::new(CgroupConfig {
        hierarchies,
        proc: PathBuf::from("/proc"),
        pod_cgroup_roots: vec![PathBuf::from(&root)],
        services: Services::default(),
        limits: KillLimits::default(),
        releaser: None,
    })
    .unwrap();
    let listing = runtime.list_pods(&[], &[]);
    let mut begin = |index: usize, grace| {
        let how = Grace::of(Duration::from_secs(grace));
        runtime
            .start_kill(now(), &listing.pods[index], how)
            .unwrap()
    };
    // Two at once, then one after them.
    let (mut first, waiting) = (begin(0, 0), begin(1, 600));
    while let KillState::Waiting { .. } = first.poll(now()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(first.report().processes, 2);
    drop((first, waiting));
    let mut third = begin(2, 0);
    while let KillState::Waiting { .. } = third.poll(now()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(third.poll(now()), KillState::Gone);
    assert_eq!(third.report().processes, 1);
    assert_eq!(pods[2].procs(), [0_i32; 0]);
    assert_eq!(
        pods[1].procs().len(),
        pods[1].dirs.len(),
        "it had its grace"
    );
    drop((pods, guard));
}
