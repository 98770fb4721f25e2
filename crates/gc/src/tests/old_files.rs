use alloc::vec::Vec;
use core::time::Duration;

use evictd_node::Unit;
use proptest::prelude::*;

use crate::{MOST_FILES, OldFile, OldFiles, OldFilesPlan, OldFilesRun};

const fn file(modified: i64, bytes: u64) -> OldFile {
    OldFile {
        modified_nanos: modified,
        changed_nanos: modified,
        bytes,
        links: 1,
    }
}

const fn run(keep_bytes: u64, missing: u64, unit: Unit) -> OldFilesRun {
    OldFilesRun {
        keep_bytes,
        older_than: Duration::from_nanos(100),
        now_nanos: 1000,
        missing,
        unit,
    }
}

fn plan(files: &[OldFile], run: OldFilesRun) -> OldFilesPlan {
    let mut seen = OldFiles::new(run);
    for file in files {
        seen.see(file);
    }
    seen.plan()
}

/// The times of those that are deleted.
fn deleted(files: &[OldFile], run: OldFilesRun) -> Vec<i64> {
    let mut plan = plan(files, run);
    let taken = files.iter().filter(|file| plan.takes(file));
    taken.map(|file| file.modified_nanos).collect()
}

#[test]
fn the_oldest_go_until_it_is_enough() {
    let files = [file(30, 5), file(10, 5), file(20, 0), file(40, 5)];
    for (name, keep, missing, unit, expected) in [
        ("nothing is missing", 0, 0, Unit::Bytes, &[][..]),
        ("one is enough", 0, 5, Unit::Bytes, &[10]),
        ("an empty one gives no bytes", 0, 6, Unit::Bytes, &[30, 10]),
        ("but an inode", 0, 2, Unit::Inodes, &[10, 20]),
        ("all are too few", 0, 99, Unit::Bytes, &[30, 10, 40]),
        ("so much stays", 6, 99, Unit::Bytes, &[10]),
        ("just so much stays", 5, 99, Unit::Bytes, &[30, 10]),
        ("of inodes too", 15, 99, Unit::Inodes, &[]),
        ("more than there is", 99, 99, Unit::Bytes, &[]),
        ("no file holds process ids", 0, 9, Unit::ProcessIds, &[]),
    ] {
        assert_eq!(
            deleted(&files, run(keep, missing, unit)),
            expected,
            "{name}"
        );
    }
}

#[test]
fn what_is_young_or_has_other_names_stays() {
    let all = run(0, 1 << 40, Unit::Bytes);
    for (name, one, goes) in [
        ("as old as it must be", file(900, 1), true),
        ("younger", file(901, 1), false),
        ("from a time that lies ahead", file(5000, 1), false),
        ("from before 1970", file(-5, 1), true),
        (
            "old, but here for a moment",
            OldFile {
                changed_nanos: 950,
                ..file(1, 1)
            },
            false,
        ),
        (
            "with another name elsewhere",
            OldFile {
                links: 2,
                ..file(1, 1)
            },
            false,
        ),
    ] {
        let expected: &[i64] = if goes { &[one.modified_nanos] } else { &[] };
        assert_eq!(deleted(&[one], all), expected, "{name}");
    }
    let ahead = OldFilesRun {
        older_than: Duration::ZERO,
        ..all
    };
    assert_eq!(deleted(&[file(1001, 1)], ahead), [0; 0]);
}

#[test]
fn more_files_than_are_kept_in_mind_take_another_plan() {
    let most = i64::try_from(MOST_FILES).unwrap();
    let files: Vec<OldFile> = (0..most + 3).rev().map(|at| file(at - most, 1)).collect();
    let first = plan(&files, run(0, u64::MAX, Unit::Bytes));
    assert_eq!((first.files, first.has_more), (MOST_FILES, true));
    assert_eq!(first.oldest_nanos, Some(-most));
    let enough = plan(&files, run(0, 10, Unit::Bytes));
    assert_eq!((enough.files, enough.has_more), (10, false));
    let kept = plan(&files, run(most.unsigned_abs(), 10, Unit::Bytes));
    assert_eq!((kept.files, kept.has_more), (3, false));
}

fn any_file() -> impl Strategy<Value = OldFile> {
    // Few values: many are alike.
    (-5_i64..1200, 0_i64..300, 0_u64..4, 1_u64..3).prop_map(|(modified, later, bytes, links)| {
        OldFile {
            modified_nanos: modified,
            changed_nanos: modified + later,
            bytes,
            links,
        }
    })
}

fn any_run() -> impl Strategy<Value = OldFilesRun> {
    let unit = prop_oneof![Just(Unit::Bytes), Just(Unit::Inodes)];
    (0_u64..60, 0_u64..60, unit).prop_map(|(keep, missing, unit)| run(keep, missing, unit))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 2000,
        ..ProptestConfig::default()
    })]

    /// Whatever lies there, and in whatever order it is found.
    #[test]
    fn only_the_oldest_are_deleted_and_no_more_than_is_wanted(
        files in proptest::collection::vec(any_file(), 0..60),
        turns in any::<prop::sample::Index>(),
        run in any_run(),
    ) {
        let mut found = files.clone();
        found.rotate_left(turns.index(files.len().max(1)));
        let mut plan = plan(&files, run);
        let (gone, stay): (Vec<OldFile>, Vec<OldFile>) =
            found.into_iter().partition(|file| plan.takes(file));
        let bytes = |files: &[OldFile]| files.iter().map(|file| file.bytes).sum::<u64>();
        let gives = |files: &[OldFile]| files.iter().map(|file| run.gives(file)).sum::<u64>();
        prop_assert_eq!((gone.len(), bytes(&gone)), (plan.files, plan.bytes));
        // Nothing that has to stay.
        for file in &gone {
            prop_assert!(file.links == 1 && file.modified_nanos <= 900 && file.changed_nanos <= 900);
        }
        let Some(newest) = gone.iter().max_by_key(|file| (file.modified_nanos, file.bytes)) else {
            return Ok(());
        };
        prop_assert!(bytes(&stay) >= run.keep_bytes);
        prop_assert!(gives(&gone) - run.gives(newest) < run.missing);
        for file in stay.iter().filter(|file| run.gives(file) > 0) {
            prop_assert!(file.modified_nanos >= newest.modified_nanos);
        }
        prop_assert_eq!(gone.iter().map(|file| file.modified_nanos).min(), plan.oldest_nanos);
    }
}
