use std::path::Path;

use super::tree::Tree;
use crate::file::{Buffer, open_from};
use crate::{Hierarchy, Version, is_gone};
use rustix::fs::CWD;
use rustix::io::Errno;

#[test]
fn a_buffer_grows_for_a_large_file_and_forgets_it() {
    let tree = Tree::new();
    let long = "1234567\n".repeat(5000);
    tree.put("long", &long).put("short", "7\n");
    let mut buffer = Buffer::new();
    for (name, text) in [("long", long.as_str()), ("short", "7\n"), ("long", &long)] {
        let open = || open_from(CWD, tree.path(name)).unwrap();
        buffer.fill(open()).unwrap();
        assert_eq!(buffer.text(), text.as_bytes());
        buffer.fill_shown(open()).unwrap();
        assert_eq!(buffer.text(), text.as_bytes());
    }
}

#[test]
fn a_cgroup_is_opened_by_its_exact_path() {
    let tree = Tree::new();
    let long = "x/".repeat(300);
    tree.put("pod/inner/procs", "")
        .put(&format!("{long}procs"), "");
    std::os::unix::fs::symlink(tree.path("pod"), tree.path("link")).unwrap();
    let mut hierarchy = Hierarchy {
        version: Version::V2,
        mount_point: tree.root().to_owned(),
    };
    for (cgroup, expected) in [
        ("pod/inner", Ok(true)),
        ("/pod", Ok(true)),
        ("", Ok(true)),
        (long.as_str(), Ok(true)),
        ("pod/other", Ok(false)),
        ("pod/\0other", Err(Errno::INVAL)),
        ("pod/../pod", Err(Errno::INVAL)),
        ("link", Err(Errno::NOTDIR)),
    ] {
        let opened = hierarchy.open(Path::new(cgroup));
        assert_eq!(opened.map(|dir| dir.is_some()), expected, "{cgroup:?}");
    }
    hierarchy.mount_point.push("nowhere");
    let opened = hierarchy.open(Path::new("pod"));
    assert_eq!(opened.map(drop), Err(Errno::NOENT));
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
