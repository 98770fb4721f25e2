use std::fs;

use rustix::fs::{AtFlags, CWD};

use super::super::links::Met;
use super::{Tally, look_at};
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
    assert_eq!(found.stx_nlink, 3);

    let mut tally = Tally::default();
    let mut inode = found.stx_ino;
    while tally.links.meet(inode, u64::MAX) != Met::Unknown {
        inode = inode.wrapping_add(1);
    }
    // Where its own place happens to be free the inode is remembered instead.
    for _ in 0..3 {
        tally.count(&found);
    }
    let whole = found.stx_blocks * 512;
    assert!((whole - 3..=whole).contains(&tally.bytes()));
    assert_eq!(tally.inodes(), 1);
}
