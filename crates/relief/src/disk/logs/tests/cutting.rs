use std::fs::{self, File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use evictd_gc::RecordFormat;
use evictd_testkit::needs;

use super::disk::{Disk, MIB, Writer, append, check, fill};
use crate::disk::logs::bytes::data_begin;
use crate::disk::logs::cut::{close_hole, cut, punch};
use crate::disk::logs::half_done::Steps;

const KEEP: u64 = MIB;

/// Without a state directory.
fn none() -> Steps {
    Steps::default()
}

fn writable(path: &Path) -> OwnedFd {
    let file = OpenOptions::new().read(true).write(true).open(path);
    file.unwrap().into()
}

fn blocks(path: &Path) -> u64 {
    fs::metadata(path).unwrap().blocks() * 512
}

/// What was there is there still, at the end.
fn keeps_the_end_of(before: &[u8], after: &[u8]) {
    let end = &before[before.len() - usize::try_from(KEEP).unwrap()..];
    assert!(
        after.windows(4096).step_by(1).any(|it| it == &end[..4096]) && {
            let at = after
                .windows(4096)
                .position(|it| it == &end[..4096])
                .unwrap();
            after[at..].starts_with(end)
        },
        "the last MiB is not what it was"
    );
}

#[test]
fn a_log_begins_later_while_its_writer_appends() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("append");
    for format in [RecordFormat::Json, RecordFormat::Cri] {
        let path = disk.0.join("log");
        let mut file = append(&path);
        let next = fill(&mut file, format, 20 * MIB, 0);
        let before = fs::read(&path).unwrap();
        let writer = Writer::start(file, format, next);
        let lost = cut(&writable(&path), format, KEEP, false, &none())
            .unwrap()
            .unwrap();
        let next = writer.end();
        let after = fs::read(&path).unwrap();
        keeps_the_end_of(&before, &after);
        assert!(check(&after, format, next) > 0);
        assert!(lost.bytes > 18 * MIB, "{lost:?}");
        assert!(
            lost.from.starts_with("2026-11-25T13:00:00.000000"),
            "{lost:?}"
        );
        assert!(blocks(&path) < 20 * MIB);
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_log_is_cut_again_and_again() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("again");
    let (path, format) = (disk.0.join("log"), RecordFormat::Json);
    let mut file = append(&path);
    let mut next = 0;
    let mut until = String::new();
    for _ in 0..5 {
        next = fill(&mut file, format, 3 * MIB, next);
        let lost = cut(&writable(&path), format, KEEP, false, &none())
            .unwrap()
            .unwrap();
        assert!(lost.from >= until, "what was lost is told once");
        until = lost.until;
        check(&fs::read(&path).unwrap(), format, next);
    }
    assert_eq!(
        cut(&writable(&path), format, KEEP, false, &none()),
        Ok(None)
    );
}

#[test]
fn a_hole_leaves_size_and_end_and_is_closed_later() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("punch");
    let (path, format) = (disk.0.join("log"), RecordFormat::Json);
    // Without O_APPEND, as dockerd's after a rotation.
    let mut file = File::create(&path).unwrap();
    let next = fill(&mut file, format, 20 * MIB, 0);
    let before = fs::read(&path).unwrap();
    let writer = Writer::start(file, format, next);
    punch(&writable(&path), format, KEEP, &none())
        .unwrap()
        .unwrap();
    let mut next = writer.end();
    let after = fs::read(&path).unwrap();
    assert!(after.len() > before.len());
    let kept = before.len() - usize::try_from(KEEP).unwrap();
    assert_eq!(before[kept..], after[kept..before.len()]);
    let hole = usize::try_from(data_begin(&writable(&path))).unwrap();
    assert!(hole as u64 > 18 * MIB && after[..hole].iter().all(|byte| *byte == 0));
    check(&after[hole..], format, next);
    // And once more.
    let mut file = append(&path);
    next = fill(&mut file, format, 3 * MIB, next);
    let lost = punch(&writable(&path), format, KEEP, &none())
        .unwrap()
        .unwrap();
    assert!(
        lost.bytes < 4 * MIB,
        "only what was there is lost: {lost:?}"
    );
    close_hole(&writable(&path), &none()).unwrap();
    let after = fs::read(&path).unwrap();
    check(&after, format, next);
    assert!((after.len() as u64) < 2 * MIB);
    assert!(
        close_hole(&writable(&path), &none()).is_err(),
        "there is none"
    );
    check(&fs::read(&path).unwrap(), format, next);
}

#[test]
fn where_nothing_can_be_cut_off_only_a_still_log_is_changed() {
    needs!(Mounting);
    let disk = Disk::tmpfs("tmpfs");
    let (path, format) = (disk.0.join("log"), RecordFormat::Cri);
    let next = fill(&mut append(&path), format, 8 * MIB, 0);
    let before = fs::read(&path).unwrap();
    let refused = cut(&writable(&path), format, KEEP, false, &none()).unwrap_err();
    assert!(refused.contains("its filesystem cannot"), "{refused}");
    assert!(fs::read(&path).unwrap() == before, "it is as it was");
    cut(&writable(&path), format, KEEP, true, &none())
        .unwrap()
        .unwrap();
    let after = fs::read(&path).unwrap();
    keeps_the_end_of(&before, &after);
    check(&after, format, next);
    assert!(blocks(&path) < 2 * MIB);
    // A hole can be made here, and taken away.
    let (path, format) = (disk.0.join("docker"), RecordFormat::Json);
    let next = fill(&mut append(&path), format, 8 * MIB, 0);
    punch(&writable(&path), format, KEEP, &none())
        .unwrap()
        .unwrap();
    assert!(blocks(&path) < 2 * MIB);
    close_hole(&writable(&path), &none()).unwrap();
    check(&fs::read(&path).unwrap(), format, next);
}

#[test]
fn what_is_no_log_is_not_touched() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("odd");
    let path = disk.0.join("log");
    fs::write(&path, vec![b'x'; 8 << 20]).unwrap();
    for format in [RecordFormat::Json, RecordFormat::Cri] {
        let refused = cut(&writable(&path), format, KEEP, true, &none()).unwrap_err();
        assert_eq!(refused, "its lines are no records of such a log");
    }
    // One of the other kind.
    fill(&mut append(&path), RecordFormat::Cri, 8 * MIB, 0);
    assert!(punch(&writable(&path), RecordFormat::Json, KEEP, &none()).is_err());
    assert_eq!(fs::metadata(&path).unwrap().len() >> 20, 16);
}

#[test]
fn a_full_disk_is_no_hindrance() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("full");
    let (path, format) = (disk.0.join("log"), RecordFormat::Json);
    let mut file = append(&path);
    let mut next = 0;
    while let Ok(()) = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        next = fill(&mut file, format, MIB, next);
    })) {}
    // Its last line is torn.
    drop(file);
    cut(&writable(&path), format, KEEP, false, &none())
        .unwrap()
        .unwrap();
    assert!(blocks(&path) < 3 * MIB);
}
