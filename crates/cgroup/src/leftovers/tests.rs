use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use evictd_testkit::needs;
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

use super::*;
use crate::testkit::Fixture;

const DIR: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

const LOGS: &str = "logs";
const ROOT: &str = "kubelet";

fn open(fixture: &Fixture) -> Leftovers {
    let at = |name: &str| fixture.path().join(name);
    Leftovers::open(Path::new("/proc"), Some(&at(LOGS)), Some(&at(ROOT))).unwrap()
}

/// What was found, sorted: kind, path, whether there are bytes.
fn shown(found: &[Leftover]) -> Vec<String> {
    let one = |one: &Leftover| format!("{:?} {}", one.kind, one.path().display());
    let mut shown: Vec<String> = found.iter().map(one).collect();
    shown.sort();
    shown
}

/// Deletes to the end.
fn delete(leftovers: &Leftovers, wanted: &[&str]) -> Freed {
    delete_while(leftovers, wanted, &mut |_| true)
}

fn delete_while(
    leftovers: &Leftovers,
    wanted: &[&str],
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Freed {
    let (found, errors) = leftovers.list();
    assert_eq!(errors, []);
    let chosen = |one: &&Leftover| {
        let path = one.path();
        wanted.iter().any(|wanted| path == Path::new(wanted))
    };
    leftovers.delete(&mut found.iter().filter(chosen), go_on, &mut |_, _| {})
}

/// Everything below, sorted.
fn tree(dir: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut todo = vec![dir.to_path_buf()];
    while let Some(next) = todo.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                todo.push(path.clone());
            }
            let below = path.strip_prefix(dir).unwrap();
            all.push(below.display().to_string());
        }
    }
    all.sort();
    all
}

#[test]
fn everything_is_listed_and_links_are_not() {
    let fixture = Fixture::new();
    fixture
        .file("logs/a_b_u/c/0.log", "text")
        .file("logs/a_b_u/c/1.log", "")
        .file("logs/a_b_u/stray", "")
        .file("logs/stray", "")
        .file("outside/c/0.log", "")
        .file("kubelet/pods/u/volumes/kubernetes.io~empty-dir/v/data", "")
        .file("kubelet/pods/w/etc-hosts", "")
        .file("kubelet/other", "");
    let at = |name: &str| fixture.path().join(name);
    symlink(at("outside"), at("logs/x_y_z")).unwrap();
    symlink(at("outside/c"), at("logs/a_b_u/link")).unwrap();
    symlink(at("outside/c/0.log"), at("logs/a_b_u/c/2.log")).unwrap();
    symlink(at("outside"), at("kubelet/pods/linked")).unwrap();
    let leftovers = open(&fixture);
    let (found, errors) = leftovers.list();
    assert_eq!(errors, []);
    assert_eq!(
        shown(&found),
        [
            "LogFile a_b_u/c/0.log",
            "LogFile a_b_u/c/1.log",
            "PodLogs a_b_u",
            "Volumes u",
            "Volumes w",
        ]
    );
    let logs = found.iter().find(|one| one.kind == LeftoverKind::PodLogs);
    let logs = logs.unwrap();
    assert!(logs.bytes.unwrap() >= 4);
    assert!(logs.modified_seconds > 1_700_000_000);
    assert_eq!(leftovers.path(logs), at("logs/a_b_u"));
}

/// A pod that may write to its log directory can make any number of names there.
#[test]
fn names_without_end_in_a_log_directory_are_listed_in_part() {
    let fixture = Fixture::new();
    fixture.file("logs/a_other_v/c/0.log", "");
    for number in 0..2 * list::MOST_LOGS {
        fixture.file(&format!("logs/a_b_u/c{}/{number}.log", number % 7), "");
    }
    let (found, errors) = open(&fixture).list();
    assert_eq!(errors, []);
    let of = |pod: &str, kind| {
        let pod = pod.as_bytes();
        let mut all = found.iter();
        all.by_ref()
            .filter(|one| one.pod.to_bytes() == pod && one.kind == kind)
            .count()
    };
    assert_eq!(of("a_b_u", LeftoverKind::LogFile), list::MOST_LOGS);
    assert_eq!(of("a_b_u", LeftoverKind::PodLogs), 1);
    assert_eq!(of("a_other_v", LeftoverKind::LogFile), 1);
}

/// A link above the directory that was named, where others may write: it may lead anywhere.
#[test]
fn no_link_leads_to_a_directory_that_was_named() {
    let fixture = Fixture::new();
    let at = |name: &str| fixture.path().join(name);
    fs::create_dir_all(at("victim/pods")).unwrap();
    symlink(at("victim"), at("link")).unwrap();
    let proc = Path::new("/proc");
    for path in [at("link"), at("link/pods")] {
        let logs = Leftovers::open(proc, Some(&path), None);
        assert_eq!(logs.unwrap_err().errno, Errno::NOTDIR, "{path:?}");
    }
    let volumes = Leftovers::open(proc, None, Some(&at("link")));
    assert_eq!(volumes.unwrap_err().errno, Errno::NOTDIR);
}

#[test]
fn what_is_not_there_or_not_given_has_nothing_in_it() {
    let fixture = Fixture::new();
    assert_eq!(open(&fixture).list(), (Vec::new(), Vec::new()));
    let nowhere = Leftovers::open(Path::new("/proc"), None, None).unwrap();
    assert_eq!(nowhere.list(), (Vec::new(), Vec::new()));
    fixture.file("logs", "a file");
    let path = fixture.path().join(LOGS);
    let error = Leftovers::open(Path::new("/proc"), Some(&path), None).unwrap_err();
    assert_eq!(error.errno, Errno::NOTDIR);
}

#[test]
fn a_link_is_deleted_and_never_followed() {
    let fixture = Fixture::new();
    fixture
        .file("outside/precious", "text")
        .file("logs/a_b_u/c/0.log", "")
        .file("kubelet/pods/u/volumes/kubernetes.io~empty-dir/v/data", "");
    let at = |name: &str| fixture.path().join(name);
    for link in [
        "logs/a_b_u/dir",
        "logs/a_b_u/c/dir",
        "kubelet/pods/u/volumes/kubernetes.io~empty-dir/dir",
        "kubelet/pods/u/volumes/kubernetes.io~empty-dir/v/dir",
    ] {
        symlink(at("outside"), at(link)).unwrap();
    }
    symlink(at("outside/precious"), at("logs/a_b_u/file")).unwrap();
    let freed = delete(&open(&fixture), &["a_b_u", "u"]);
    assert_eq!((freed.errors.len(), freed.finished), (0, true), "{freed:?}");
    assert_eq!(
        tree(fixture.path()),
        [
            "kubelet",
            "kubelet/pods",
            "logs",
            "outside",
            "outside/precious"
        ]
    );
}

/// Of a pod's directory only emptyDirs go, and then what directories are empty.
#[test]
fn of_volumes_only_empty_dirs_are_deleted() {
    let fixture = Fixture::new();
    fixture
        .file("kubelet/pods/u/volumes/kubernetes.io~empty-dir/v/a/b", "")
        .file("kubelet/pods/u/volumes/kubernetes.io~configmap/c/key", "")
        .file("kubelet/pods/u/etc-hosts", "");
    let at = |name: &str| fixture.path().join(name);
    fs::create_dir_all(at("kubelet/pods/u/plugins/kubernetes.io~empty-dir/v")).unwrap();
    fs::create_dir(at("outside")).unwrap();
    symlink(at("outside"), at("kubelet/pods/u/volumes/linked")).unwrap();
    let freed = delete(&open(&fixture), &["u"]);
    assert_eq!(freed.errors, []);
    // b, a, v, the empty-dir directory, and three of plugins.
    assert_eq!(freed.deleted, 7);
    assert_eq!(
        tree(&at("kubelet/pods/u")),
        [
            "etc-hosts",
            "volumes",
            "volumes/kubernetes.io~configmap",
            "volumes/kubernetes.io~configmap/c",
            "volumes/kubernetes.io~configmap/c/key",
            "volumes/linked",
        ]
    );
    fixture.file("kubelet/pods/w/stays", "");
    let swapped = at("kubelet/pods/w/volumes");
    fs::create_dir_all(at("outside/kubernetes.io~empty-dir/v")).unwrap();
    symlink(at("outside"), swapped).unwrap();
    let freed = delete(&open(&fixture), &["w"]);
    assert_eq!(freed.deleted, 0, "a link in the way is not followed");
    assert!(at("outside/kubernetes.io~empty-dir/v").is_dir());
}

#[test]
fn one_log_goes_alone() {
    let fixture = Fixture::new();
    for number in 0..3 {
        fixture.file(&format!("logs/a_b_u/c/{number}.log"), "");
    }
    let leftovers = open(&fixture);
    let (found, _) = leftovers.list();
    let freed = delete(&leftovers, &["a_b_u/c/1.log"]);
    assert_eq!((freed.deleted, freed.errors.len()), (1, 0));
    // Vanished, and replaced by a link since it was listed.
    let at = |name: &str| fixture.path().join(name);
    fs::remove_file(at("logs/a_b_u/c/0.log")).unwrap();
    symlink(at("logs/a_b_u/c/2.log"), at("logs/a_b_u/c/0.log")).unwrap();
    let mut stale = found
        .iter()
        .filter(|one| [c"0.log", c"1.log"].contains(&one.file.as_c_str()));
    let freed = leftovers.delete(&mut stale, &mut |_| true, &mut |_, _| {});
    assert_eq!((freed.deleted, freed.errors.len()), (0, 0), "{freed:?}");
    assert_eq!(tree(&at("logs/a_b_u/c")), ["0.log", "2.log"]);
}

#[test]
fn hostile_names_are_names() {
    let fixture = Fixture::new();
    let dir = fixture.path().join("logs/a_b_u");
    fs::create_dir_all(&dir).unwrap();
    for name in [
        &b"-rf"[..],
        b"new\nline",
        b"\xff\xfe",
        b"*",
        b"...",
        &[b'x'; 255],
        b"\x1b[2J",
    ] {
        let name = OsString::from_vec(name.to_vec());
        fs::create_dir(dir.join(&name)).unwrap();
        fs::write(dir.join(&name).join(&name), "").unwrap();
    }
    let freed = delete(&open(&fixture), &["a_b_u"]);
    assert_eq!((freed.deleted, freed.errors.len()), (15, 0), "{freed:?}");
    assert!(!dir.exists());
}

#[test]
fn it_stops_when_told_to_and_the_next_call_goes_on() {
    let fixture = Fixture::new();
    for number in 0..5 {
        fixture.file(&format!("logs/a_b_u/c/{number}.log"), "");
    }
    let leftovers = open(&fixture);
    for (most, deleted, finished) in [(0, 0, false), (3, 3, false), (3, 3, false), (3, 1, true)] {
        let freed = delete_while(&leftovers, &["a_b_u"], &mut |deleted| deleted < most);
        assert_eq!((freed.deleted, freed.finished), (deleted, finished));
    }
    assert_eq!(tree(&fixture.path().join(LOGS)), [""; 0]);
}

/// Makes a chain of directories, each in the one before, with a file in each.
fn chain(at: &Path, levels: u32) {
    let mut dir = openat(CWD, at, DIR, Mode::empty()).unwrap();
    for _ in 0..levels {
        mkdirat(&dir, "d", Mode::RWXU).unwrap();
        openat(&dir, "f", OFlags::CREATE, Mode::RUSR).unwrap();
        dir = openat(&dir, "d", DIR, Mode::empty()).unwrap();
    }
}

/// Acceptance row 174. With few descriptors, and beside names like those that it moves
/// directories to.
#[test]
fn a_tree_of_any_depth_is_deleted_to_its_end() {
    let fixture = Fixture::new();
    for taken in 1..4 {
        fixture.file(&format!("logs/a_b_u/.evictd-{taken}/x/y"), "");
    }
    fixture.file("logs/a_b_u/.evictd-4", "");
    chain(&fixture.path().join("logs/a_b_u"), 2000);
    let volumes = "kubelet/pods/u/volumes/kubernetes.io~empty-dir/v";
    fs::create_dir_all(fixture.path().join(volumes)).unwrap();
    chain(&fixture.path().join(volumes), 300);
    let freed = delete(&open(&fixture), &["a_b_u", "u"]);
    assert_eq!((freed.errors.len(), freed.finished), (0, true), "{freed:?}");
    let rest = ["kubelet", "kubelet/pods", "logs"];
    assert_eq!(tree(fixture.path()), rest);
}

/// Acceptance row 174: more than one part of a listing, files and directories mixed.
#[test]
fn a_wide_directory_is_deleted_to_its_end() {
    let fixture = Fixture::new();
    let dir = fixture.path().join("logs/a_b_u/c");
    for number in 0..2000 {
        if number % 40 == 0 {
            fs::create_dir_all(dir.join(format!("{number}/below"))).unwrap();
        } else {
            fs::write(dir.join(number.to_string()), "").unwrap();
        }
    }
    let freed = delete(&open(&fixture), &["a_b_u"]);
    assert_eq!((freed.deleted, freed.errors.len()), (2052, 0), "{freed:?}");
    assert_eq!(tree(&fixture.path().join(LOGS)), [""; 0]);
}

/// Freed bytes are measured, not summed up. Others write on this filesystem too, so the
/// best of some attempts counts.
#[test]
fn what_was_freed_is_measured() {
    let text = "x".repeat(8 << 20);
    let attempt = || {
        let fixture = Fixture::new();
        fixture.file("logs/a_b_u/c/0.log", &text);
        let freed = delete(&open(&fixture), &["a_b_u"]);
        assert_eq!(freed.deleted, 3);
        freed.bytes
    };
    let attempts: Vec<u64> = (0..5).map(|_| attempt()).collect();
    assert!(
        attempts.iter().any(|bytes| *bytes >= 4 << 20),
        "{attempts:?}"
    );
}

struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn new(at: &'a Path, arguments: &[&str]) -> Self {
        let status = Command::new("mount").args(arguments).arg(at).status();
        assert!(status.unwrap().success(), "needs root: mount {arguments:?}");
        Self(at)
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// Another filesystem, and a bind mount of the same one.
#[test]
fn what_is_mounted_inside_stays() {
    needs!(Mounting);
    let fixture = Fixture::new();
    let at = |name: &str| fixture.path().join(name);
    fixture
        .file("outside/precious", "text")
        .file("logs/a_b_u/c/0.log", "")
        .file("logs/mounted_b_w/0", "")
        .file(
            "kubelet/pods/u/volumes/kubernetes.io~empty-dir/disk/data",
            "",
        );
    let volumes = at("kubelet/pods/u/volumes/kubernetes.io~empty-dir");
    for dir in ["bound", "memory"] {
        fs::create_dir(volumes.join(dir)).unwrap();
    }
    fs::create_dir(at("logs/a_b_u/bound")).unwrap();
    let outside = at("outside");
    let bind = ["--bind", outside.to_str().unwrap()];
    let (bound, memory) = (volumes.join("bound"), volumes.join("memory"));
    let (in_logs, whole) = (at("logs/a_b_u/bound"), at("logs/mounted_b_w"));
    let _mounts = [
        Mounted::new(&bound, &bind),
        Mounted::new(&memory, &["-t", "tmpfs", "tmpfs"]),
        Mounted::new(&in_logs, &bind),
        Mounted::new(&whole, &bind),
    ];
    fs::write(memory.join("precious"), "").unwrap();
    let leftovers = open(&fixture);
    let (found, _) = leftovers.list();
    assert_eq!(
        shown(&found),
        ["LogFile a_b_u/c/0.log", "PodLogs a_b_u", "Volumes u"]
    );
    let freed = delete(&leftovers, &["a_b_u", "u", "mounted_b_w"]);
    assert_eq!(freed.errors, []);
    assert!(outside.join("precious").exists());
    assert!(memory.join("precious").exists());
    // Only where it is asked for, and what is mounted elsewhere too stays even then.
    fs::create_dir_all(memory.join("deep/er")).unwrap();
    fs::write(memory.join("deep/er/data"), vec![1; 1 << 20]).unwrap();
    let freed = leftovers.empty_memory("u", &mut |_| true);
    assert_eq!((freed.errors, freed.deleted), (vec![], 4));
    assert!(freed.bytes >= 1 << 20 && memory.exists() && tree(&memory).is_empty());
    assert!(outside.join("precious").exists());
    fs::write(memory.join("shared"), "").unwrap();
    let twice = at("outside/twice");
    fs::create_dir(&twice).unwrap();
    let _twice = Mounted::new(&twice, &["--bind", memory.to_str().unwrap()]);
    assert_eq!(leftovers.empty_memory("u", &mut |_| true).deleted, 0);
    assert_eq!(
        leftovers.empty_memory("..", &mut |_| true),
        Freed {
            finished: true,
            ..Freed::default()
        }
    );
    assert!(!volumes.join("disk").exists() && !at("logs/a_b_u/c").exists());
}
