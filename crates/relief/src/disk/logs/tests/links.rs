//! Links and files that a pod has put where logs are.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};

use evictd_containers::{ContainerState, LogFormat};
use evictd_engine::ports::Collected;
use evictd_gc::RecordFormat;
use evictd_testkit::needs;

use super::disk::{Disk, MIB, append, fill};
use super::relieving::{container, listed, logs, relief};

/// All files below, with their sizes and inodes.
fn all(path: &Path) -> Vec<(PathBuf, u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let mut found = Vec::new();
    for entry in fs::read_dir(path).unwrap().flatten() {
        let meta = entry.metadata().unwrap();
        if meta.is_dir() {
            found.extend(all(&entry.path()));
        } else {
            found.push((entry.path(), meta.len(), meta.ino()));
        }
    }
    found.sort();
    found
}

fn relieve(disk: &Disk, path: &Path, format: LogFormat) -> Collected {
    let container = container(path, format, ContainerState::Exited);
    let told = logs().relieve_disk(&relief(disk, None), false, &listed(vec![container]));
    told.unwrap()
}

/// A pod that may write to /var/log puts a link in the place of a directory: what lies behind
/// it is another's.
#[test]
fn a_link_in_a_logs_path_leads_nowhere() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("links");
    let at = |name: &str| disk.0.join(name);
    fs::create_dir_all(at("victim/ns_pod_uid/c")).unwrap();
    fs::create_dir_all(at("logs/ns_pod_uid")).unwrap();
    fs::create_dir_all(at("more/ns_pod_uid/c")).unwrap();
    let victim = at("victim/ns_pod_uid/c");
    fill(
        &mut append(&victim.join("0.log")),
        RecordFormat::Cri,
        9 * MIB,
        0,
    );
    fill(
        &mut append(&victim.join("1-json.log")),
        RecordFormat::Json,
        9 * MIB,
        0,
    );
    fs::write(victim.join("0.log.20200101-000000"), "precious").unwrap();
    symlink(&victim, at("logs/ns_pod_uid/c")).unwrap();
    symlink(at("victim/ns_pod_uid"), at("logs/ns_other_uid")).unwrap();
    symlink(at("victim"), at("elsewhere")).unwrap();
    symlink(victim.join("0.log"), at("more/ns_pod_uid/c/0.log")).unwrap();
    symlink(
        victim.join("1-json.log"),
        at("more/ns_pod_uid/c/1-json.log"),
    )
    .unwrap();
    let before = all(&at("victim"));
    for directory in [
        "logs/ns_pod_uid/c",
        "logs/ns_other_uid/c",
        "elsewhere/ns_pod_uid/c",
        "more/ns_pod_uid/c",
    ] {
        for (file, format) in [
            ("0.log", LogFormat::Cri),
            ("0.log", LogFormat::K8sFile),
            ("1-json.log", LogFormat::JsonFile),
        ] {
            let path = at(directory).join(file);
            let told = relieve(&disk, &path, format);
            assert_eq!(told.removed, 0, "{path:?}: {}", told.text);
            assert_eq!(all(&at("victim")), before, "{path:?}");
        }
    }
    // Its own place is its log.
    let told = relieve(&disk, &victim.join("0.log"), LogFormat::Cri);
    assert_eq!(told.removed, 1, "{}", told.text);
}

/// Only what is known to be a former part of the log goes with it.
#[test]
fn what_only_has_the_name_of_a_former_log_stays() {
    needs!(Ext4InAFile);
    let disk = Disk::ext4("former");
    let at = |name: &str| disk.0.join(name);
    let former = |day: u32| format!("0.log.202601{day:02}-000000");
    fill(&mut append(&at("0.log")), RecordFormat::Cri, 3 * MIB, 0);
    for day in 1..=9 {
        fill(&mut append(&at(&former(day))), RecordFormat::Cri, MIB, 0);
    }
    let odd = ["0.log.20200101-000000", "0.log.20200102-000000.gz"];
    for name in odd {
        fs::write(at(name), "precious").unwrap();
    }
    fs::write(at("0.log.20200103-000000.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
    fs::write(at("0.log.20200104-000000"), "").unwrap();
    fs::hard_link(at(&former(2)), at("second name")).unwrap();
    chown(at(&former(3)), Some(65_534), None).unwrap();
    fs::write(at("0.log.2020-01-01"), "another form").unwrap();
    fs::create_dir(at("0.log.20200105-000000")).unwrap();
    let told = relieve(&disk, &at("0.log"), LogFormat::Cri);
    assert_eq!(told.removed, 1, "{}", told.text);
    assert!(
        told.text.contains("it is no part of a log: left alone"),
        "{}",
        told.text
    );
    let mut names: Vec<String> = fs::read_dir(&disk.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("0.log"))
        .collect();
    names.sort();
    let stay = [
        "0.log",
        "0.log.2020-01-01",
        odd[0],
        odd[1],
        "0.log.20200105-000000",
        &former(2),
        &former(3),
    ];
    assert_eq!(names, stay, "{}", told.text);
}
