//! What is mounted inside a tree is not of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{expected, mixed, numbers};
use crate::read_tree_usage;
use crate::tests::tree::Tree;

/// A mount that ends with the test.
struct Mount(PathBuf);

impl Mount {
    fn new(arguments: &[&str], source: &Path, target: PathBuf) -> Self {
        let mut command = Command::new("mount");
        command.args(arguments).arg(source).arg(&target);
        assert!(command.status().unwrap().success());
        Self(target)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
#[ignore = "needs root: mounts"]
fn mounts_are_not_crossed() {
    let (tree, other) = (mixed(), mixed());
    for empty in ["a/bind", "tmpfs", "a/b/file"] {
        fs::create_dir(tree.path(empty)).unwrap();
    }
    fs::remove_dir(tree.path("a/b/file")).unwrap();
    let without = expected(tree.root());
    fs::write(tree.path("a/b/file"), "").unwrap();
    let mount_points = 2; // directories, covered from now on

    let _bind = Mount::new(&["--bind"], other.root(), tree.path("a/bind"));
    let _file = Mount::new(&["--bind"], &other.path("a/one"), tree.path("a/b/file"));
    let kind = ["-t", "tmpfs"];
    let _tmpfs = Mount::new(&kind, Path::new("tmpfs"), tree.path("tmpfs"));
    fs::write(tree.path("tmpfs/large"), vec![1; 1 << 20]).unwrap();

    let usage = read_tree_usage(tree.root());
    assert_eq!(usage.inodes_used, without.1 - mount_points);
    assert!(usage.complete && usage.used_bytes <= without.0);
}

#[test]
#[ignore = "needs root: mounts"]
fn a_tree_may_begin_at_a_mount() {
    let (tree, other) = (Tree::new(), mixed());
    let _bind = Mount::new(&["--bind"], other.root(), tree.root().to_owned());
    assert_eq!(
        numbers(read_tree_usage(tree.root())),
        expected(other.root())
    );
}
