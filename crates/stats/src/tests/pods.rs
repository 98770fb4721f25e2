use core::time::Duration;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;

use evictd_kerntext::Limit;
use evictd_node::{Mono, Signal};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::tree::Tree;
use crate::{
    Hierarchies, Hierarchy, NodeReader, NodeSettings, PodReader, PodSample, Version,
    read_cgroup_limit_hits, read_cgroup_oom_kills, take_lack,
};

const STAT: &str = "anon 1\nfile 2\ninactive_file 4000\ntotal_inactive_file 5000\n";

fn tree(version: Version) -> (Tree, Hierarchies) {
    let tree = Tree::new();
    tree.put("proc/meminfo", "MemTotal: 1024000 kB\nMemAvailable: 1 kB\n")
        .put("proc/loadavg", "0 0 0 1/100 1\n")
        .put("proc/sys/kernel/pid_max", "32768\n")
        .put("cg/memory.stat", "anon 1\nfile 1\n")
        .put("cg/memory.usage_in_bytes", "2\n");
    let one = Some(Hierarchy {
        version,
        mount_point: tree.path("cg"),
    });
    let hierarchies = Hierarchies {
        memory: one.clone(),
        pids: one,
        ..Hierarchies::default()
    };
    (tree, hierarchies)
}

fn reader(tree: &Tree, hierarchies: Hierarchies) -> NodeReader {
    let mut settings = NodeSettings::new(&tree.path("proc"), hierarchies, tree.root());
    settings.pods_cgroup = Some("/kube/pods".into());
    NodeReader::open(settings).unwrap()
}

#[test]
fn the_pods_cgroup_gives_a_signal_only_below_a_limit() {
    let v1 = ("memory.usage_in_bytes", "memory.limit_in_bytes");
    let v2 = ("memory.current", "memory.max");
    for (version, (usage, limit), text, available, capacity) in [
        (Version::V1, v1, "60000\n", Some(45_000), 60_000),
        (Version::V2, v2, "60000\n", Some(44_000), 60_000),
        (Version::V1, v1, "10000\n", Some(0), 15_000),
        (Version::V1, v1, "9223372036854771712\n", None, 0),
        (Version::V2, v2, "max\n", None, 0),
    ] {
        let (tree, hierarchies) = tree(version);
        tree.put("cg/kube/pods/memory.stat", STAT)
            .put(&format!("cg/kube/pods/{usage}"), "20000\n")
            .put(&format!("cg/kube/pods/{limit}"), text);
        let mut reader = reader(&tree, hierarchies);
        let sample = reader.read(Mono::ZERO, Duration::ZERO);
        assert_eq!(reader.errors(), [], "{text}");
        let pods = sample.pods_memory.unwrap();
        let usage = pods.usage.map(|usage| usage.usage_bytes);
        assert_eq!(usage, available.map(|_| 20_000), "{text}");
        assert_eq!(pods.available_bytes(), available, "{text}");
        assert_eq!(pods.limit == Limit::Max, available.is_none(), "{text}");
        let signal = Signal::AllocatableMemoryAvailable;
        let reading = sample.readings().get(signal);
        assert_eq!(reading.is_some(), available.is_some(), "{text}");
        assert!(reading.is_none_or(|found| found.capacity == capacity));
    }
}

#[test]
fn what_is_kept_from_pods_limits_them_where_their_cgroup_does_not() {
    // The machine has 1024000 KiB.
    const ALL: u64 = 1_024_000 * 1024;
    for (limit, kept, expected) in [
        ("max\n", 0, Limit::Max),
        ("max\n", 1000, Limit::Value(ALL - 1000)),
        ("60000\n", 1000, Limit::Value(60_000)),
        ("60000\n", ALL - 50_000, Limit::Value(50_000)),
        ("max\n", u64::MAX, Limit::Value(0)),
    ] {
        let (tree, hierarchies) = tree(Version::V2);
        tree.put("cg/kube/pods/memory.stat", STAT)
            .put("cg/kube/pods/memory.current", "20000\n")
            .put("cg/kube/pods/memory.max", limit);
        let mut settings = NodeSettings::new(&tree.path("proc"), hierarchies, tree.root());
        settings.pods_cgroup = Some("/kube/pods".into());
        settings.kept_from_pods = kept;
        let mut reader = NodeReader::open(settings).unwrap();
        let pods = reader.read(Mono::ZERO, Duration::ZERO).pods_memory.unwrap();
        assert_eq!(pods.limit, expected, "{limit} {kept}");
        let left = expected.value().map(|limit| limit.saturating_sub(16_000));
        assert_eq!(pods.available_bytes(), left, "{limit} {kept}");
    }
}

#[test]
fn a_pods_cgroup_may_come_later() {
    let (tree, hierarchies) = tree(Version::V2);
    let mut reader = reader(&tree, hierarchies);
    assert_eq!(reader.read(Mono::ZERO, Duration::ZERO).pods_memory, None);
    assert_eq!(reader.errors(), []);
    tree.put("cg/kube/pods/memory.stat", STAT)
        .put("cg/kube/pods/memory.current", "20000\n")
        .put("cg/kube/pods/memory.max", "lots\n");
    // It is looked for every five seconds.
    assert_eq!(
        reader
            .read(Mono::from_millis(4999), Duration::ZERO)
            .pods_memory,
        None
    );
    assert_eq!(reader.errors(), []);
    let later = Mono::from_millis(5000);
    assert_eq!(reader.read(later, Duration::ZERO).pods_memory, None);
    assert_eq!(reader.errors().len(), 1);
    tree.put("cg/kube/pods/memory.max", "max\n");
    assert!(reader.read(later, Duration::ZERO).pods_memory.is_some());
}

#[test]
fn a_pod_is_read_by_its_cgroup() {
    let v1 = (
        "memory.usage_in_bytes",
        "memory.memsw.usage_in_bytes",
        "23000\n",
    );
    let v2 = ("memory.current", "memory.swap.current", "3000\n");
    for (version, (usage, swap, in_swap), working_set) in
        [(Version::V1, v1, 15_000), (Version::V2, v2, 16_000)]
    {
        let (tree, hierarchies) = tree(version);
        tree.put("cg/pod/memory.stat", STAT)
            .put(&format!("cg/pod/{usage}"), "20000\n")
            .put("cg/pod/pids.current", "7\n");
        let open = || open(&hierarchies);
        let mut reader = PodReader::new(&hierarchies);
        let sample = reader.read(POD.as_ref(), None).unwrap();
        let memory = sample.memory.unwrap();
        assert_eq!(memory.working_set_bytes(), working_set);
        assert_eq!(sample.process_count, Some(7));
        assert_eq!(sample.swap_bytes, None, "the kernel does not count swap");
        tree.put(&format!("cg/pod/{swap}"), in_swap);
        let sample = reader.read(POD.as_ref(), Some(open())).unwrap();
        assert_eq!(sample.swap_bytes, Some(3_000));
        // Alone it costs less, and is never less than the working set.
        let bound = reader.read_usage_bytes(open());
        assert_eq!(bound, Some(memory.usage_bytes));
        let exact = reader.read_working_set_bytes(open());
        assert_eq!(exact, Some(working_set));
        assert_eq!(reader.errors(), []);
        assert_eq!(reader.read("other".as_ref(), None), None);
    }
}

const POD: &str = "pod";

fn open(hierarchies: &Hierarchies) -> OwnedFd {
    let memory = hierarchies.memory.as_ref().unwrap();
    memory.open(POD.as_ref()).unwrap().unwrap()
}

#[test]
fn without_pids_current_processes_are_counted_all_the_way_down() {
    let (tree, mut hierarchies) = tree(Version::V1);
    tree.put("cg/pod/cgroup.procs", "10\n11\n")
        .put("cg/pod/a/cgroup.procs", "12\n")
        .put("cg/pod/a/b/cgroup.procs", "13\n14\n")
        .put("cg/pod/no-procs/notes", "");
    hierarchies.memory = None;
    let mut reader = PodReader::new(&hierarchies);
    let sample = reader.read(POD.as_ref(), None).unwrap();
    assert_eq!(sample.process_count, Some(5));
    assert_eq!(reader.errors(), []);
}

#[test]
fn a_vanished_pod_is_none_and_garbage_an_error() {
    let (tree, hierarchies) = tree(Version::V2);
    tree.put("cg/pod/memory.current", "1 apple\n")
        .put("cg/pod/cgroup.procs", "");
    let mut reader = PodReader::new(&hierarchies);
    assert_eq!(reader.read(POD.as_ref(), None).unwrap().memory, None);
    assert_eq!(reader.errors()[0].path, tree.path("cg/pod/memory.current"));
    assert_eq!(reader.read_usage_bytes(open(&hierarchies)), None);
    let opened = [open(&hierarchies), open(&hierarchies)];
    tree.remove("cg/pod");
    let [one, other] = opened;
    assert_eq!(reader.read_usage_bytes(one), None);
    let nothing = Some(PodSample::default());
    assert_eq!(reader.read(POD.as_ref(), Some(other)), nothing);
    assert_eq!(reader.read(POD.as_ref(), None), None);
    assert_eq!(reader.errors(), []);
}

/// Acceptance row 171: forked processes share their pages, which count once.
#[test]
fn without_a_memory_controller_the_processes_stand_in() {
    let (tree, hierarchies) = tree(Version::V2);
    tree.put("cg/pod/cgroup.procs", "10\n11\n")
        .put("cg/pod/a/cgroup.procs", "12\n13\n")
        .put("proc/10/statm", "900 100 0 0\n")
        .put("proc/10/smaps_rollup", "Rss: 400 kB\nPss: 300 kB\n")
        .put("proc/11/statm", "900 100 0 0\n")
        .put("proc/11/smaps_rollup", "Rss: 400 kB\nPss: 100 kB\n")
        .put("proc/12/statm", "900 1 0 0\n")
        .put("cg/idle/cgroup.procs", "");
    let page = 64 << 10;
    let mut reader = PodReader::with_proc(&hierarchies, &tree.path("proc"), page);
    let sample = reader.read(POD.as_ref(), None).unwrap();
    assert_eq!(sample.memory, None);
    assert_eq!(sample.resident_bytes, Some(201 * page));
    // The helper may be late on a busy machine: then the largest process counts.
    let told_apart = || reader.read_resident_bytes(POD.as_ref());
    let mut found = core::iter::repeat_with(told_apart).take(1000);
    let expected = Some((400 << 10) + page);
    assert!(found.any(|found| {
        assert!(found == expected || found == Some(100 * page), "{found:?}");
        found == expected
    }));
    let idle = reader.read("idle".as_ref(), None).unwrap();
    assert_eq!(idle.resident_bytes, Some(0));
    assert_eq!(reader.errors(), []);
}

/// Runs the test of that name alone in a process of its own, which may do to itself what it
/// likes; `true` in that process.
fn is_alone(test: &str) -> bool {
    const ALONE: &str = "EVICTD_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut alone = Command::new(std::env::current_exe().unwrap());
    let alone = alone.args([test, "--exact", "--nocapture"]).env(ALONE, "1");
    assert!(alone.status().unwrap().success());
    false
}

/// Acceptance row 278: of a pod that cannot be opened nothing is known; it is not gone.
#[test]
fn a_pod_is_not_gone_for_want_of_a_descriptor() {
    if !is_alone("tests::pods::a_pod_is_not_gone_for_want_of_a_descriptor") {
        return;
    }
    let (tree, hierarchies) = tree(Version::V1);
    tree.put("cg/a/memory.usage_in_bytes", "9000\n")
        .put("cg/a/memory.stat", STAT)
        .put("cg/a/pids.current", "3\n");
    let open = || hierarchies.memory.as_ref().unwrap().open(Path::new("a"));
    let mut reader = PodReader::new(&hierarchies);
    assert_ne!(
        reader.read(Path::new("a"), None),
        Some(PodSample::default())
    );
    assert_eq!(reader.read(Path::new("b"), None), None);
    assert!(!take_lack());
    let limit = getrlimit(Resource::Nofile);
    let directory = open().unwrap();
    let none = Some(0);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: none,
            ..limit
        },
    )
    .unwrap();
    let unopened = reader.read(Path::new("a"), None);
    let (lacked, errors) = (take_lack(), reader.errors().len());
    let unread = reader.read(Path::new("a"), directory);
    let lacked_again = take_lack();
    setrlimit(Resource::Nofile, limit).unwrap();
    assert_eq!((unopened, lacked), (Some(PodSample::default()), true));
    assert!(errors > 0);
    assert_eq!((unread, lacked_again), (Some(PodSample::default()), true));
}

/// Acceptance row 373.
#[test]
fn whose_limit_was_reached_is_told_of_that_cgroup_alone() {
    let (tree, hierarchies) = tree(Version::V2);
    tree.put(
        "cg/outer/memory.events.local",
        "low 0\nmax 7\noom 41\noom_kill 0\n",
    )
    .put("cg/outer/pod/memory.stat", STAT);
    let memory = hierarchies.memory.unwrap();
    let hits = |cgroup: &str| read_cgroup_limit_hits(&memory, Path::new(cgroup));
    assert_eq!(hits("outer"), Some(41));
    assert_eq!(hits("outer/pod"), None);
    assert_eq!(hits("gone"), None);
}

/// Acceptance row 400: where the limit with swap is the same, no counter of v1 counts.
#[test]
fn a_v1_cgroup_has_reached_its_limit_where_its_usage_once_was_there() {
    let (tree, hierarchies) = tree(Version::V1);
    let cgroup = |name: &str, most: &str, limit: &str, kills: u64| {
        tree.put(&format!("cg/{name}/memory.max_usage_in_bytes"), most)
            .put(&format!("cg/{name}/memory.limit_in_bytes"), limit)
            .put(&format!("cg/{name}/memory.failcnt"), "0\n")
            .put(
                &format!("cg/{name}/memory.oom_control"),
                &format!("oom_kill_disable 0\nunder_oom 0\noom_kill {kills}\n"),
            );
    };
    cgroup("outer", "52428800\n", "52428800\n", 0);
    cgroup("outer/pod", "52420608\n", "9223372036854771712\n", 2);
    cgroup("small", "20971520\n", "20971520\n", 3);
    let memory = hierarchies.memory.unwrap();
    let hits = |cgroup: &str| read_cgroup_limit_hits(&memory, Path::new(cgroup));
    assert_eq!(hits("outer"), Some(1));
    assert_eq!(hits("outer/pod"), Some(0));
    assert_eq!(hits("gone"), None);
    let kills = |cgroup: &str| {
        let of = read_cgroup_oom_kills(&memory, Path::new(cgroup));
        (of.kills, of.at_limit)
    };
    assert_eq!(kills("outer/pod"), (2, 0));
    assert_eq!(kills("small"), (3, 3));
}
