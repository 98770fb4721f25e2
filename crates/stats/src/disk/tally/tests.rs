use std::fs;

use rustix::fs::{AtFlags, CWD};

use super::{MOST_LINKS, Tally};
use crate::disk::look::look_at;
use crate::disk::walk::{BUFFER_BYTES, Bounds, Walk};
use crate::tests::tree::Tree;

/// Inodes with several names that could not be remembered count by their
/// names' shares: together they are no more than what is there.
#[test]
fn without_room_each_name_counts_for_its_share() {
    let tree = Tree::new();
    fs::write(tree.path("file"), vec![1; 30_000]).unwrap();
    for name in ["second", "third"] {
        fs::hard_link(tree.path("file"), tree.path(name)).unwrap();
    }
    let path = alloc::ffi::CString::new(tree.path("file").to_str().unwrap()).unwrap();
    let found = look_at(CWD, &path, AtFlags::empty()).unwrap();
    assert_eq!(found.names, 3);

    let mut tally = Tally::default();
    let others = 0..u64::try_from(MOST_LINKS).unwrap();
    tally.links.extend(others.map(|inode| (inode, u64::MAX)));
    for _ in 0..3 {
        tally.count(&found);
    }
    let whole = found.bytes;
    assert!((whole - 3..=whole).contains(&tally.bytes));
    assert_eq!((tally.inodes(), tally.links.len()), (1, MOST_LINKS));
}

/// An inode number on another device is another inode.
#[test]
fn an_inode_with_several_names_counts_once() {
    let tree = Tree::new();
    fs::write(tree.path("file"), "text").unwrap();
    fs::hard_link(tree.path("file"), tree.path("second")).unwrap();
    let path = alloc::ffi::CString::new(tree.path("file").to_str().unwrap()).unwrap();
    let mut found = look_at(CWD, &path, AtFlags::empty()).unwrap();
    let mut tally = Tally::default();
    for (number, device, expected) in [(12, 1, 1), (12, 1, 1), (12, 2, 2), (13, 1, 3), (12, 2, 3)] {
        (found.inode, found.device) = (number, device);
        tally.count(&found);
        assert_eq!(tally.inodes(), expected, "{number} {device}");
    }
}

/// A pod can make millions of names for a few files: their listing says which they are.
#[test]
fn further_names_of_a_file_cost_no_look_at_it() {
    let tree = Tree::new();
    for file in ["a/0", "b/0", "c/0"] {
        tree.put(file, &"x".repeat(10_000));
        let first = tree.path(file);
        for name in 1..1000 {
            fs::hard_link(&first, first.with_file_name(name.to_string())).unwrap();
        }
    }
    let mut walk = Walk::open(tree.root(), crate::now(), Bounds::USUAL);
    let mut buffer = [core::mem::MaybeUninit::uninit(); BUFFER_BYTES];
    while !walk.step(u64::MAX, &mut buffer, &|| false) {}
    assert_eq!(walk.entries(), 3003);
    assert_eq!(walk.looks(), 6, "three directories and three files");
    assert_eq!(walk.usage().inodes_used, 7);
}
