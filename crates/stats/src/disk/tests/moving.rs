//! Trees that change under the walk, and walks that stop.

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};
use std::fs;

use evictd_node::Mono;

use super::{expected, mixed, numbers};
use crate::disk::walk::{BUFFER_BYTES, Bounds, Walk};
use crate::tests::tree::Tree;

const NEVER: fn() -> bool = || false;

/// A walk that has made some steps with few directories kept open.
fn begun(tree: &Tree, entries: u64) -> (Walk, Vec<MaybeUninit<u8>>) {
    let bounds = Bounds {
        open: 1,
        ..Bounds::USUAL
    };
    let mut walk = Walk::open(tree.root(), Mono::ZERO, bounds);
    let mut buffer = vec![MaybeUninit::uninit(); 300];
    assert!(!walk.step(entries, &mut buffer, &NEVER));
    assert!(walk.entries() >= entries);
    (walk, buffer)
}

#[test]
fn a_tree_that_vanishes_is_no_failure() {
    for entries in [1, 5, 20, 60] {
        let tree = mixed();
        let whole = expected(tree.root());
        let (mut walk, mut buffer) = begun(&tree, entries);
        fs::remove_dir_all(tree.root()).unwrap();
        fs::create_dir(tree.root()).unwrap();
        while !walk.step(u64::MAX, &mut buffer, &NEVER) {}
        let usage = walk.usage();
        assert!(usage.used_bytes <= whole.0 && usage.inodes_used <= whole.1);
    }
}

#[test]
fn entries_that_vanish_are_left_out() {
    let tree = mixed();
    let (mut walk, mut buffer) = begun(&tree, 1);
    tree.remove("wide");
    while !walk.step(u64::MAX, &mut buffer, &NEVER) {}
    let usage = walk.usage();
    let (bytes, inodes) = expected(tree.root());
    // What was seen before it vanished may be in.
    assert!(usage.used_bytes >= bytes && usage.inodes_used >= inodes);
}

/// A chain of directories, each with a file: 64 levels.
fn chain() -> Tree {
    let tree = Tree::new();
    let mut path = String::new();
    for level in 0..64 {
        path += &format!("{level}/");
        tree.put(&format!("{path}file"), "");
    }
    tree
}

#[test]
fn a_directory_moved_away_does_not_lead_out_of_the_tree() {
    let (tree, elsewhere) = (chain(), mixed());
    let (mut walk, mut buffer) = begun(&tree, 90);
    fs::rename(tree.path("0/1/2/3"), elsewhere.path("moved")).unwrap();
    while !walk.step(u64::MAX, &mut buffer, &NEVER) {}
    let usage = walk.usage();
    assert!(!usage.complete);
    // Nothing of the other tree, which is much more.
    assert!(usage.inodes_used <= 1 + 2 * 64, "{usage:?}");
}

#[test]
fn an_interrupted_walk_goes_on_where_it_was() {
    let tree = mixed();
    let expected = expected(tree.root());
    let (interrupt, done) = (AtomicBool::new(true), AtomicBool::new(false));
    let mut walk = Walk::open(tree.root(), Mono::ZERO, Bounds::USUAL);
    let mut buffer = vec![MaybeUninit::uninit(); BUFFER_BYTES];
    // As long as it is asked to stop it does nothing.
    let before = walk.usage();
    assert!(!walk.step(u64::MAX, &mut buffer, &|| interrupt.load(Ordering::Relaxed)));
    assert_eq!((walk.usage(), walk.entries()), (before, 0));
    // Interrupted at any place, again and again.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                interrupt.store(true, Ordering::Relaxed);
                std::thread::yield_now();
            }
        });
        loop {
            interrupt.store(false, Ordering::Relaxed);
            if walk.step(u64::MAX, &mut buffer, &|| interrupt.load(Ordering::Relaxed)) {
                break done.store(true, Ordering::Relaxed);
            }
        }
    });
    assert_eq!(numbers(walk.usage()), expected);
}

#[test]
fn a_step_that_ends_within_a_buffer_repeats_and_skips_nothing() {
    let tree = Tree::new();
    for file in 0..500 {
        tree.put(&format!("{file}"), "");
    }
    let mut walk = Walk::open(tree.root(), Mono::ZERO, Bounds::USUAL);
    let mut buffer = vec![MaybeUninit::uninit(); BUFFER_BYTES];
    let mut steps = 0;
    while !walk.step(7, &mut buffer, &NEVER) {
        steps += 1;
        assert_eq!(walk.entries(), steps * 7);
    }
    assert_eq!(walk.entries(), 500);
    assert_eq!(numbers(walk.usage()), expected(tree.root()));
}
