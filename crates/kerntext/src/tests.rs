extern crate alloc;

use alloc::format;
use alloc::vec::Vec;

use super::*;
use ParseErrorKind::{Form, Missing, Number, Range};

fn error(kind: ParseErrorKind, position: usize) -> ParseError {
    ParseError { kind, position }
}

#[test]
fn single_values() {
    for (text, expected) in [
        (&b"0\n"[..], Ok(0)),
        (b"4096", Ok(4096)),
        (b"18446744073709551615\n", Ok(u64::MAX)),
        (b"18446744073709551616\n", Err(error(Range, 0))),
        (b"", Err(error(Number, 0))),
        (b"\n", Err(error(Number, 0))),
        (b"-1\n", Err(error(Number, 0))),
        (b"+1\n", Err(error(Number, 0))),
        (b"max\n", Err(error(Number, 0))),
        (b"12 13\n", Err(error(Number, 0))),
        (b"\xff\n", Err(error(Number, 0))),
    ] {
        assert_eq!(parse_u64(text), expected, "{text:?}");
    }
}

#[test]
fn limits() {
    for (text, expected) in [
        (&b"max\n"[..], Ok(Limit::Max)),
        (b"max", Ok(Limit::Max)),
        (b"0\n", Ok(Limit::Value(0))),
        (b"104857600\n", Ok(Limit::Value(104_857_600))),
        // v1 without a limit, with pages of 4 KiB and of 64 KiB.
        (b"9223372036854771712\n", Ok(Limit::Max)),
        (b"9223372036854710272\n", Ok(Limit::Max)),
        (b"4611686018427387903\n", Ok(Limit::Value((1 << 62) - 1))),
        (b"4611686018427387904\n", Ok(Limit::Max)),
        (b"maximum\n", Err(error(Number, 0))),
        (b"", Err(error(Number, 0))),
        (b"-1\n", Err(error(Number, 0))),
    ] {
        assert_eq!(parse_limit(text), expected, "{text:?}");
    }
    assert!(Limit::Value(u64::MAX) < Limit::Max);
    assert_eq!(Limit::Value(3).value(), Some(3));
    assert_eq!(Limit::Max.value(), None);
}

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

#[test]
fn proc_cgroups_lines() {
    let text = b"#subsys_name\thierarchy\tnum_cgroups\tenabled\n\
        cpuset\t3\t1\t1\nmemory\t4\t14\t0\nshort\t1\n";
    let all: Vec<_> = controllers(text).collect();
    assert_eq!(all.len(), 3);
    assert_eq!(
        all[0],
        Ok(Controller {
            name: b"cpuset",
            hierarchy: 3,
            cgroups: 1,
            enabled: true
        })
    );
    assert_eq!(all[1].map(|c| c.enabled), Ok(false));
    assert_eq!(all[2], Err(error(Missing, text.len() - 1)));
}

#[test]
fn proc_pid_cgroup_lines() {
    let text = b"9:name=systemd:/a:b c\n3:cpu,cpuacct:/\n0::/x/y (deleted)\n";
    let all: Vec<_> = memberships(text).map(Result::unwrap).collect();
    assert_eq!(all[0].path, b"/a:b c");
    assert!(!all[0].is_unified());
    assert!(all[1].has_controller(b"cpuacct"));
    assert!(!all[1].has_controller(b"cpua"));
    assert!(all[2].is_unified() && all[2].deleted);
    assert_eq!(all[2].path, b"/x/y");
    for (text, expected) in [
        (&b"0:/x"[..], error(Missing, 0)),
        (b"0", error(Missing, 0)),
        (b"x::/", error(Number, 0)),
        (b"0::x", error(Form, 3)),
        (b"0::", error(Form, 3)),
    ] {
        assert_eq!(memberships(text).next(), Some(Err(expected)), "{text:?}");
    }
}
