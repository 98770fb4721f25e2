use std::path::Path;

use super::*;
use crate::tests::tree::Tree;
use crate::{Hierarchy, Version};

const PAGE: u64 = 4096;

/// A process that holds so many Mi.
fn process(tree: &Tree, pid: i32, name: &str, mib: u64, cgroup: &str) {
    let pages = (mib << 20) / PAGE;
    let before_start = "1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0";
    let stat = format!("{pid} ({name}) S {before_start} 100 4096 {pages} 0\n");
    tree.put(&format!("proc/{pid}/stat"), &stat);
    tree.put(&format!("proc/{pid}/cgroup"), cgroup);
}

fn machine(tree: &Tree) -> Machine {
    Machine {
        proc: tree.path("proc"),
        hierarchies: Hierarchies {
            memory: Some(Hierarchy {
                version: Version::V2,
                mount_point: tree.path("cgroup"),
            }),
            ..Hierarchies::default()
        },
        page_bytes: PAGE,
    }
}

fn told(tree: &Tree) -> Option<String> {
    let found = machine(tree).largest_outside(&["kubepods/pod1".into()])?;
    Some(format!("{}: {}Mi", found.what, found.bytes >> 20))
}

/// Acceptance row 246.
#[test]
fn whoever_holds_the_most_memory_outside_all_pods_is_named() {
    let tree = Tree::new();
    tree.put("cgroup/kubepods/pod1/cgroup.procs", "7\n");
    tree.put("cgroup/kubepods/pod1/main/cgroup.procs", "8\n");
    process(&tree, 7, "pause", 300, "0::/kubepods/pod1\n");
    process(&tree, 8, "in a pod", 900, "0::/kubepods/pod1/main\n");
    assert_eq!(told(&tree), None, "nobody is outside");
    process(&tree, 1, "init", 3, "0::/\n");
    process(&tree, 9, "tiny", 0, "0::/system.slice/tiny.service\n");
    process(&tree, 10, "python3", 200, "0::/\n");
    assert_eq!(told(&tree).as_deref(), Some("python3 (pid 10): 200Mi"));
    // Of one service together more than any other process.
    let nightly = "0::/system.slice/nightly.service\n";
    process(&tree, 12, "backup", 150, nightly);
    process(&tree, 11, "worker", 120, nightly);
    assert_eq!(
        told(&tree).as_deref(),
        Some("backup (pid 12) and 1 other of service nightly.service: 270Mi")
    );
    let session = "4:memory:/\n1:name=systemd:/user.slice/user-0.slice/session-3.scope\n0::/\n";
    process(&tree, 13, "a\nb", 500, session);
    assert_eq!(
        told(&tree).as_deref(),
        Some("a\\nb (pid 13) of session-3: 500Mi")
    );
    tree.put("proc/meminfo", "SUnreclaim: 512 kB\nHugetlb: 614400 kB\n");
    assert_eq!(
        told(&tree).as_deref(),
        Some("huge pages (vm.nr_hugepages): 600Mi")
    );
}

#[test]
fn what_is_torn_is_passed_over() {
    let tree = Tree::new();
    for (pid, stat) in [(5, "5 (a"), (6, ""), (7, "7 (b) S 1")] {
        tree.put(&format!("proc/{pid}/stat"), stat);
    }
    tree.put("proc/self/stat", "1 (a) S");
    tree.put("proc/meminfo", "Hugetlb: many\n");
    assert_eq!(told(&tree), None);
    process(&tree, 8, "c", 2, "no colon\n\n0::/openrc.sshd\n1:");
    assert_eq!(
        told(&tree).as_deref(),
        Some("c (pid 8) of service sshd: 2Mi")
    );
    assert_eq!(deepest_cgroup(b""), "");
    let missing = Machine {
        proc: Path::new("/nowhere").into(),
        ..machine(&tree)
    };
    assert_eq!(missing.largest_outside(&[]), None);
}

#[test]
fn it_is_found_out_on_a_thread_of_its_own_and_told_once() {
    let hierarchies = Hierarchies::default();
    let reader = OutsideReader::new(Path::new("/proc"), &hierarchies);
    assert_eq!(reader.take(), None);
    reader.ask(Vec::new());
    let found = loop {
        if let Some(found) = reader.take() {
            break found;
        }
        std::thread::yield_now();
    };
    assert!(found.bytes >= TRIFLE_BYTES, "{}", found.what);
    assert_eq!(reader.take(), None);
}
