use alloc::sync::Arc;
use core::time::Duration;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use evictd_node::kill::{KillInFlight, KillState};
use evictd_node::pod::Pod;
use evictd_node::{Policy, QosClass};
use evictd_stats::{Hierarchies, Hierarchy, Version, now};
use evictd_sys::{Token, Watch};
use evictd_testkit::needs;
use rustix::io::Errno;
use rustix::process::{Pid, getpid};

use super::{CgroupConfig, CgroupRuntime, ServiceManager, Services, parse_pod_cgroup_root};
use crate::testkit::{Fixture, TestPod, unique, v1, v2};
use crate::{
    FoundPod, Grace, KillLimits, Listing, Origin, Releaser, RootError, SkipReason, Skipped,
};

#[test]
fn pod_cgroup_roots() {
    let cases = [
        ("system.slice", Ok("system.slice")),
        ("/system.slice", Ok("system.slice")),
        ("/a//b/", Ok("a/b")),
        ("/", Err(RootError::Whole)),
        ("", Err(RootError::Whole)),
        ("//", Err(RootError::Whole)),
        ("/a/../b", Err(RootError::Dots(3))),
        ("./a", Err(RootError::Dots(0))),
        ("a/.", Err(RootError::Dots(2))),
        ("a/b\0c", Err(RootError::Nul(3))),
    ];
    for (text, root) in cases {
        let root = root.map(PathBuf::from);
        assert_eq!(parse_pod_cgroup_root(text.as_bytes()), root, "{text:?}");
    }
}

/// A recorded v2 (or v1) machine with the memory controller in `fixture`.
fn hierarchies(fixture: &Fixture, version: Version) -> Hierarchies {
    Hierarchies {
        memory: Some(Hierarchy {
            version,
            mount_point: fixture.path().to_path_buf(),
        }),
        ..Hierarchies::default()
    }
}

fn runtime(hierarchies: Hierarchies, proc: &Path, roots: &[&str]) -> CgroupRuntime {
    CgroupRuntime::new(CgroupConfig {
        hierarchies,
        proc: proc.to_path_buf(),
        pod_cgroup_roots: roots.iter().map(PathBuf::from).collect(),
        services: Services::default(),
        limits: KillLimits::default(),
        releaser: None,
    })
    .unwrap()
}

fn list(fixture: &Fixture, roots: &[&str], manifests: &[Pod]) -> Listing {
    let hierarchies = hierarchies(fixture, Version::V2);
    let manifests: Vec<_> = manifests.iter().cloned().map(Arc::new).collect();
    runtime(hierarchies, Path::new("/proc"), roots).list_pods(&manifests, &[])
}

/// Some process that is no ancestor of ours; the fixtures only name it.
const PROCS: &str = "999999999\n";

fn memory(found: &FoundPod) -> Memory {
    let resources = &found.pod.spec.containers[0].resources;
    let bytes = |quantity: &Option<Box<evictd_quantity::Quantity>>| {
        quantity.as_ref().map(|quantity| quantity.value())
    };
    (
        bytes(&resources.requests.memory),
        bytes(&resources.limits.memory),
        found.pod.qos_class(&Policy::default()),
    )
}

#[test]
fn the_kubepods_tree_of_the_cgroupfs_driver() {
    let fixture = Fixture::new();
    fixture
        .file("kubepods/podg-1/c1/cgroup.procs", PROCS)
        .file("kubepods/podg-1/memory.max", "4096\n")
        .file("kubepods/podg-1/memory.min", "0\n")
        .file("kubepods/burstable/podb-1/cgroup.procs", PROCS)
        .file("kubepods/burstable/podb-1/memory.min", "8192\n")
        .file("kubepods/besteffort/pode-1/c1/cgroup.procs", PROCS)
        .file("kubepods/besteffort/podempty/c1/cgroup.procs", "")
        .file("kubepods/besteffort/other/cgroup.procs", PROCS)
        .file("system.slice/sshd.service/cgroup.procs", PROCS);
    let listing = list(&fixture, &[], &[]);
    let found: Vec<_> = listing.pods.iter().map(summary).collect();
    let expected = [
        (
            "kubepods/besteffort/pode-1",
            "e-1",
            (None, None, QosClass::BestEffort),
        ),
        (
            "kubepods/burstable/podb-1",
            "b-1",
            (Some(8192), None, QosClass::Burstable),
        ),
        (
            "kubepods/podg-1",
            "g-1",
            (Some(4096), Some(4096), QosClass::Guaranteed),
        ),
    ];
    assert_eq!(
        found,
        expected.map(|(path, uid, memory)| (path.into(), uid.into(), memory))
    );
    let empty = Skipped {
        cgroup: Path::new("kubepods/besteffort/podempty").into(),
        reason: SkipReason::NoProcesses,
    };
    assert_eq!(listing.skipped, [empty]);
}

fn summary(found: &FoundPod) -> (PathBuf, String, Memory) {
    let uid = found.pod.metadata.uid.clone();
    (found.cgroup.to_path_buf(), uid, memory(found))
}

#[test]
fn the_kubepods_tree_of_the_systemd_driver() {
    let fixture = Fixture::new();
    let burstable = "kubepods.slice/kubepods-burstable.slice";
    let pod = format!("{burstable}/kubepods-burstable-podab_cd.slice");
    let procs = format!("{pod}/cri-containerd-0123.scope/cgroup.procs");
    fixture.file(&procs, PROCS);
    fixture.file("kubepods.slice/kubepods-podff_00.slice/cgroup.procs", PROCS);
    let mut manifest = Pod::default();
    manifest.metadata.name = "web".into();
    manifest.metadata.uid = "ab-cd".into();
    let listing = list(&fixture, &[], &[manifest.clone()]);
    assert_eq!(listing.pods.len(), 2, "{listing:?}");
    assert_eq!(&*listing.pods[0].cgroup, Path::new(&pod));
    assert_eq!(*listing.pods[0].pod, manifest);
    assert_eq!(listing.pods[0].manifest, Some(0));
    assert_eq!(listing.pods[0].origin, Origin::Kubepods);
    assert_eq!(listing.pods[1].pod.metadata.uid, "ff-00");
    assert_eq!(
        listing.pods[1].pod.qos_class(&Policy::default()),
        QosClass::Guaranteed
    );
    assert_eq!(listing.not_running, [0_usize; 0]);
}

type Memory = (Option<i64>, Option<i64>, QosClass);

/// The memory of a pod whose cgroup has these two files.
fn said(version: Version, files: [(&str, &str); 2]) -> Memory {
    let fixture = Fixture::new();
    fixture.file("pods/one/cgroup.procs", PROCS);
    for (name, text) in files {
        fixture.file(&format!("pods/one/{name}"), text);
    }
    let hierarchies = hierarchies(&fixture, version);
    let listing = runtime(hierarchies, Path::new("/proc"), &["pods"]).list_pods(&[], &[]);
    assert_eq!(listing.pods[0].pod.metadata.name, "one");
    assert_eq!(listing.pods[0].pod.metadata.uid, "pods/one");
    memory(&listing.pods[0])
}

#[test]
fn what_a_v2_cgroup_says_about_memory() {
    use QosClass::{BestEffort, Burstable, Guaranteed};
    let cases = [
        ("0\n", "max\n", (None, None, BestEffort)),
        ("4096\n", "max\n", (Some(4096), None, Burstable)),
        ("0\n", "4096\n", (None, Some(4096), Burstable)),
        ("4096\n", "4096\n", (Some(4096), Some(4096), Guaranteed)),
        ("4096\n", "8192\n", (Some(4096), Some(8192), Burstable)),
        ("max\n", "max\n", (Some(i64::MAX), None, Burstable)),
        ("junk", "4096\n", (None, Some(4096), Burstable)),
    ];
    for (low, max, expected) in cases {
        let files = [("memory.low", low), ("memory.max", max)];
        assert_eq!(said(Version::V2, files), expected, "{files:?}");
    }
}

#[test]
fn what_a_v1_cgroup_says_about_memory() {
    use QosClass::{BestEffort, Burstable, Guaranteed};
    let none = "9223372036854771712\n";
    let cases = [
        (none, none, (None, None, BestEffort)),
        ("4096\n", none, (Some(4096), None, Burstable)),
        (none, "4096\n", (None, Some(4096), Burstable)),
        ("4096\n", "4096\n", (Some(4096), Some(4096), Guaranteed)),
    ];
    for (soft, hard, expected) in cases {
        let files = [
            ("memory.soft_limit_in_bytes", soft),
            ("memory.limit_in_bytes", hard),
        ];
        assert_eq!(said(Version::V1, files), expected, "{files:?}");
    }
}

#[test]
fn a_guard_in_memory_min_counts_like_one_in_memory_low() {
    let fixture = Fixture::new();
    fixture
        .file("pods/one/cgroup.procs", PROCS)
        .file("pods/one/memory.min", "8192\n")
        .file("pods/one/memory.low", "4096\n");
    let listing = list(&fixture, &["pods"], &[]);
    assert_eq!(
        memory(&listing.pods[0]),
        (Some(8192), None, QosClass::Burstable)
    );
}

fn manifest(namespace: &str, name: &str, uid: &str) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.namespace = namespace.into();
    pod.metadata.name = name.into();
    pod.metadata.uid = uid.into();
    pod
}

#[test]
fn a_child_of_a_root_finds_its_manifest_by_uid_then_by_name() {
    let manifests = [
        manifest("shop", "web", "u-0"),
        manifest("shop", "db", "u-1"),
        manifest("test", "db", "u-2"),
        manifest("", "cache", ""),
        manifest("shop", "u-0", "u-4"),
    ];
    let cases = [
        ("u-0", Some(0)),
        ("u-4", Some(4)),
        ("web", Some(0)),
        ("web.service", Some(0)),
        ("shop_web", Some(0)),
        ("shop_web.scope", Some(0)),
        ("db", None),
        ("test_db", Some(2)),
        ("cache", Some(3)),
        ("default_cache", Some(3)),
        ("shop_cache", None),
        ("other", None),
    ];
    for (name, expected) in cases {
        let fixture = Fixture::new();
        fixture.file(&format!("pods/{name}/cgroup.procs"), PROCS);
        let listing = list(&fixture, &["pods"], &manifests);
        assert_eq!(listing.pods[0].manifest, expected, "{name}");
        assert!(!listing.pods[0].pod.metadata.uid.is_empty(), "{name}");
        let missing = (0..5).filter(|index| Some(*index) != expected);
        assert_eq!(
            listing.not_running,
            missing.collect::<Vec<usize>>(),
            "{name}"
        );
    }
}

/// Acceptance row 176.
#[test]
fn two_cgroups_never_share_an_identity() {
    let uids = |listing: &Listing| -> Vec<String> {
        let pods = listing.pods.iter();
        pods.map(|found| found.pod.metadata.uid.clone()).collect()
    };
    let fixture = Fixture::new();
    fixture
        .file("kubepods/podu-0/cgroup.procs", PROCS)
        .file("pods/web/cgroup.procs", PROCS)
        .file("pods/web.scope/cgroup.procs", PROCS);
    let listing = list(&fixture, &["pods"], &[manifest("shop", "web", "u-0")]);
    assert_eq!(uids(&listing), ["u-0", "pods/web", "pods/web.scope"]);
    // What it says counts for each: nobody loses a priority that was meant for it.
    assert!(listing.pods.iter().all(|found| found.manifest == Some(0)));

    let fixture = Fixture::new();
    for name in [&b"a\xfe"[..], b"a\xff", b"a\\xff", "a\u{fffd}".as_bytes()] {
        let pod = fixture.path().join("pods").join(OsStr::from_bytes(name));
        fs::create_dir_all(&pod).unwrap();
        fs::write(pod.join("cgroup.procs"), PROCS).unwrap();
    }
    let listing = list(&fixture, &["pods"], &[manifest("shop", "a\u{fffd}", "u-0")]);
    let expected = ["pods/a\\\\xff", "u-0", "pods/a\\xfe", "pods/a\\xff"];
    assert_eq!(uids(&listing), expected);
}

#[test]
fn our_own_cgroup_an_ancestors_and_process_1s_are_no_candidates() {
    let us = getpid();
    let parent = Pid::from_raw(77).unwrap();
    let stat = |ppid: i32| format!("1 (x) S {ppid}{}\n", " 0".repeat(30));
    let proc = Fixture::new();
    for (pid, ppid, cgroup) in [
        (us, 77, "0::/pods/evictd.service/inner\n"),
        (parent, 1, "3:memory:/pods/good\n0::/pods/shell\n"),
        (Pid::INIT, 0, "0::/pods/init.scope\n"),
    ] {
        let pid = pid.as_raw_nonzero();
        proc.file(&format!("{pid}/stat"), &stat(ppid))
            .file(&format!("{pid}/cgroup"), cgroup);
    }
    let fixture = Fixture::new();
    for name in ["evictd.service", "shell", "init.scope", "good", "shell2"] {
        fixture.file(&format!("pods/{name}/cgroup.procs"), PROCS);
    }
    let hierarchies = hierarchies(&fixture, Version::V2);
    let listing = runtime(hierarchies, proc.path(), &["pods"]).list_pods(&[], &[]);
    let found: Vec<_> = listing
        .pods
        .iter()
        .map(|found| &found.pod.metadata.name)
        .collect();
    assert_eq!(found, ["good", "shell2"]);
    let skipped = |name: &str, pid| Skipped {
        cgroup: Path::new("pods").join(name).into(),
        reason: SkipReason::Protected(pid),
    };
    let expected = [
        skipped("evictd.service", us),
        skipped("init.scope", Pid::INIT),
        skipped("shell", parent),
    ];
    assert_eq!(listing.skipped, expected);
}

#[test]
fn what_holds_other_pods_or_a_root_is_no_pod() {
    let fixture = Fixture::new();
    fixture
        .file("kubepods/besteffort/podx/cgroup.procs", PROCS)
        .file("a/b/c/cgroup.procs", PROCS)
        .file("a/d/cgroup.procs", PROCS)
        .file("a/childless/cgroup.procs", PROCS);
    let roots = ["kubepods", "a", "a/b", "a/childless", "nowhere"];
    let listing = list(&fixture, &roots, &[]);
    let found: Vec<_> = listing
        .pods
        .iter()
        .map(|found| found.cgroup.to_str().unwrap())
        .collect();
    assert_eq!(found, ["kubepods/besteffort/podx", "a/d", "a/b/c"]);
    let skipped = |cgroup: &str, reason| Skipped {
        cgroup: Path::new(cgroup).into(),
        reason,
    };
    let expected = [
        skipped("nowhere", SkipReason::Failed(Errno::NOENT)),
        skipped("kubepods/besteffort", SkipReason::HoldsPods),
        skipped("a/b", SkipReason::HoldsPods),
        skipped("a/childless", SkipReason::HoldsPods),
    ];
    assert_eq!(listing.skipped, expected);
}

#[test]
fn a_machine_without_cgroups_or_roots_has_no_pods() {
    let listing =
        runtime(Hierarchies::default(), Path::new("/proc"), &["pods"]).list_pods(&[], &[]);
    assert_eq!(listing, Listing::default());
    let fixture = Fixture::new();
    fixture.file("system.slice/sshd.service/cgroup.procs", PROCS);
    assert_eq!(list(&fixture, &[], &[]), Listing::default());
}

/// One of two real pods is found, killed through the ports and driven by the
/// daemon's own pollable set; the other lives on.
fn kill_one_of_two(hierarchies: &Hierarchies) {
    let root = unique("root");
    let mut kept = TestPod::named(hierarchies, Path::new(&root).join("kept"));
    let mut gone = TestPod::named(hierarchies, Path::new(&root).join("gone"));
    let guard = TestPod::named(hierarchies, &root);
    kept.run("", "echo ready; exec sleep 600");
    gone.run("", "trap '' TERM; echo ready; exec sleep 600");
    gone.write("memory.limit_in_bytes", "67108864");
    gone.write("memory.soft_limit_in_bytes", "33554432");

    let mut runtime = runtime(hierarchies.clone(), Path::new("/proc"), &[&root]);
    let releaser = Releaser::new(true);
    releaser.start().unwrap();
    runtime.config_mut().releaser = Some(releaser);
    let listing = runtime.list_pods(&[], &[]);
    let names: Vec<_> = listing
        .pods
        .iter()
        .map(|found| &found.pod.metadata.name)
        .collect();
    assert_eq!(names, ["gone", "kept"]);
    if hierarchies.memory.is_some() {
        let expected = (Some(33_554_432), Some(67_108_864), QosClass::Burstable);
        assert_eq!(memory(&listing.pods[0]), expected);
    }

    let mut watch = Watch::new(&[]).unwrap();
    let grace = Duration::from_millis(30);
    let mut kill = runtime
        .start_kill(now(), &listing.pods[0], Grace::of(grace))
        .unwrap();
    while let KillState::Waiting { until } = kill.poll(now()) {
        kill.each_descriptor(&mut |fd| watch.add(fd, Token(1)).unwrap());
        watch.wait(now(), Some(until)).unwrap();
    }
    assert_eq!(kill.poll(now()), KillState::Gone, "{:?}", kill.report());
    assert_eq!(gone.procs(), [0_i32; 0]);
    assert_eq!(kept.procs().len(), kept.dirs.len(), "the other pod lives");
    let listing = runtime.list_pods(&[], &[]);
    assert_eq!(listing.pods.len(), 1);
    assert_eq!(listing.skipped[0].reason, SkipReason::NoProcesses);
    drop((kept, gone, guard));
}

#[test]
fn real_pods_on_v1() {
    needs!(CgroupV1);
    kill_one_of_two(&v1());
}

#[test]
fn real_pods_on_v2() {
    needs!(Cgroup2);
    kill_one_of_two(&v2());
}

#[test]
fn we_are_never_our_own_candidate_on_this_machine() {
    needs!(CgroupV1);
    let hierarchies = v1();
    let text = fs::read_to_string("/proc/self/cgroup").unwrap();
    let ours = text
        .lines()
        .find_map(|line| line.split_once(":memory:"))
        .unwrap()
        .1;
    let (root, name) = ours.rsplit_once('/').unwrap();
    if name.is_empty() {
        println!("this process is in the root cgroup, which is nobody's child");
        return;
    }
    let root = root.trim_start_matches('/');
    let listing = runtime(hierarchies, Path::new("/proc"), &[root]).list_pods(&[], &[]);
    let cgroup = Path::new(root).join(name);
    assert!(listing.pods.iter().all(|found| *found.cgroup != *cgroup));
    let skipped = listing
        .skipped
        .iter()
        .find(|skipped| *skipped.cgroup == *cgroup)
        .unwrap();
    assert!(
        matches!(skipped.reason, SkipReason::Protected(_)),
        "{skipped}"
    );
}

/// What a service manager's services are found as, in a machine that was recorded.
fn services(fixture: &Fixture, kept_in: Option<&str>, config: Services) -> Vec<String> {
    let mut hierarchies = hierarchies(fixture, Version::V2);
    hierarchies.services = kept_in.map(|dir| Hierarchy {
        version: Version::V1,
        mount_point: fixture.path().join(dir),
    });
    let mut runtime = runtime(hierarchies, Path::new("/proc"), &[]);
    runtime.config_mut().services = config;
    let mut found: Vec<String> = runtime
        .list_pods(&[], &[])
        .pods
        .iter()
        .map(cgroup_of)
        .collect();
    found.sort();
    found
}

fn cgroup_of(found: &FoundPod) -> String {
    found.cgroup.display().to_string()
}

fn of(manager: ServiceManager, never: &[&str]) -> Services {
    Services {
        of: Some(manager),
        sessions: false,
        never: never.iter().map(ToString::to_string).collect(),
    }
}

/// Acceptance row 189: one flag for each layout that OpenRC has, or had.
#[test]
fn openrcs_services_are_found_in_every_layout() {
    let layouts: [(&str, Option<&str>, &str); 3] = [
        ("", None, ""),
        ("openrc.", None, ""),
        ("", Some("openrc"), "openrc/"),
    ];
    for (prefix, kept_in, below) in layouts {
        let fixture = Fixture::new();
        for service in [
            "nginx", "leak", "sshd", "dbus", "docker", "evictd", "net.eth0",
        ] {
            fixture.file(&format!("{below}{prefix}{service}/cgroup.procs"), PROCS);
        }
        fixture.file(&format!("{below}{prefix}stopped/cgroup.procs"), "");
        let found = services(&fixture, kept_in, of(ServiceManager::Openrc, &[]));
        let expected = ["leak", "nginx"].map(|service| format!("{prefix}{service}"));
        assert_eq!(found, expected, "{prefix} {kept_in:?}");
        let spared = of(ServiceManager::Openrc, &["ngin?"]);
        assert_eq!(services(&fixture, kept_in, spared), expected[..1]);
        assert_eq!(services(&fixture, kept_in, Services::default()), [""; 0]);
    }
}

/// Acceptance row 189: also where the memory controller does not know a service.
#[test]
fn systemds_services_are_found_in_all_slices() {
    let fixture = Fixture::new();
    for cgroup in [
        "init.scope",
        "system.slice/web.service",
        "system.slice/sshd.service",
        "system.slice/systemd-journald.service",
        "system.slice/docker-0123.scope",
        "system.slice/system-getty.slice/getty@tty1.service",
        "system.slice/system-worker.slice/worker@1.service",
        "user.slice/user-0.slice/user@0.service",
        "apps.slice/batch.service",
    ] {
        fixture.file(&format!("{cgroup}/cgroup.procs"), PROCS);
    }
    fixture.file("named/system.slice/quiet.service/cgroup.procs", PROCS);
    let all = of(ServiceManager::Systemd, &[]);
    let expected = [
        "apps.slice/batch.service",
        "system.slice/system-worker.slice/worker@1.service",
        "system.slice/web.service",
    ];
    assert_eq!(services(&fixture, None, all.clone()), expected);
    let spared = of(ServiceManager::Systemd, &["worker@*", "batch"]);
    assert_eq!(services(&fixture, None, spared), expected[2..]);
    let quiet = ["system.slice/quiet.service"];
    assert_eq!(services(&fixture, Some("named"), all), quiet);
}

/// Acceptance row 315: each session is a pod, and so is what a user's manager runs; what is
/// above them never is.
#[test]
fn sessions_are_found_and_what_is_above_them_is_not() {
    let fixture = Fixture::new();
    for cgroup in [
        "system.slice/web.service",
        "user.slice",
        "user.slice/odd.scope",
        "user.slice/user-0.slice",
        "user.slice/user-0.slice/session-1.scope",
        "user.slice/user-0.slice/session-c2.scope",
        "user.slice/user-0.slice/session-3.scope/nested.scope",
        "user.slice/user-1000.slice/user@1000.service/init.scope",
        "user.slice/user-1000.slice/user@1000.service/app.slice/dbus.service",
        "user.slice/user-1000.slice/user@1000.service/app.slice/build.service",
        "user.slice/user-1000.slice/user@1000.service/app.slice/app-x.slice/tab.scope",
        "other/session-9.scope",
    ] {
        fixture.file(&format!("{cgroup}/cgroup.procs"), PROCS);
    }
    let sessions = |never: &[&str]| Services {
        sessions: true,
        never: never.iter().map(ToString::to_string).collect(),
        ..Services::default()
    };
    let user = "user.slice/user-1000.slice/user@1000.service/app.slice";
    let expected = [
        "user.slice/user-0.slice/session-1.scope",
        "user.slice/user-0.slice/session-3.scope",
        "user.slice/user-0.slice/session-c2.scope",
        &format!("{user}/app-x.slice/tab.scope"),
        &format!("{user}/build.service"),
    ];
    assert_eq!(services(&fixture, None, sessions(&[])), expected);
    let spared = services(&fixture, None, sessions(&["session-*", "tab*"]));
    assert_eq!(spared, expected[4..]);
    assert_eq!(services(&Fixture::new(), None, sessions(&[])), [""; 0]);
}

/// Acceptance row 189: the root's children, without the system's own.
#[test]
fn the_root_and_system_slice_keep_what_is_the_systems() {
    let fixture = Fixture::new();
    for cgroup in [
        "web",
        "sshd",
        "init.scope",
        "user.slice",
        "system.slice",
        "docker",
    ] {
        fixture.file(&format!("{cgroup}/cgroup.procs"), PROCS);
    }
    for service in ["sshd.service", "batch.service"] {
        fixture.file(&format!("system.slice/{service}/cgroup.procs"), PROCS);
    }
    fixture.file("pods/sshd/cgroup.procs", PROCS);
    let found = |root| {
        let pods = list(&fixture, &[root], &[]).pods;
        pods.iter().map(cgroup_of).collect::<Vec<_>>()
    };
    assert_eq!(found(""), ["pods", "web"]);
    assert_eq!(found("system.slice"), ["system.slice/batch.service"]);
    assert_eq!(found("pods"), ["pods/sshd"]);
}
