//! What would need unbounded memory, or is refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::process::{Gid, Uid, getuid};
use rustix::thread::{set_thread_res_gid, set_thread_res_uid};

use super::{expected, mixed, numbers, walked};
use crate::disk::walk::{BUFFER_BYTES, Bounds};
use crate::read_tree_usage;
use crate::tests::tree::Tree;

const LEVELS: u64 = 2000;

/// Each level has a file and, beside the way down, another directory with a
/// file: something waits in every directory that was closed. A path this long
/// cannot be written down, so it is made by descriptors.
fn deep() -> Tree {
    let tree = Tree::new();
    let mut here = fs::File::open(tree.root()).unwrap().into();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    for _ in 0..LEVELS {
        let file = openat(&here, c"file", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap();
        rustix::io::write(&file, b"text").unwrap();
        mkdirat(&here, c"way down", Mode::RWXU).unwrap();
        mkdirat(&here, c"beside", Mode::RWXU).unwrap();
        here = openat(&here, c"way down", flags, Mode::empty()).unwrap();
    }
    tree
}

/// The standard library keeps a descriptor for each level.
fn remove(tree: &Tree) {
    let removed = Command::new("rm").arg("-rf").arg(tree.root()).status();
    assert!(removed.unwrap().success());
}

#[test]
fn two_thousand_levels_are_walked_with_few_descriptors() {
    let tree = deep();
    let usage = read_tree_usage(tree.root());
    let stepped = walked(
        tree.root(),
        Bounds {
            open: 1,
            names: 20,
            ..Bounds::USUAL
        },
        3,
        300,
    );
    remove(&tree);
    assert_eq!(usage.inodes_used, 1 + 3 * LEVELS);
    assert!(usage.complete);
    assert_eq!((numbers(stepped), stepped.complete), (numbers(usage), true));
}

#[test]
fn below_the_deepest_level_the_numbers_are_a_lower_bound() {
    let tree = mixed();
    let whole = expected(tree.root());
    let bounds = Bounds {
        levels: 2,
        deeper: 0,
        ..Bounds::USUAL
    };
    let usage = walked(tree.root(), bounds, u64::MAX, BUFFER_BYTES);
    assert!(!usage.complete);
    assert!(usage.inodes_used < whole.1 && usage.used_bytes < whole.0);
    assert!(usage.inodes_used > 40, "the directories themselves count");
}

/// Acceptance row 173: as many levels as there are, with no more memory.
#[test]
fn below_the_deepest_level_the_walk_goes_on() {
    let tree = deep();
    let bounds = Bounds {
        levels: 90,
        deeper: 2,
        ..Bounds::USUAL
    };
    let usage = walked(tree.root(), bounds, 100, BUFFER_BYTES);
    remove(&tree);
    assert_eq!((usage.inodes_used, usage.complete), (1 + 3 * LEVELS, true));
}

#[test]
fn what_may_not_be_read_makes_it_a_lower_bound() {
    let tree = mixed();
    let closed = tree.path("wide");
    let inside = expected(&closed).1 - 1;
    let whole = expected(tree.root()).1;
    fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
    let root = tree.root().to_owned();
    let walk = std::thread::spawn(move || {
        if getuid().is_root() {
            // This thread alone becomes nobody.
            let (group, user) = (Gid::from_raw(65534), Uid::from_raw(65534));
            set_thread_res_gid(group, group, group).unwrap();
            set_thread_res_uid(user, user, user).unwrap();
        }
        read_tree_usage(&root)
    });
    let usage = walk.join().unwrap();
    fs::set_permissions(&closed, PermissionsExt::from_mode(0o755)).unwrap();
    assert!(!usage.complete);
    assert_eq!(usage.inodes_used, whole - inside);
}
