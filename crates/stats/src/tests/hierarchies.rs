use rustix::io::Errno;

use super::tree::Tree;
use crate::{Hierarchies, Version, read_memory_switched_off};

const V1_MOUNTS: &str = "\
31 23 0:28 / {}/cg rw - tmpfs tmpfs rw,mode=755
35 31 0:32 / {}/cg/memory rw,relatime - cgroup cgroup rw,memory
37 31 0:34 / {}/cg/freezer rw,relatime - cgroup cgroup rw,freezer
39 31 0:36 / {}/cg/pids rw,relatime - cgroup cgroup rw,pids
40 31 0:37 / {}/cg/systemd rw,relatime - cgroup cgroup rw,name=systemd
";
const UNIFIED_MOUNT: &str = "41 31 0:38 / {}/cg/unified rw - cgroup2 cgroup2 rw\n";
const CGROUPS_ON: &str = "#subsys_name\thierarchy\tnum_cgroups\tenabled\n\
    memory\t4\t14\t1\npids\t8\t1\t1\nfreezer\t6\t1\t1\n";
const CGROUPS_OFF: &str = "#subsys_name\thierarchy\tnum_cgroups\tenabled\n\
    memory\t0\t1\t0\npids\t8\t1\t1\nfreezer\t6\t1\t1\n";

/// What was found, short: `v1 cg/memory`.
fn found(tree: &Tree) -> [String; 4] {
    let all = Hierarchies::read(&tree.path("proc")).unwrap();
    [all.memory, all.pids, all.freezer, all.unified].map(|hierarchy| match hierarchy {
        None => "-".to_owned(),
        Some(found) => {
            let version = match found.version {
                Version::V1 => "v1",
                Version::V2 => "v2",
            };
            let path = found.mount_point.strip_prefix(tree.root()).unwrap();
            format!("{version} {}", path.display())
        }
    })
}

fn tree(mounts: &str, cgroups: &str) -> Tree {
    let tree = Tree::new();
    tree.put("proc/self/mountinfo", mounts)
        .put("proc/cgroups", cgroups);
    tree
}

#[test]
fn v1_controllers_have_a_hierarchy_each() {
    let tree = tree(V1_MOUNTS, CGROUPS_ON);
    assert_eq!(
        found(&tree),
        ["v1 cg/memory", "v1 cg/pids", "v1 cg/freezer", "-"]
    );
}

#[test]
fn hybrid_is_decided_controller_by_controller() {
    let tree = tree(&format!("{V1_MOUNTS}{UNIFIED_MOUNT}"), CGROUPS_ON);
    tree.put("cg/unified/cgroup.controllers", "\n");
    let unified = "v2 cg/unified";
    assert_eq!(
        found(&tree),
        ["v1 cg/memory", "v1 cg/pids", "v1 cg/freezer", unified]
    );
    // pids left to v2, memory on v1.
    let mounts = V1_MOUNTS.replace("rw,pids", "rw,cpu");
    tree.put("proc/self/mountinfo", &format!("{mounts}{UNIFIED_MOUNT}"))
        .put("cg/unified/cgroup.controllers", "io pids\n");
    assert_eq!(
        found(&tree),
        ["v1 cg/memory", unified, "v1 cg/freezer", unified]
    );
}

#[test]
fn v2_controllers_are_what_the_root_offers() {
    let mounts = "30 23 0:26 / {}/cg rw - cgroup2 cgroup2 rw,nsdelegate\n";
    let tree = tree(mounts, "#subsys_name\thierarchy\tnum_cgroups\tenabled\n");
    tree.put("cg/cgroup.controllers", "cpuset cpu io memory pids\n");
    assert_eq!(found(&tree), ["v2 cg", "v2 cg", "v2 cg", "v2 cg"]);
    // Kernels that know no v1 have no such file at all.
    tree.remove("proc/cgroups");
    assert_eq!(found(&tree), ["v2 cg", "v2 cg", "v2 cg", "v2 cg"]);
    tree.put("cg/cgroup.controllers", "cpuset memory_x pids\n");
    assert_eq!(found(&tree), ["-", "v2 cg", "v2 cg", "v2 cg"]);
}

#[test]
fn a_switched_off_memory_controller_is_none() {
    let v1 = tree(&V1_MOUNTS.replace("rw,memory", "rw,cpu"), CGROUPS_OFF);
    assert_eq!(found(&v1), ["-", "v1 cg/pids", "v1 cg/freezer", "-"]);
    assert!(read_memory_switched_off(&v1.path("proc")).unwrap());
    let v2 = tree(UNIFIED_MOUNT, CGROUPS_OFF);
    v2.put("cg/unified/cgroup.controllers", "cpu pids\n");
    let unified = "v2 cg/unified";
    assert_eq!(found(&v2), ["-", unified, unified, unified]);
    let on = tree("", CGROUPS_ON);
    assert!(!read_memory_switched_off(&on.path("proc")).unwrap());
}

#[test]
fn the_mount_of_the_whole_hierarchy_wins_over_bind_mounts_and_covered_ones() {
    let mounts = "\
50 1 0:32 /pod1 {}/bind rw - cgroup cgroup rw,memory
51 1 0:32 / {}/covered rw - cgroup cgroup rw,memory
52 51 0:40 / {}/covered rw - tmpfs tmpfs rw
garbage
53 1 0:32 / {}/real\\040one rw - cgroup cgroup rw,memory
";
    let real = tree(mounts, CGROUPS_ON);
    assert_eq!(found(&real)[0], "v1 real one");
    let bind = tree(mounts.lines().next().unwrap(), CGROUPS_ON);
    assert_eq!(found(&bind)[0], "v1 bind");
}

#[test]
fn no_mountinfo_is_an_error_that_names_it() {
    let tree = Tree::new();
    let error = Hierarchies::read(&tree.path("proc")).unwrap_err();
    assert!(error.cause.is_gone());
    assert_eq!(error.path, tree.path("proc/self/mountinfo"));
    let source = core::error::Error::source(&error);
    assert_eq!(
        source.map(ToString::to_string),
        Some(Errno::NOENT.to_string())
    );
}

#[test]
fn this_machine_can_be_read() {
    let all = Hierarchies::read("/proc".as_ref()).unwrap();
    let all = [all.memory, all.pids, all.freezer, all.unified];
    for hierarchy in all.into_iter().flatten() {
        assert!(hierarchy.mount_point.join("cgroup.procs").exists());
    }
}
