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

/// How many descriptors there are, the pods choose: looks take a hundredth of the time at most.
#[test]
fn further_look_is_due_after_a_pause_for_its_work() {
    let at = Mono::from_millis;
    let mut reader = OpenFilesReader::new("/proc".into(), WatchedDisks::default());
    let least = Duration::from_secs(10);
    assert!(reader.is_due(at(0), least), "the first");
    reader.asked = Some(at(1000));
    assert!(!reader.is_due(at(60_000), least), "it is under way");
    let found = |took: u64| Found {
        sampled: Some(at(2000)),
        ended: at(2000 + took),
        ..Found::default()
    };
    for (took, now, expected) in [
        (1, 12_000, false),
        (1, 12_001, true),
        (1000, 101_000, false),
        (1000, 102_000, true),
    ] {
        reader.found = Arc::new(found(took));
        assert_eq!(reader.is_due(at(now), least), expected, "{took} {now}");
    }
}
