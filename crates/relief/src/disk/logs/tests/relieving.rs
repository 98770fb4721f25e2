use std::fs::{self, OpenOptions};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use alloc::sync::Arc;
use evictd_containers::{ContainerState, ListedContainer, LogFormat, RuntimeListing, RuntimePod};
use evictd_engine::ports::{Collected, Relief};
use evictd_gc::{LogWriter, RecordFormat};
use evictd_node::pod::Pod;
use evictd_node::{ReliefStep, Unit};
use evictd_pods::runtimes::Listed;
use evictd_testkit::needs;

use super::disk::{Disk, MIB, append, check, fill};
use crate::disk::logs::Logs;
use crate::disk::logs::find::{Whose, find};
use crate::disk::logs::reopen::reopen;
use crate::disk::logs::writers::{BOUNDS, Writers};

pub(super) fn logs() -> Logs {
    Logs {
        keep_bytes: Some(MIB),
        state_dir: None,
        reopen,
        writers: Writers::new("/proc".into(), BOUNDS),
        said: Mutex::default(),
    }
}

pub(super) fn container(path: &Path, format: LogFormat, state: ContainerState) -> ListedContainer {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let mut container = ListedContainer::default();
    container.id = name.into();
    container.name = name.into();
    container.log = Some(path.into());
    (container.log_format, container.state) = (format, state);
    container
}

pub(super) fn listed(containers: Vec<ListedContainer>) -> Vec<Listed> {
    let mut listing = RuntimeListing::default();
    listing.containers = containers;
    vec![Listed::at(Path::new("/nowhere.sock"), listing)]
}

pub(super) fn relief(disk: &Disk, mib: Option<u64>) -> Relief {
    let device = fs::metadata(&disk.0).unwrap().dev();
    Relief {
        rung: ReliefStep::Logs,
        device: (rustix::fs::major(device), rustix::fs::minor(device)),
        missing: mib.map(|mib| mib * MIB),
        unit: Unit::Bytes,
    }
}

fn field(collected: &Collected, name: &str) -> String {
    let value = collected.fields.iter().find(|(of, _)| *of == name);
    value.map_or(String::new(), |(_, value)| value.to_string())
}

/// Sizes of all files there, by name.
fn sizes(disk: &Disk) -> Vec<(String, u64)> {
    let entries = fs::read_dir(&disk.0).unwrap().map(Result::unwrap);
    let mut sizes: Vec<(String, u64)> = entries
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| {
            let size = entry.metadata().unwrap().blocks() * 512;
            (entry.file_name().into_string().unwrap(), size >> 20)
        })
        .collect();
    sizes.sort();
    sizes
}

/// Logs of containers: one has ended, the others run; some stay as they are.
fn several(disk: &Disk) -> Vec<Listed> {
    let path = |name: &str| disk.0.join(format!("{name}.log"));
    for (name, mib) in [
        ("ended", 6),
        ("big", 12),
        ("small", 1),
        ("kept", 8),
        ("bounded", 8),
        ("linked", 3),
    ] {
        fill(&mut append(&path(name)), RecordFormat::Json, mib * MIB, 0);
    }
    fs::hard_link(path("linked"), disk.0.join("second")).unwrap();
    symlink(path("kept"), path("symlink")).unwrap();
    let names = [
        "big", "small", "linked", "symlink", "gone", "ended", "kept", "bounded",
    ];
    let json = |name: &str| container(&path(name), LogFormat::JsonFile, ContainerState::Running);
    let mut all: Vec<_> = names.into_iter().map(json).collect();
    all[5].state = ContainerState::Exited;
    all[6].keeps_log = true;
    all[7].log_is_bounded = true;
    listed(all)
}

#[test]
fn no_log_is_given_up_where_all_of_them_are_not_enough() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("enough");
    let runtimes = several(&disk);
    let before = sizes(&disk);
    for (missing, dry_run, begins) in [
        (
            40,
            false,
            "logs could give back 15Mi of the 40Mi that are missing: left as they are",
        ),
        (
            3,
            true,
            "would give up the old part of a log (ended: 4.5Mi)",
        ),
    ] {
        let relief = relief(&disk, Some(missing));
        let told = logs().relieve_disk(&relief, dry_run, &runtimes).unwrap();
        assert!(told.text.starts_with(begins), "{}", told.text);
        assert_eq!((told.removed, sizes(&disk)), (0, before.clone()));
    }
}

#[test]
fn only_what_is_needed_is_given_up_and_what_stays_is_left() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("relieve");
    let runtimes = several(&disk);
    let before = sizes(&disk);
    // First that of what has ended.
    let told = logs()
        .relieve_disk(&relief(&disk, Some(3)), false, &runtimes)
        .unwrap();
    assert_eq!(told.removed, 1, "{}", told.text);
    let begins = "gave up the old part of a log (ended: 4.";
    assert!(told.text.starts_with(begins), "{}", told.text);
    let times = " from 2026-11-25T13:00:00Z to 2026-";
    assert!(told.text.contains(times), "{}", told.text);
    let links = "linked.log\": Too many links";
    assert!(told.text.contains(links), "{}", told.text);
    assert_eq!(field(&told, "rung"), "\"logs\"");
    assert_eq!(field(&told, "logNames"), "\"ended\"");
    assert!(field(&told, "freedBytes").parse::<u64>().unwrap() > 4 * MIB);
    // Then the largest; nobody is seen to write it, so it keeps its size.
    let big = disk.0.join("big.log");
    let size = fs::metadata(&big).unwrap().len();
    let told = logs()
        .relieve_disk(&relief(&disk, None), false, &runtimes)
        .unwrap();
    assert_eq!(field(&told, "logNames"), "\"big\"", "{}", told.text);
    assert_eq!(fs::metadata(&big).unwrap().len(), size);
    let stay = |all: &[(String, u64)]| {
        let stay = all
            .iter()
            .filter(|(name, _)| name != "ended.log" && name != "big.log");
        stay.cloned().collect::<Vec<_>>()
    };
    assert_eq!(stay(&sizes(&disk)), stay(&before));
}

#[test]
fn a_log_with_a_hole_is_put_in_order_once_nobody_writes_it() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("mend");
    let path = disk.0.join("big.log");
    fill(&mut append(&path), RecordFormat::Json, 12 * MIB, 0);
    let json = |state| listed(vec![container(&path, LogFormat::JsonFile, state)]);
    let runs = json(ContainerState::Running);
    let told = logs()
        .relieve_disk(&relief(&disk, None), false, &runs)
        .unwrap();
    assert_eq!(told.removed, 1, "{}", told.text);
    assert_eq!(logs().mend(false, &runs).unwrap(), Collected::default());
    let ended = json(ContainerState::Exited);
    let open = append(&path);
    let told = logs().mend(false, &ended).unwrap();
    assert_eq!(told, Collected::default(), "it is written");
    drop(open);
    let told = logs().mend(false, &ended).unwrap();
    assert_eq!(told.text, "put in order the logs of big");
    assert!(fs::metadata(&path).unwrap().len() < 2 * MIB);
    assert_eq!(logs().mend(false, &ended).unwrap(), Collected::default());
}

#[test]
fn nothing_is_touched_on_another_disk() {
    needs!(Ext4InAFile);
    let (short, other) = (Disk::ext4("short"), Disk::ext4("other"));
    let path = other.0.join("a.log");
    fill(&mut append(&path), RecordFormat::Json, 8 * MIB, 0);
    let runtimes = listed(vec![container(
        &path,
        LogFormat::JsonFile,
        ContainerState::Exited,
    )]);
    let told = logs()
        .relieve_disk(&relief(&short, None), false, &runtimes)
        .unwrap();
    assert_eq!(told, Collected::default());
    assert_eq!(sizes(&other)[0].1, 8);
}

#[test]
fn a_log_that_cannot_be_changed_is_named_and_the_next_one_goes() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("immutable");
    let (stuck, next) = (disk.0.join("stuck.log"), disk.0.join("next.log"));
    fill(&mut append(&stuck), RecordFormat::Cri, 12 * MIB, 0);
    let number = fill(&mut append(&next), RecordFormat::Cri, 8 * MIB, 0);
    let chattr = |how| Command::new("chattr").arg(how).arg(&stuck).status();
    assert!(chattr("+i").unwrap().success());
    // conmon writes the second.
    let writer = append(&next);
    let runtimes = listed(vec![
        container(&stuck, LogFormat::K8sFile, ContainerState::Exited),
        container(&next, LogFormat::K8sFile, ContainerState::Running),
    ]);
    let told = logs()
        .relieve_disk(&relief(&disk, Some(5)), false, &runtimes)
        .unwrap();
    assert!(chattr("-i").unwrap().success());
    assert_eq!(told.removed, 1, "{}", told.text);
    assert!(
        told.text.contains("stuck.log\": Operation not permitted"),
        "{}",
        told.text
    );
    drop(writer);
    check(&fs::read(&next).unwrap(), RecordFormat::Cri, number);
}

/// Of CRI: where the runtime does not begin a new log, the old one keeps its name.
#[test]
fn a_log_that_is_not_reopened_keeps_its_name() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("rotate");
    let path = disk.0.join("0.log");
    fill(&mut append(&path), RecordFormat::Cri, 8 * MIB, 0);
    let runtimes = listed(vec![container(
        &path,
        LogFormat::Cri,
        ContainerState::Running,
    )]);
    let told = logs()
        .relieve_disk(&relief(&disk, Some(5)), false, &runtimes)
        .unwrap();
    assert_eq!(told.removed, 0, "{}", told.text);
    assert!(told.text.contains("/nowhere.sock"), "{}", told.text);
    assert_eq!(sizes(&disk), [("0.log".to_owned(), 8)]);
    // Its former parts go all the same where it is small.
    for (name, mib) in [
        ("0.log.20261125-130000", 4),
        ("0.log.20261125-120000", 3),
        ("0.log.20261125-110000", 2),
    ] {
        fill(
            &mut append(&disk.0.join(name)),
            RecordFormat::Cri,
            mib * MIB,
            0,
        );
    }
    fs::write(&path, "").unwrap();
    let told = logs()
        .relieve_disk(&relief(&disk, Some(5)), false, &runtimes)
        .unwrap();
    assert_eq!(told.removed, 1, "{}", told.text);
    let left = [
        ("0.log".to_owned(), 0),
        ("0.log.20261125-130000".to_owned(), 1),
    ];
    assert_eq!(sizes(&disk), left, "{}", told.text);
}

#[test]
fn writers_are_found_by_what_they_have_open() {
    let directory = std::env::temp_dir().join(format!("evictd-writers-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join("a.log");
    fs::write(&path, "x").unwrap();
    let disk = Disk(directory.clone());
    let runtimes = listed(vec![container(
        &path,
        LogFormat::JsonFile,
        ContainerState::Running,
    )]);
    let writer = || {
        let found = find(Whose::OnDisk(&relief(&disk, None)), &runtimes);
        Writers::new("/proc".into(), BOUNDS).find(&found.logs)
    };
    assert_eq!(writer(), [LogWriter::Nobody]);
    let reader = fs::File::open(&path).unwrap();
    assert_eq!(writer(), [LogWriter::Nobody]);
    let appends = append(&path);
    assert_eq!(writer(), [LogWriter::Appends]);
    let keeps = OpenOptions::new().write(true).open(&path).unwrap();
    assert_eq!(writer(), [LogWriter::KeepsPosition]);
    drop((reader, appends, keeps));
    core::mem::forget(disk);
    fs::remove_dir_all(directory).unwrap();
}

/// Acceptance row 291: that of a container whose label limits it, and of no other.
#[test]
fn a_pods_own_log_is_given_up_only_for_its_labels_limit() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("own");
    let mut runtimes = several(&disk);
    let mut listing = RuntimeListing::clone(&runtimes[0].listing);
    let mut pod = Pod::default();
    pod.metadata.uid = "of-big".into();
    listing.pods = vec![RuntimePod {
        pod: Arc::new(pod),
        ..RuntimePod::default()
    }];
    listing.containers.truncate(1);
    for (has_disk_limit, uid, missing, removed) in [
        (false, "of-big", 5, 0),
        (true, "another", 5, 0),
        (true, "of-big", 11, 0), // it has 12 MiB, and 1 MiB stays
        (true, "of-big", 5, 1),
    ] {
        listing.containers[0].has_disk_limit = has_disk_limit;
        runtimes[0].listing = Arc::new(listing.clone());
        let told = logs().relieve_pod(uid, missing * MIB, &runtimes).unwrap();
        assert_eq!(told.removed, removed, "{uid} {missing}: {}", told.text);
    }
    assert!(
        sizes(&disk).contains(&("big.log".into(), 1)),
        "{:?}",
        sizes(&disk)
    );
}
