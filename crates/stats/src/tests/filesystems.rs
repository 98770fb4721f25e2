use evictd_node::{Layout, Mono, Signal};
use rustix::io::Errno;

use super::tree::Tree;
use crate::filesystem::measure;
use crate::{FsSample, NodeSample};

pub(super) fn sample(device: u64, fsid: u64) -> FsSample {
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
        impossible: None,
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

/// FUSE and network filesystems have told such numbers. More left than there is would hide
/// that a disk is full.
#[test]
fn more_left_than_there_is_says_nothing() {
    let all = (Some((250, 1000)), Some((60, 100)), None);
    for (bavail, bfree, ffree, expected) in [
        (250, 300, 60, all),
        (
            u64::MAX,
            300,
            60,
            (Some((300, 1000)), all.1, Some("f_bavail")),
        ),
        (1001, u64::MAX, 60, (None, all.1, Some("f_bavail"))),
        (250, u64::MAX, 60, all),
        (250, 300, 101, (all.0, None, Some("f_ffree"))),
        (
            u64::MAX,
            300,
            u64::MAX,
            (Some((300, 1000)), None, Some("f_bavail")),
        ),
    ] {
        let mut space = rustix::fs::statvfs("/").unwrap();
        (space.f_frsize, space.f_blocks, space.f_files) = (1, 1000, 100);
        (space.f_bavail, space.f_bfree, space.f_ffree) = (bavail, bfree, ffree);
        let found = crate::filesystem::sample(&space, 1, Mono::ZERO);
        let short = |reading: Option<evictd_node::Reading>| {
            reading.map(|found| (found.available, found.capacity))
        };
        let (bytes, inodes) = (found.bytes_reading(), found.inodes_reading());
        let found = (short(bytes), short(inodes), found.impossible);
        assert_eq!(found, expected, "{bavail} {bfree} {ffree}");
    }
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
