//! What is mounted inside a tree is not of it.

use std::fs;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Command;

use evictd_testkit::needs;

use super::{expected, mixed, numbers};
use crate::disk::quota::read_tree_project;
use crate::tests::tree::{LONG, Tree};
use crate::{DiskScanner, read_tree_usage};

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
fn mounts_are_not_crossed() {
    needs!(Mounting);
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
fn a_tree_may_begin_at_a_mount() {
    needs!(Mounting);
    let (tree, other) = (Tree::new(), mixed());
    let _bind = Mount::new(&["--bind"], other.root(), tree.root().to_owned());
    assert_eq!(
        numbers(read_tree_usage(tree.root())),
        expected(other.root())
    );
}

/// A filesystem of its own in a file: xfs knows projects even where nobody
/// accounts to them, on every kernel.
fn xfs(tree: &Tree) -> Mount {
    let image = tree.path("image");
    fs::File::create(&image)
        .unwrap()
        .set_len(320 << 20)
        .unwrap();
    let made = Command::new("mkfs.xfs").arg("-q").arg(&image).status();
    assert!(made.unwrap().success());
    fs::create_dir(tree.path("mount")).unwrap();
    Mount::new(&["-o", "loop"], &image, tree.path("mount"))
}

fn set_project(command: &str, dir: &Path) {
    let set = Command::new("xfs_io")
        .args(["-c", command])
        .arg(dir)
        .status();
    assert!(set.unwrap().success());
}

#[test]
fn a_project_that_nobody_accounts_to_is_walked() {
    needs!(XfsInAFile);
    let tree = Tree::new();
    let _mount = xfs(&tree);
    let volume = tree.path("mount/volume");
    fs::create_dir_all(volume.join("inner")).unwrap();
    let project = |dir: &Path| read_tree_project(fs::File::open(dir).unwrap().as_fd());
    assert_eq!(project(&volume), None);
    set_project("chproj 42", &volume);
    assert_eq!(project(&volume), None, "what is made below is of another");
    set_project("chattr +P", &volume);
    assert!(project(&volume).is_some());
    set_project("chproj 42", &volume.join("inner"));
    set_project("chattr +P", &volume.join("inner"));
    assert_eq!(project(&volume.join("inner")), None, "only a part of it");

    fs::write(volume.join("inner/file"), vec![1; 100_000]).unwrap();
    let mut scanner = DiskScanner::start().unwrap();
    scanner.watch(core::iter::once(volume.as_path().into()));
    assert!(scanner.wait_for_all(LONG));
    let usage = scanner.usage(&volume).unwrap();
    assert_eq!(numbers(usage), expected(&volume));
    assert!(usage.complete && !usage.by_quota);
}
