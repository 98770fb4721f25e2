//! Walks over real directories. What they should come to is computed by the
//! standard library's means, path by path.

mod limits;
mod mounts;
mod moving;

use alloc::collections::BTreeSet;
use core::mem::MaybeUninit;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use evictd_node::Mono;

use super::walk::{BUFFER_BYTES, Bounds, Walk};
use crate::tests::tree::Tree;
use crate::{TreeUsage, read_tree_usage};

/// Bytes and inodes of a tree, the slow way.
pub(super) fn expected(root: &Path) -> (u64, u64) {
    let mut seen = BTreeSet::new();
    let mut sum = (0, 0);
    let mut waiting = vec![root.to_owned()];
    while let Some(path) = waiting.pop() {
        let found = fs::symlink_metadata(&path).unwrap();
        if found.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            waiting.extend(entries.map(|entry| entry.unwrap().path()));
        }
        if found.is_dir() || seen.insert(found.ino()) {
            sum = (sum.0 + found.blocks() * 512, sum.1 + 1);
        }
    }
    sum
}

pub(super) fn numbers(usage: TreeUsage) -> (u64, u64) {
    (usage.used_bytes, usage.inodes_used)
}

/// Walks in steps of `most` entries with a buffer of `buffer` bytes.
pub(super) fn walked(root: &Path, bounds: Bounds, most: u64, buffer: usize) -> TreeUsage {
    let mut walk = Walk::open(root, Mono::ZERO, bounds);
    let mut buffer = vec![MaybeUninit::uninit(); buffer];
    while !walk.step(most, &mut buffer, &|| false) {
        assert!(!walk.usage().complete);
    }
    walk.usage()
}

/// A bit of everything that a tree may hold.
pub(super) fn mixed() -> Tree {
    let tree = Tree::new();
    tree.put("a/one", &"x".repeat(10_000));
    tree.put("a/b/two", "")
        .put("a/b/c/three", "3")
        .put("four", "4");
    fs::create_dir(tree.path("empty")).unwrap();
    fs::hard_link(tree.path("a/one"), tree.path("a/b/one again")).unwrap();
    fs::hard_link(tree.path("a/one"), tree.path("one once more")).unwrap();
    symlink("/", tree.path("a/root")).unwrap();
    symlink("nowhere", tree.path("dangling")).unwrap();
    for wide in 0..40 {
        tree.put(&format!("wide/{wide}/deep/file"), "text");
    }
    tree
}

#[test]
fn a_tree_is_what_its_files_and_directories_are() {
    let tree = mixed();
    let usage = read_tree_usage(tree.root());
    assert_eq!(numbers(usage), expected(tree.root()));
    assert!(usage.complete && !usage.by_quota);
    assert!(usage.sampled > Mono::ZERO);
}

#[test]
fn bounds_steps_and_buffers_change_nothing() {
    let tree = mixed();
    let expected = expected(tree.root());
    for open in [1, 2, 32] {
        for names in [0, 8, 64, 1 << 20] {
            for (most, buffer) in [
                (u64::MAX, BUFFER_BYTES),
                (1, 300),
                (7, 500),
                (3, BUFFER_BYTES),
            ] {
                let bounds = Bounds {
                    open,
                    names,
                    ..Bounds::USUAL
                };
                let usage = walked(tree.root(), bounds, most, buffer);
                assert_eq!(numbers(usage), expected, "{open} {names} {most}");
                assert!(usage.complete);
            }
        }
    }
}

#[test]
fn an_inode_with_several_names_counts_once_in_each_tree() {
    let tree = Tree::new();
    tree.put("a/file", &"x".repeat(50_000)).put("b/other", "");
    fs::hard_link(tree.path("a/file"), tree.path("a/same")).unwrap();
    fs::hard_link(tree.path("a/file"), tree.path("b/same")).unwrap();
    let a = read_tree_usage(&tree.path("a"));
    let b = read_tree_usage(&tree.path("b"));
    assert_eq!((a.inodes_used, b.inodes_used), (2, 3));
    assert!(a.used_bytes >= 50_000 && b.used_bytes >= 50_000);
    let both = read_tree_usage(tree.root());
    assert_eq!(both.inodes_used, 5);
    assert!(both.used_bytes < a.used_bytes + b.used_bytes);
}

#[test]
fn holes_cost_nothing() {
    let tree = Tree::new();
    let file = File::create(tree.path("sparse")).unwrap();
    file.set_len(1 << 40).unwrap();
    let usage = read_tree_usage(tree.root());
    assert!(usage.used_bytes < 1 << 20, "{usage:?}");
    assert_eq!(numbers(usage), expected(tree.root()));
}

#[test]
fn names_may_be_of_any_bytes_and_255_of_them() {
    let tree = Tree::new();
    let mut here = tree.root().to_owned();
    let all: Vec<u8> = (1..=255).filter(|byte| *byte != b'/').collect();
    for first in [b'\n', b'.', 0xff, b' '] {
        let mut name = all.clone();
        name.insert(0, first);
        assert_eq!(name.len(), 255);
        here.push(OsStr::from_bytes(&name));
        fs::create_dir(&here).unwrap();
        fs::write(here.join(OsStr::from_bytes(&name)), "text").unwrap();
        fs::write(here.join("..."), "text").unwrap();
    }
    let usage = read_tree_usage(tree.root());
    assert_eq!(numbers(usage), expected(tree.root()));
    assert_eq!(usage.inodes_used, 13);
}

#[test]
fn what_is_not_there_holds_nothing() {
    let tree = Tree::new();
    let usage = read_tree_usage(&tree.path("no/such"));
    assert_eq!((numbers(usage), usage.complete), ((0, 0), true));
    let usage = read_tree_usage(Path::new("a\0b"));
    assert_eq!((numbers(usage), usage.complete), ((0, 0), false));
}

#[test]
fn a_root_may_be_a_file_or_a_link() {
    let tree = mixed();
    let file = tree.path("a/one");
    assert_eq!(numbers(read_tree_usage(&file)), expected(&file));
    symlink(tree.path("wide"), tree.path("link")).unwrap();
    let linked = read_tree_usage(&tree.path("link"));
    assert_eq!(numbers(linked), expected(&tree.path("wide")));
    let dangling = read_tree_usage(&tree.path("dangling"));
    assert_eq!((numbers(dangling), dangling.complete), ((0, 0), true));
}
