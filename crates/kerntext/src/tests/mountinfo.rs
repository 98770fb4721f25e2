use alloc::format;
use alloc::vec::Vec;

use super::{alloc, error};
use crate::ParseErrorKind::{Form, Missing, Number, Range};
use crate::mounts;

const MOUNTINFO: &[u8] = b"\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 /kube\\040pods /mnt/a\\040b\\134c\\011 rw - cgroup2 none rw,nsdelegate
42 27 0:39 / /mnt/empty rw -  tmpfs  rw
43 27 0:40 / /mnt/source rw - tmpfs  rw
";

#[test]
fn mountinfo_lines() {
    let all: Vec<_> = mounts(MOUNTINFO).collect();
    assert_eq!(all.len(), 6);
    let root = all[1].unwrap();
    assert_eq!((root.mount_id, root.parent_id), (27, 1));
    assert_eq!((root.major, root.minor), (254, 0));
    assert_eq!(root.fs_type, b"ext4");
    assert!(root.source.is(b"/dev/vda"));
    let memory = all[2].unwrap();
    assert!(memory.has_super_option(b"memory"));
    assert!(!memory.has_super_option(b"mem"));
    assert!(memory.mount_point.is(b"/sys/fs/cgroup/memory"));
    let unified = all[3].unwrap();
    assert!(unified.root.is(b"/kube pods"));
    assert!(unified.mount_point.is(b"/mnt/a b\\c\t"));
    assert_eq!(unified.mount_point.raw(), b"/mnt/a\\040b\\134c\\011");
    assert_eq!(all[4].unwrap().fs_type, b"");
    let source = all[5].unwrap();
    assert!(source.source.is(b""));
    assert_eq!(source.super_options, b"rw");
}

#[test]
fn a_bad_mountinfo_line_costs_that_line() {
    for (text, expected) in [
        (&b"x 1 0:1 / / rw - t s rw"[..], error(Number, 0)),
        (b"1 1 01 / / rw - t s rw", error(Form, 4)),
        (b"1 1 0:y / / rw - t s rw", error(Number, 6)),
        (b"1 1 0:1 / / rw shared:1", error(Missing, 23)),
        (b"1 1 0:1 / / rw - t", error(Missing, 18)),
        (b"1", error(Missing, 1)),
        (b"4294967296 1 0:1 / / rw - t s rw", error(Range, 0)),
    ] {
        assert_eq!(mounts(text).next(), Some(Err(expected)), "{text:?}");
    }
    let mixed: Vec<_> = mounts(b"garbage\n1 0 0:1 / / rw - t s rw\n").collect();
    assert!(mixed[0].is_err() && mixed[1].is_ok());
    assert_eq!(mounts(b"").count(), 0);
}

#[test]
fn escapes_are_undone_only_where_they_are_whole() {
    for (raw, expected) in [
        ("/a\\040b", "/a b"),
        ("\\134040", "\\040"),
        ("\\04", "\\04"),
        ("\\048", "\\048"),
        ("\\400", "\\400"),
        ("\\", "\\"),
    ] {
        let line = format!("1 0 0:1 / {raw} rw - t s rw");
        let mount = mounts(line.as_bytes()).next().unwrap().unwrap();
        assert!(mount.mount_point.is(expected.as_bytes()), "{raw}");
    }
}
