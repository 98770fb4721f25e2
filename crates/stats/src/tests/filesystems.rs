use core::time::Duration;
use std::path::Path;
use std::sync::mpsc;

use evictd_node::{Layout, Mono, Signal};
use rustix::io::Errno;

use super::tree::{LONG, Tree};
use crate::filesystem::measure;
use crate::probe::Probe;
use crate::{FsSample, NodeSample, now};

fn sample(device: u64, fsid: u64) -> FsSample {
    FsSample {
        sampled: Mono::ZERO,
        stale: false,
        capacity_bytes: 1000,
        available_bytes: 250,
        used_bytes: 700,
        inodes: 100,
        inodes_free: 60,
        device,
        fsid,
    }
}

fn node(nodefs: FsSample, imagefs: FsSample, containerfs: FsSample) -> NodeSample {
    NodeSample {
        nodefs: Some(nodefs),
        imagefs: Some(imagefs),
        containerfs: Some(containerfs),
        ..NodeSample::default()
    }
}

#[test]
fn the_layout_is_told_by_device_and_fsid() {
    use Layout::{DedicatedImagefs, OneFilesystem, SplitImagefs};
    let (a, b, c) = (sample(1, 0), sample(2, 0), sample(3, 0));
    // One filesystem under two device numbers.
    let (d, e) = (sample(4, 77), sample(5, 77));
    let other_size = FsSample {
        capacity_bytes: 2000,
        ..e
    };
    for (nodefs, imagefs, containerfs, expected) in [
        (a, a, a, OneFilesystem),
        (a, b, b, DedicatedImagefs),
        (a, b, a, SplitImagefs),
        (a, b, c, SplitImagefs),
        (d, e, e, OneFilesystem),
        (d, other_size, other_size, DedicatedImagefs),
    ] {
        let found = node(nodefs, imagefs, containerfs).layout();
        assert_eq!(found, Some(expected));
    }
    assert_eq!(NodeSample::default().layout(), None);
}

#[test]
fn sizes_and_inode_counts_of_zero_give_no_signal() {
    let whole = sample(1, 0);
    let no_size = FsSample {
        capacity_bytes: 0,
        available_bytes: 0,
        ..whole
    };
    let no_inodes = FsSample {
        inodes: 0,
        inodes_free: 0,
        ..whole
    };
    let readings = node(whole, no_size, no_inodes).readings();
    let short = |signal| {
        let reading = readings.get(signal);
        reading.map(|found| (found.available, found.capacity))
    };
    assert_eq!(short(Signal::NodefsAvailable), Some((250, 1000)));
    assert_eq!(short(Signal::NodefsInodesFree), Some((60, 100)));
    assert_eq!(short(Signal::ImagefsAvailable), None);
    assert_eq!(short(Signal::ImagefsInodesFree), Some((60, 100)));
    assert_eq!(short(Signal::ContainerfsAvailable), Some((250, 1000)));
    assert_eq!(short(Signal::ContainerfsInodesFree), None);
    assert_eq!(short(Signal::MemoryAvailable), None);
}

#[test]
fn what_the_kernel_says_is_what_is_measured() {
    let tree = Tree::new();
    let sample = measure(tree.root(), Mono::from_nanos(5)).unwrap();
    let raw = rustix::fs::statvfs(tree.root()).unwrap();
    assert_eq!(sample.capacity_bytes, raw.f_blocks * raw.f_frsize);
    assert_eq!(sample.inodes, raw.f_files);
    assert!(sample.available_bytes <= sample.capacity_bytes);
    assert_eq!(sample.sampled, Mono::from_nanos(5));
    let gone = measure(&tree.path("no"), Mono::ZERO);
    assert_eq!(gone, Err(Errno::NOENT));
}

#[test]
fn a_filesystem_that_hangs_is_stale_and_not_waited_for_again() {
    let (release, held) = mpsc::channel::<()>();
    let measure = move |_: &Path, now: Mono| {
        held.recv().unwrap();
        Ok(FsSample {
            sampled: now,
            ..sample(1, 0)
        })
    };
    let mut probe = Probe::start(Path::new("/dead"), measure).unwrap();
    let at = Mono::from_nanos;

    release.send(()).unwrap();
    probe.ask(at(1));
    let first = probe.collect(LONG).unwrap().unwrap();
    assert_eq!((first.sampled, first.stale), (at(1), false));

    // It hangs: one short wait, and none in the next round.
    probe.ask(at(2));
    let held = probe.collect(Duration::from_millis(1)).unwrap().unwrap();
    assert_eq!((held.sampled, held.stale), (at(1), true));
    probe.ask(at(3));
    let start = now();
    let held = probe.collect(LONG).unwrap().unwrap();
    assert!(now().since(start) < LONG);
    assert_eq!((held.sampled, held.stale), (at(1), true));

    // It comes back: the late answer, then a fresh one.
    release.send(()).unwrap();
    release.send(()).unwrap();
    let late = loop {
        probe.ask(at(4));
        let found = probe.collect(LONG).unwrap().unwrap();
        if !found.stale {
            break found;
        }
        std::thread::yield_now();
    };
    assert_eq!(late.sampled, at(4));
}

#[test]
fn before_the_first_answer_there_is_nothing() {
    let (_release, held) = mpsc::channel::<()>();
    let measure = move |_: &Path, _: Mono| {
        let _ = held.recv();
        Err(Errno::STALE)
    };
    let mut probe = Probe::start(Path::new("/dead"), measure).unwrap();
    probe.ask(Mono::ZERO);
    assert_eq!(probe.collect(Duration::ZERO), Ok(None));
}

#[test]
fn a_filesystem_that_fails_says_why() {
    let mut probe = Probe::start(Path::new("/dead"), |_, _| Err(Errno::STALE)).unwrap();
    probe.ask(Mono::ZERO);
    let error = probe.collect(LONG).unwrap_err();
    assert_eq!(error.errno(), Some(Errno::STALE));
    assert_eq!(error.path(), Path::new("/dead"));
}
