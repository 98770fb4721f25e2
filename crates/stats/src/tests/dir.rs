use std::ffi::OsStr;

use super::tree::Tree;
use crate::{Buffer, Class, Dir, is_gone};
use rustix::io::Errno;

#[test]
fn children_are_directories_by_name() {
    let tree = Tree::new();
    tree.put("pod/cgroup.procs", "1\n").put("other/file", "");
    std::os::unix::fs::symlink(tree.path("pod"), tree.path("link")).unwrap();
    let dir = Dir::open(tree.root()).unwrap();
    for _again in 0..2 {
        let mut names = dir.children().unwrap();
        names.sort();
        assert_eq!(names, ["other", "pod"]);
    }
    let pod = dir.open_child(OsStr::new("pod")).unwrap();
    assert_eq!(pod.path(), tree.path("pod"));
    let mut buffer = Buffer::new();
    assert_eq!(pod.read("cgroup.procs", &mut buffer).unwrap(), b"1\n");
    assert!(dir.open_child(OsStr::new("link")).is_err());
}

#[test]
fn failures_name_the_path_and_their_class() {
    let tree = Tree::new();
    tree.put("file", "x");
    let error = Dir::open(&tree.path("no")).unwrap_err();
    assert_eq!(error.class(), Class::Gone);
    let error = Dir::open(&tree.path("file")).unwrap_err();
    assert_eq!(
        (error.class(), error.errno()),
        (Class::Other, Some(Errno::NOTDIR))
    );
    let dir = Dir::open(tree.root()).unwrap();
    let error = dir.read("pids.max", &mut Buffer::new()).unwrap_err();
    assert_eq!(error.path(), tree.path("pids.max"));
    assert_eq!(error.class(), Class::Gone);
}

#[test]
fn a_buffer_grows_for_a_large_file_and_forgets_it() {
    let tree = Tree::new();
    let long = "1234567\n".repeat(5000);
    tree.put("long", &long).put("short", "7\n");
    let dir = Dir::open(tree.root()).unwrap();
    let mut buffer = Buffer::new();
    assert_eq!(dir.read("long", &mut buffer).unwrap(), long.as_bytes());
    assert_eq!(dir.read("short", &mut buffer).unwrap(), b"7\n");
    assert!(dir.read("none", &mut buffer).is_err());
}

#[test]
fn three_errnos_mean_gone() {
    for (errno, gone) in [
        (Errno::NOENT, true),
        (Errno::SRCH, true),
        (Errno::NODEV, true),
        (Errno::ACCESS, false),
        (Errno::IO, false),
        (Errno::NOTDIR, false),
    ] {
        assert_eq!(is_gone(errno), gone, "{errno}");
    }
}
