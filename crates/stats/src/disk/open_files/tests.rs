use std::fs;
use std::process;

use super::*;
use crate::tests::tree::Tree;

/// Acceptance row 186: a file that this process has deleted and holds, in a cgroup below.
#[test]
fn deleted_files_that_are_open_are_found_where_they_fill_a_disk() {
    let tree = Tree::new();
    tree.put("cgroup/cgroup.procs", "");
    tree.put("cgroup/below/cgroup.procs", &format!("{}\n", process::id()));
    tree.put("deleted", &"x".repeat(1 << 20));
    tree.put("kept", &"x".repeat(1 << 20));
    let held = [
        tree.path("deleted"),
        tree.path("deleted"),
        tree.path("kept"),
    ];
    let _held = held.map(|path| fs::File::open(path).unwrap());
    let cgroup = tree.path("cgroup");
    let here = WatchedDisks {
        nodefs: tree.root().to_owned(),
        layers: None,
    };
    let look = |disks| read_open_files(Path::new("/proc"), &cgroup, disks);
    let before = look(&here).nodefs;
    fs::remove_file(tree.path("deleted")).unwrap();
    // Other tests delete files too, so that there may be more.
    let after = look(&here).nodefs;
    assert!(after.bytes >= 1 << 20, "{before:?} {after:?}");
    let elsewhere = WatchedDisks {
        nodefs: PathBuf::from("/proc"),
        layers: Some(tree.root().to_owned()),
    };
    let found = look(&elsewhere);
    assert_eq!(found.nodefs, Held::default());
    assert!(found.layers.bytes >= 1 << 20 && found.layers.inodes >= 1);
}

#[test]
fn they_are_looked_at_when_somebody_asks() {
    let tree = Tree::new();
    tree.put("cgroup/cgroup.procs", "4194304999\nnone\n-1\n\n");
    let disks = WatchedDisks {
        nodefs: tree.root().to_owned(),
        layers: None,
    };
    let mut reader = OpenFilesReader::new("/proc".into(), disks);
    reader.poll();
    assert_eq!(reader.sampled(), None);
    let asked = now();
    reader.ask(vec![tree.path("cgroup")]);
    while reader.sampled().is_none_or(|at| at < asked) {
        reader.poll();
        std::thread::yield_now();
    }
    assert_eq!(reader.of(&tree.path("cgroup")), OpenFiles::default());
}
