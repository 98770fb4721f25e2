use alloc::sync::Arc;
use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};

use evictd_node::Mono;
use evictd_node::pod::volume_key;

use super::{DiskScanner, Pace, Progress, TreeUsage};
use crate::tests::tree::{LONG, Tree};
use crate::{DiskTree, now, read_tree_usage};

/// The next cycle comes when it is asked for, and not before.
const PATIENT: Pace = Pace {
    pause: Duration::from_secs(3600),
    ..Pace::GENTLE
};

fn numbers(usage: Option<TreeUsage>) -> Option<(u64, u64, bool)> {
    usage.map(|usage| (usage.used_bytes, usage.inodes_used, usage.complete))
}

fn watch(scanner: &mut DiskScanner, trees: &[PathBuf]) {
    scanner.watch(trees.iter().map(|tree| tree.as_path().into()));
}

fn tree(files: usize) -> Tree {
    let tree = Tree::new();
    for file in 0..files {
        tree.put(
            &format!("{}/{file}", file % 7),
            &"x".repeat(file % 20 * 1000),
        );
    }
    tree
}

/// Polls until it holds.
fn until(scanner: &mut DiskScanner, mut holds: impl FnMut(&DiskScanner) -> bool) {
    let start = now();
    loop {
        scanner.poll();
        if holds(scanner) {
            return;
        }
        assert!(now().since(start) < LONG, "{scanner:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn trees_are_measured_and_others_are_not() {
    let (a, b) = (tree(10), tree(30));
    let paths = [
        b.root().to_owned(),
        a.root().to_owned(),
        b.root().to_owned(),
    ];
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    assert_eq!(scanner.usage(a.root()), None);
    assert!(scanner.wait_for_all(LONG), "nothing to do is done");

    watch(&mut scanner, &paths);
    assert!(scanner.wait_for_all(LONG));
    for tree in [&a, &b] {
        let expected = numbers(Some(read_tree_usage(tree.root())));
        assert_eq!(numbers(scanner.usage(tree.root())), expected);
    }
    assert_eq!(scanner.usage(&a.path("0")), None);
    let progress = scanner.progress();
    assert_eq!((progress.trees_done, progress.trees), (2, 2));
    assert_eq!(progress.entries, 7 + 10 + 7 + 30);
    assert!(!progress.is_under_way());
}

#[test]
fn trees_that_stay_keep_their_results_and_those_that_go_are_forgotten() {
    let (a, b) = (tree(10), tree(10));
    let both = [a.root().to_owned(), b.root().to_owned()];
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(&mut scanner, &both[..1]);
    assert!(scanner.wait_for_all(LONG));
    let first = scanner.usage(a.root());
    assert!(first.is_some());

    watch(&mut scanner, &both);
    assert_eq!(
        scanner.usage(a.root()),
        first,
        "even before the helper knows"
    );
    assert!(scanner.wait_for_all(LONG));
    assert_eq!(scanner.usage(a.root()), first);
    assert!(scanner.usage(b.root()).is_some());

    watch(&mut scanner, &both[1..]);
    assert_eq!(scanner.usage(a.root()), None);
    assert!(scanner.wait_for_all(LONG));
    assert_eq!(scanner.progress().trees, 1);
    scanner.watch(core::iter::empty());
    assert_eq!(scanner.usage(b.root()), None);
}

#[test]
fn whoever_hurries_gets_new_numbers_within_the_pause() {
    let a = tree(10);
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(&mut scanner, &[a.root().to_owned()]);
    assert!(scanner.wait_for_all(LONG));
    let before = scanner.usage(a.root()).unwrap();
    a.put("new", &"x".repeat(100_000));
    scanner.poll();
    assert_eq!(scanner.usage(a.root()), Some(before));
    scanner.measure_anew(now());
    let grown = |scanner: &DiskScanner| {
        scanner.usage(a.root()).unwrap().inodes_used == before.inodes_used + 1
    };
    until(&mut scanner, grown);
    assert!(scanner.usage(a.root()).unwrap().sampled > before.sampled);
}

#[test]
fn cycles_come_again_by_themselves() {
    let a = tree(3);
    let pace = Pace {
        pause: Duration::from_millis(5),
        ..Pace::GENTLE
    };
    let mut scanner = DiskScanner::start_with(pace).unwrap();
    watch(&mut scanner, &[a.root().to_owned()]);
    assert!(scanner.wait_for_all(LONG));
    let first = scanner.usage(a.root()).unwrap().sampled;
    until(&mut scanner, |scanner| {
        scanner.usage(a.root()).unwrap().sampled > first
    });
}

/// The helper may be stopped at any place, its lock held included: it has the
/// lowest priority there is.
#[test]
fn whoever_asks_never_waits_for_the_helper() {
    let (a, b) = (tree(10), tree(10));
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(&mut scanner, &[a.root().to_owned()]);
    assert!(scanner.wait_for_all(LONG));
    let known = scanner.usage(a.root());
    Arc::clone(&scanner.helper).look(|_| {
        scanner.poll();
        watch(&mut scanner, &[a.root().to_owned(), b.root().to_owned()]);
        scanner.measure_anew(now());
        assert_eq!(scanner.usage(a.root()), known);
        assert_eq!(scanner.usage(b.root()), None);
    });
    // What could not be handed over then is handed over later.
    until(&mut scanner, |scanner| scanner.usage(b.root()).is_some());
}

#[test]
fn the_first_walk_shows_what_it_has_found_so_far() {
    let large = tree(2500);
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(&mut scanner, &[large.root().to_owned()]);
    let mut seen = Vec::new();
    until(&mut scanner, |scanner| {
        let usage = scanner.usage(large.root());
        seen.extend(usage.map(|usage| (usage.complete, usage.used_bytes)));
        usage.is_some_and(|usage| usage.complete)
    });
    assert!(seen.is_sorted(), "{seen:?}");
    let whole = read_tree_usage(large.root()).used_bytes;
    assert_eq!(seen.last(), Some(&(true, whole)));
}

#[test]
fn the_helper_ends_in_the_middle_of_a_tree() {
    let large = tree(2500);
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(&mut scanner, &[large.root().to_owned()]);
    until(&mut scanner, |scanner| {
        scanner.usage(large.root()).is_some()
    });
    assert!(scanner.helper.close(LONG));
}

#[test]
fn a_tree_that_is_no_longer_watched_is_left_in_the_middle() {
    let (large, small) = (tree(2500), tree(5));
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(&mut scanner, &[large.root().to_owned()]);
    until(&mut scanner, |scanner| {
        scanner.usage(large.root()).is_some()
    });
    watch(&mut scanner, &[small.root().to_owned()]);
    assert!(scanner.wait_for_all(LONG));
    assert!(scanner.usage(small.root()).unwrap().complete);
    fs::remove_dir_all(large.root()).unwrap();
}

#[test]
fn a_wait_has_an_end() {
    let large = tree(2500);
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(
        &mut scanner,
        &[large.root().to_owned(), PathBuf::from("/none")],
    );
    assert!(!scanner.wait_for_all(Duration::ZERO));
}

#[test]
fn progress_is_one_line() {
    let progress = Progress {
        trees_done: 3,
        trees: 12,
        entries: 45_210,
    };
    let line = "disk usage: 3 of 12 trees measured, 45210 entries";
    assert_eq!(progress.to_string(), line);
    assert!(progress.is_under_way());
    assert_eq!(TreeUsage::default().sampled, Mono::ZERO);
}

/// What was measured before somebody asked may be too old for him; and a tree that
/// is new has not been measured at all.
#[test]
fn it_tells_whether_all_was_measured_since_then() {
    let (a, b) = (tree(10), tree(30));
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    assert!(scanner.is_measured_since(now()), "nothing to measure");
    let start = now();
    watch(&mut scanner, &[a.root().to_owned()]);
    assert!(!scanner.is_measured_since(start));
    until(&mut scanner, |scanner| scanner.is_measured_since(start));

    let later = now();
    assert!(!scanner.is_measured_since(later));
    watch(&mut scanner, &[a.root().to_owned(), b.root().to_owned()]);
    assert!(!scanner.is_measured_since(start), "one is new");
    until(&mut scanner, |scanner| scanner.is_measured_since(start));
    assert!(!scanner.is_measured_since(later), "one is old");
    scanner.measure_anew(later);
    until(&mut scanner, |scanner| scanner.is_measured_since(later));
}

/// Acceptance row 173.
#[test]
fn a_tree_that_cannot_be_opened_is_unknown() {
    let tree = Tree::new();
    let (knot, nothing) = (tree.path("knot"), tree.path("nothing"));
    std::os::unix::fs::symlink(&knot, &knot).unwrap();
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(&mut scanner, &[knot.clone(), nothing.clone()]);
    assert!(scanner.wait_for_all(LONG));
    assert_eq!(scanner.usage(&knot), None);
    assert_eq!(numbers(scanner.usage(&nothing)), Some((0, 0, true)));
}

/// Acceptance row 258: what is new enough for who asks is not measured again.
#[test]
fn only_what_is_too_old_is_measured_anew() {
    let (a, b) = (tree(10), tree(30));
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(&mut scanner, &[a.root().to_owned()]);
    assert!(scanner.wait_for_all(LONG));
    let between = now();
    watch(&mut scanner, &[a.root().to_owned(), b.root().to_owned()]);
    assert!(scanner.wait_for_all(LONG));
    let sampled = |scanner: &DiskScanner, tree: &Tree| scanner.usage(tree.root()).unwrap().sampled;
    let new_enough = sampled(&scanner, &b);
    scanner.measure_anew(between);
    until(&mut scanner, |scanner| scanner.is_measured_since(between));
    assert!(sampled(&scanner, &a) >= between);
    assert_eq!(sampled(&scanner, &b), new_enough);
}

/// Acceptance row 258: a walk that had begun before somebody asked may have passed by what was
/// written since.
#[test]
fn a_walk_under_way_is_too_old_for_who_asks() {
    let large = tree(20_000);
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    watch(&mut scanner, &[large.root().to_owned()]);
    until(&mut scanner, |scanner| {
        scanner.usage(large.root()).is_some()
    });
    let later = now();
    scanner.measure_anew(later);
    until(&mut scanner, |scanner| scanner.is_measured_since(later));
    let usage = scanner.usage(large.root()).unwrap();
    assert!(usage.complete && usage.sampled >= later);
}

/// Trees take turns. A large one that comes first begins again after the small ones.
#[test]
fn tree_of_many_entries_makes_way_and_counts_in_part_until_then() {
    let tree = Tree::new();
    let large = tree.path("a");
    fs::create_dir(&large).unwrap();
    tree.put("a/0", &"x".repeat(50_000)).put("b/0", "x");
    for name in 1..20_000 {
        fs::hard_link(large.join("0"), large.join(name.to_string())).unwrap();
    }
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    let paths = [large.clone(), tree.path("b")];
    watch(&mut scanner, &paths);
    let mut least = None;
    until(&mut scanner, |scanner| {
        let [large, small] = [&paths[0], &paths[1]].map(|path| scanner.usage(path));
        // Once it was seen in part it is not unknown again.
        assert!(large.is_some() || least.is_none());
        least = least.max(large.map(|large| large.used_bytes));
        assert!(large.is_none_or(|large| Some(large.used_bytes) >= least));
        [large, small]
            .iter()
            .all(|usage| usage.is_some_and(|usage| usage.complete))
    });
    let sampled = |path| scanner.usage(path).unwrap().sampled;
    assert!(sampled(&paths[0]) > sampled(&paths[1]), "it began again");
    assert_eq!(
        numbers(scanner.usage(&large)),
        numbers(Some(read_tree_usage(&large)))
    );
}

/// Of what lies in a directory, some belongs to one container.
#[test]
fn some_of_what_lies_in_a_directory_is_measured_without_the_rest() {
    let tree = Tree::new();
    let name = |letter: &str| letter.repeat(64);
    for (letter, bytes) in [("a", 50_000), ("b", 70_000), ("c", 1_000_000)] {
        tree.put(&format!("{}/_data/file", name(letter)), &"x".repeat(bytes));
    }
    tree.put("named/_data/file", &"x".repeat(1_000_000));
    let keys = ["a", "b", "d"].map(|letter| volume_key(name(letter).as_bytes()).unwrap());
    let some = DiskTree {
        path: tree.root().into(),
        among: Some(keys.into()),
    };
    let mut scanner = DiskScanner::start_with(PATIENT).unwrap();
    scanner.watch([some.clone(), Arc::<Path>::from(tree.root()).into()].into_iter());
    assert!(scanner.wait_for_all(LONG));
    let [a, b] = ["a", "b"].map(|letter| read_tree_usage(&tree.path(&name(letter))));
    let expected = (
        a.used_bytes + b.used_bytes,
        a.inodes_used + b.inodes_used,
        true,
    );
    assert_eq!(numbers(scanner.usage_of(&some)), Some(expected));
    let all = numbers(Some(read_tree_usage(tree.root())));
    assert_eq!(numbers(scanner.usage(tree.root())), all);
    for no_key in ["named", "", "0", &"g".repeat(64), &"a".repeat(65)] {
        assert_eq!(volume_key(no_key.as_bytes()), None, "{no_key}");
    }
}
