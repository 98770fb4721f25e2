use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{MountedOn, Point, Table};
use crate::tests::tree::{LONG, Tree};
use crate::{DiskScanner, TreeUsage, WatchedDisks, read_tree_usage};

/// What a machine may have mounted, in the words of mountinfo.
const MOUNTS: &[u8] = b"\
20 1 254:1 / / rw - ext4 /dev/vda1 rw
21 20 0:5 / /proc rw - proc proc rw
22 20 254:2 / /var/lib/docker rw - ext4 /dev/vdb rw
23 22 0:40 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw
24 20 0:50 / /srv/nfs rw - nfs4 server:/export rw
25 20 254:3 / /data rw - ext4 /dev/vdc rw
26 22 254:1 /srv/media /var/lib/docker/volumes/media/_data rw - ext4 /dev/vda1 rw
27 20 254:1 / /again rw - ext4 /dev/vda1 rw
28 20 254:1 /a /mnt/over rw - ext4 /dev/vda1 rw
29 28 0:60 / /mnt/over rw - tmpfs tmpfs rw
30 20 254:1 /a /mnt/a\\040b rw - ext4 /dev/vda1 rw
";

/// Acceptance row 254.
#[test]
fn what_is_mounted_counts_where_it_lies_and_nobody_has_a_whole_disk() {
    let mut table = Table::new(MOUNTS, &WatchedDisks::default());
    let on = |path: &str| {
        table
            .point(Path::new(path))
            .map(|point: &Point| point.device)
    };
    (table.nodefs, table.layers) = (on("/var/lib/kubelet"), on("/var/lib/docker"));
    let (nodefs, layers) = (Some(MountedOn::Nodefs), Some(MountedOn::Layers));
    for (path, expected) in [
        ("/srv/app", nodefs),
        ("/srv/nfsx", nodefs),
        ("/", None),
        ("/proc/1", None),
        ("/srv/nfs/dead", None),
        ("/data/files", None),
        ("/var/lib/docker", None),
        ("/var/lib/docker/volumes/web/_data", layers),
        // A volume that is a directory of another disk.
        ("/var/lib/docker/volumes/media/_data", nodefs),
        ("/var/lib/docker/volumes/media/_data/deep", nodefs),
        ("/again", None),
        ("/again/srv", nodefs),
        ("/mnt/over/file", None),
        ("/mnt/a b/file", nodefs),
    ] {
        assert_eq!(table.place(Path::new(path)), expected, "{path}");
    }
    // Of which nothing is known counts for nobody.
    let nothing = Table::new(b"nonsense\n", &WatchedDisks::default());
    assert_eq!(nothing.place(Path::new("/srv/app")), None);
}

fn scanner(nodefs: &Path) -> DiskScanner {
    let disks = WatchedDisks {
        nodefs: nodefs.into(),
        layers: None,
    };
    DiskScanner::start_for_mounts("/proc".into(), disks).unwrap()
}

/// Acceptance row 254.
#[test]
fn a_mounted_tree_is_measured_and_none_that_a_link_leads_to() {
    let (tree, others) = (Tree::new(), Tree::new());
    tree.put("volume/a", &"x".repeat(100_000));
    others.put("large", &"x".repeat(1_000_000));
    symlink(others.root(), tree.path("last")).unwrap();
    symlink(others.root(), tree.path("middle")).unwrap();
    symlink(others.path("large"), tree.path("volume/inside")).unwrap();
    let paths = ["volume", "volume/a", "last", "middle/large", "gone"].map(|name| tree.path(name));
    let mut scanner = scanner(&std::env::temp_dir());
    scanner.watch(paths.iter().map(|path| path.as_path().into()));
    assert!(scanner.wait_for_all(LONG));
    let found = |at: usize| scanner.usage(&paths[at]).unwrap();
    let numbers = |usage: TreeUsage| (usage.used_bytes, usage.inodes_used, usage.complete);
    assert_eq!(numbers(found(0)), numbers(read_tree_usage(&paths[0])));
    let file = fs::metadata(&paths[1]).unwrap();
    let blocks = std::os::unix::fs::MetadataExt::blocks(&file);
    assert_eq!(numbers(found(1)), (blocks * 512, 1, true));
    for path in &paths[2..] {
        let found = scanner.usage(path).unwrap();
        assert!(
            found.used_bytes < 10_000 && found.complete,
            "{path:?}: {found:?}"
        );
    }
    for path in &paths {
        let found = scanner.usage(path).unwrap();
        assert_eq!(found.mounted_on, Some(MountedOn::Nodefs));
    }
}

/// Acceptance row 254: no other filesystem is asked.
#[test]
fn a_mounted_tree_of_another_disk_is_nobodys() {
    let tree = Tree::new();
    tree.put("volume/a", &"x".repeat(100_000));
    let mut scanner = scanner(Path::new("/proc"));
    scanner.watch([tree.path("volume").as_path().into()].into_iter());
    assert!(scanner.wait_for_all(LONG));
    let found = scanner.usage(&tree.path("volume")).unwrap();
    assert_eq!((found.used_bytes, found.mounted_on), (0, None));
    assert!(found.complete, "which is known");
}
